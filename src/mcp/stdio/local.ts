import type { AppContext, Caller } from '../../context.ts'
import { createEndpoint } from '../endpoint.ts'
import { agentCaller } from '../tool.ts'
import { headersOf, messagesIn, type Respond } from './messages.ts'

/** Any address: requests of this process go to no network. */
const URL_OF_THIS_PROCESS = 'http://localhost/mcp'

/** Answers from a database of this machine; `authenticate` says for every message whose key it is now. */
export function localResponder(ctx: AppContext, authenticate: () => Caller): Respond {
  const endpoint = createEndpoint(ctx)
  return async (message, signal) => {
    const caller = agentCaller(authenticate(), () => signal)
    const request = new Request(URL_OF_THIS_PROCESS, { method: 'POST', headers: headersOf(message), signal })
    return messagesIn(await endpoint(request, message, caller))
  }
}
