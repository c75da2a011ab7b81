import type { AppContext } from '../../context.ts'
import { applicationEndpoints } from '../../http/endpoints.ts'
import { presentPasskey } from '../present.ts'
import { DeletedResponse } from '../schema.ts'
import { listPasskeys, type Passkeys, removePasskey, renamePasskey } from './passkeys.ts'
import type { RelyingParty } from './relying-party.ts'
import * as schema from './schema.ts'

/** The passkeys of who is signed in. */
export const passkeyRoutes = (
  ctx: AppContext,
  passkeys: Passkeys,
  partyOf: (request: Request) => RelyingParty,
) =>
  applicationEndpoints('nothing')
    .post('/passkeys/options', ({ request, caller }) => passkeys.creationOptions(caller, partyOf(request)), {
      access: 'session',
      response: schema.OptionsResponse,
    })
    .get('/passkeys', ({ caller }) => ({ passkeys: listPasskeys(ctx, caller).map(presentPasskey) }), {
      access: 'session',
      response: schema.PasskeysResponse,
    })
    .post(
      '/passkeys',
      async ({ request, caller, body, status }) =>
        status(201, { passkey: presentPasskey(await passkeys.add(caller, body, partyOf(request))) }),
      { access: 'session', body: schema.NewPasskeyBody, response: { 201: schema.PasskeyResponse } },
    )
    .patch(
      '/passkeys/:id',
      async ({ caller, params, body }) => ({
        passkey: presentPasskey(await renamePasskey(ctx, caller, params.id, body.name)),
      }),
      { access: 'session', body: schema.PasskeyNameBody, response: schema.PasskeyResponse },
    )
    .delete(
      '/passkeys/:id',
      async ({ caller, params }) => ({
        deleted: true as const,
        id: await removePasskey(ctx, caller, params.id),
      }),
      { access: 'session', response: DeletedResponse },
    )
