import { getUser } from '../account/users.ts'
import type { AppContext } from '../context.ts'
import { hiddenEndpoints } from '../http/endpoints.ts'
import { unknownPath } from '../http/pipeline.ts'
import { sha256 } from '../lib/sha256.ts'
import { type Browsers, redirect } from './oidc/routes.ts'
import { beginSession } from './sign-in.ts'

export const DEMO_PATH = '/app/demo'

/** The link of a demo signs in without a password, as often as it is opened; another server has none. */
export function demoRoutes(ctx: AppContext, { browserOf, begin }: Pick<Browsers, 'browserOf' | 'begin'>) {
  const { demo } = ctx.config
  if (!demo) return []
  const hash = sha256(demo.token)
  return [
    hiddenEndpoints('', 'nothing').get(
      `${DEMO_PATH}/:token`,
      async ({ exchange, params }) => {
        if (sha256(params.token) !== hash) throw unknownPath()
        const session = await ctx.db.write((tx) =>
          beginSession(ctx, tx, getUser(tx, demo.user).pk, browserOf(exchange), unknownPath),
        )
        return redirect('/app', [begin(session)])
      },
      { open: true },
    ),
  ]
}
