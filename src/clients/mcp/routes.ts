import type { AppContext } from '../../context.ts'
import { hiddenEndpoints } from '../../http/endpoints.ts'
import { members } from '../../http/schema/types.ts'
import type { Endpoint } from './endpoint.ts'
import type { Agent } from './tool.ts'

/** MCP (Model Context Protocol) for agents; the library is loaded on the first request. */
export function mcpRoutes(ctx: AppContext) {
  let endpoint: Promise<Endpoint> | undefined
  return hiddenEndpoints('/mcp', 'several').post(
    '',
    async ({ exchange, request, caller, body }) => {
      const agent: Agent = {
        caller,
        call: (operation, input, isNamed) => exchange.callAs('mcp', operation, input, isNamed),
      }
      endpoint ??= import('./endpoint.ts').then(({ createEndpoint }) => createEndpoint(ctx))
      return (await endpoint)(request, body, agent)
    },
    { access: 'agent', body: members(), response: members() },
  )
}
