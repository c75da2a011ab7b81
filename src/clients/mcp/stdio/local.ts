import type { AppContext, Caller } from '../../../context.ts'
import { createEndpoint } from '../endpoint.ts'
import type { Agent } from '../tool.ts'
import { headersOf, messagesIn, type Respond } from './messages.ts'

/** Any address: requests of this process never reach a network. */
const URL_OF_THIS_PROCESS = 'http://localhost/mcp'

/** Responds from a local database; `authenticate` finds the caller of the key again for every message. */
export function localResponder(ctx: AppContext, authenticate: () => Caller): Respond {
  const endpoint = createEndpoint(ctx)
  return async (message, signal) => {
    const caller: Caller = { ...authenticate(), surface: 'mcp', signal }
    const agent: Agent = {
      caller,
      call: async (operation, input, isNamed) => ctx.kernel.callAs(caller, operation, input, isNamed),
    }
    const request = new Request(URL_OF_THIS_PROCESS, { method: 'POST', headers: headersOf(message), signal })
    return messagesIn(await endpoint(request, message, agent))
  }
}
