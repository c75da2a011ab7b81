import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isObject } from '../lib/json.ts'

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>

/**
 * A server that refuses parameters of a wrong form in one sentence; the library gives a list, as JSON text, and for most
 * methods calls it an internal error.
 */
export class FormCheckingServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler)
    return async (request, ctx) => {
      try {
        return await wrapped(request, ctx)
      } catch (error) {
        throw formErrorIn(error) ?? error
      }
    }
  }
}

function formErrorIn(error: unknown): ProtocolError | undefined {
  const message = error instanceof Error ? error.message : ''
  const [issue] = issuesIn(message.slice(message.indexOf('[')))
  if (!isObject(issue) || !Array.isArray(issue.path)) return undefined
  const name = issue.path.slice(1).join('.') || 'params'
  const { expected } = issue
  const rule = typeof expected === 'string' ? `must be of the type ${expected}` : 'is not valid'
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `"${name}" ${rule}; see the schema of MCP.`)
}

function issuesIn(text: string): unknown[] {
  try {
    const issues: unknown = JSON.parse(text)
    return Array.isArray(issues) ? issues : []
  } catch {
    return []
  }
}
