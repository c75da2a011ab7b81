import type { AppContext } from '../context.ts'
import { hiddenEndpoints } from '../http/endpoints.ts'
import { members } from '../http/schema/types.ts'
import { Refusal } from '../refusal.ts'
import type { Endpoint } from './endpoint.ts'
import { agentCaller } from './tool.ts'

const keyNeeded = () =>
  new Refusal('unauthorized', 'This endpoint needs the header "Authorization: Bearer <API key>".')

/** MCP (Model Context Protocol) for agents; its library is loaded with the first request. */
export function mcpRoutes(ctx: AppContext) {
  let endpoint: Promise<Endpoint> | undefined
  return hiddenEndpoints('/mcp', 'several').post(
    '',
    async ({ request, caller, body }) => {
      // A page that a person is signed in to is no agent.
      if (caller.keyId === null) throw keyNeeded()
      const agent = agentCaller(caller, () => caller.signal)
      endpoint ??= import('./endpoint.ts').then(({ createEndpoint }) => createEndpoint(ctx))
      return (await endpoint)(request, body, agent)
    },
    { access: 'read', body: members(), response: members() },
  )
}
