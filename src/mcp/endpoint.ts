import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { AppContext, Caller } from '../context.ts'
import { type DirectCall, directCallIn, SERVER } from './direct-calls.ts'
import { instructionsFor } from './instructions.ts'
import { callTool, createServer, INFO } from './server.ts'
import type { Tool } from './tool.ts'
import { findTool } from './tools/all.ts'

/** Serves one request whose body is parsed, in the name of a caller. */
export type Endpoint = (request: Request, body: object, caller: Caller) => Promise<Response>

/** The requests whose responses hold the instructions. */
const GREETINGS = ['initialize', 'server/discover']

const asksForInstructions = (body: object): boolean =>
  'method' in body && GREETINGS.includes(String(body.method))

interface Requester {
  readonly caller: Caller
  /** Where they are asked for. */
  readonly instructions: string | undefined
}

/**
 * MCP over HTTP, without sessions: every request is independent, so that a client that goes away or reads slowly holds
 * nothing. No changes are announced, so that a subscription ends with its acknowledgement. Both revisions of the protocol
 * get their responses as JSON.
 */
export function createEndpoint(ctx: AppContext): Endpoint {
  const serverFor = ({ caller, instructions }: Requester) =>
    createServer(ctx, { caller, ...(instructions !== undefined && { instructions }) })
  const requesterIn = ({ authInfo }: McpRequestContext) => authInfo?.extra?.requester as Requester
  const handler = createMcpHandler((context) => serverFor(requesterIn(context)), { legacy: 'reject' })
  return async (request, body, caller) => {
    const call = directCallIn(request, body)
    const tool = call && findTool(call.tool)
    if (tool) return respondToCall(ctx, caller, tool, call)
    const instructions = asksForInstructions(body) ? await instructionsFor(ctx, caller) : undefined
    const requester = { caller, instructions }
    if (await isLegacyRequest(request, body)) return respondToLegacy(serverFor(requester), request, body)
    const authInfo = { token: '', clientId: caller.keyId ?? '', scopes: [], extra: { requester } }
    return handler.fetch(request, { parsedBody: body, authInfo })
  }
}

async function respondToCall(
  ctx: AppContext,
  caller: Caller,
  tool: Tool,
  { id, input, isCurrent }: DirectCall,
): Promise<Response> {
  const called = await callTool(ctx, caller, tool, input)
  const result = isCurrent
    ? { ...called, resultType: 'complete', _meta: { ...('_meta' in called && called._meta), [SERVER]: INFO } }
    : called
  return Response.json({ result, jsonrpc: '2.0', id })
}

/** The revision before the current one, whose clients begin with `initialize`. */
async function respondToLegacy(
  server: ReturnType<typeof createServer>,
  request: Request,
  body: object,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: body })
  } finally {
    await server.close()
  }
}
