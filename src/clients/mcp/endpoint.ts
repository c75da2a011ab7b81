import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { AppContext } from '../../context.ts'
import { EVENT_STREAM } from '../../http/sse.ts'
import { escapeLineBoundaries, type JsonObject } from '../../lib/json.ts'
import { callTool, createServer, INFO } from './server.ts'
import type { Agent, Tool } from './tool.ts'
import { findTool } from './tools/all.ts'
import { readInstructions } from './tools/describe.ts'

/** Serves one request of an agent, whose body is already parsed. */
export type Endpoint = (request: Request, body: object, agent: Agent) => Promise<Response>

/** The methods whose responses contain the instructions. */
const GREETINGS = ['initialize', 'server/discover']

const asksForInstructions = (body: object): boolean =>
  'method' in body && GREETINGS.includes(String(body.method))

interface AgentRequest {
  readonly agent: Agent
  /** Undefined if the response has none. */
  readonly instructions: string | undefined
}

/**
 * MCP over HTTP, without sessions: every request is independent, so that a client that disconnects or reads slowly
 * holds no resources. The server announces no changes, so a subscription ends with its acknowledgement. Both revisions
 * of the protocol get their responses as JSON.
 */
export function createEndpoint(ctx: AppContext): Endpoint {
  const serverFor = ({ agent, instructions }: AgentRequest) => createServer(ctx, agent, instructions)
  const requestIn = ({ authInfo }: McpRequestContext) => authInfo?.extra?.sent as AgentRequest
  const handler = createMcpHandler((context) => serverFor(requestIn(context)), { legacy: 'reject' })
  return async (request, body, agent) => {
    const call = directCallIn(request, body)
    const tool = call && findTool(call.tool)
    if (tool) return respondToCall(ctx, agent, tool, call)
    const greeting = asksForInstructions(body) ? await agent.call(readInstructions, {}) : undefined
    const sent: AgentRequest = { agent, instructions: greeting?.text }
    if (await isLegacyRequest(request, body)) return respondToLegacy(serverFor(sent), request, body)
    const authInfo = {
      token: '',
      clientId: agent.caller.keyId ?? agent.caller.appId ?? '',
      scopes: [],
      extra: { sent },
    }
    return withEscapedLines(await handler.fetch(request, { parsedBody: body, authInfo }))
  }
}

/** The stream of a subscription, which ends at once. The library omits the charset and some escapes. */
async function withEscapedLines(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const headers = new Headers(response.headers)
  headers.set('Content-Type', EVENT_STREAM)
  return new Response(escapeLineBoundaries(await response.text()), { status: response.status, headers })
}

async function respondToCall(
  ctx: AppContext,
  agent: Agent,
  tool: Tool,
  { id, input, isCurrent }: DirectCall,
): Promise<Response> {
  const called = await callTool(ctx, agent, tool, input)
  const result = isCurrent
    ? { ...called, resultType: 'complete', _meta: { ...('_meta' in called && called._meta), [SERVER]: INFO } }
    : called
  return Response.json({ result, jsonrpc: '2.0', id })
}

/** The revision before the current one; its clients begin with `initialize`. */
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

/*
 * Calls of tools in a standard format, which need no decision by the MCP library. The library checks every message in
 * full, which takes ten times as long as reading a note. Such calls are therefore recognized here and get the same
 * responses as from the library. Messages with any unusual content or headers go to the library.
 */

type DirectCall = NonNullable<ReturnType<typeof directCallIn>>

const CURRENT = '2026-07-28'
const EARLIER = ['2025-11-25', '2025-06-18']

const PREFIX = 'io.modelcontextprotocol/'
const SERVER = `${PREFIX}serverInfo`

const exactly = <Properties extends Record<string, TSchema>>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })

const id = () =>
  Type.Union([
    Type.String(),
    Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  ])
const progressToken = Type.Optional(id())

const callWith = <Meta extends TSchema>(meta: Meta) =>
  exactly({
    jsonrpc: Type.Literal('2.0'),
    id: id(),
    method: Type.Literal('tools/call'),
    params: exactly({ name: Type.String(), arguments: Type.Optional(Type.Object({})), _meta: meta }),
  })

const isFromCurrent = TypeCompiler.Compile(
  callWith(
    exactly({
      [`${PREFIX}protocolVersion`]: Type.Literal(CURRENT),
      [`${PREFIX}clientInfo`]: exactly({
        name: Type.String(),
        version: Type.String(),
        title: Type.Optional(Type.String()),
      }),
      [`${PREFIX}clientCapabilities`]: Type.Object({}),
      progressToken,
    }),
  ),
)
const EarlierCall = callWith(Type.Optional(exactly({ progressToken })))
const isFromEarlier = TypeCompiler.Compile(EarlierCall)

function acceptsJson(headers: Headers): boolean {
  const accepted = headers.get('accept') ?? ''
  return (
    headers.get('content-type') === 'application/json' &&
    accepted.includes('application/json') &&
    accepted.includes('text/event-stream') &&
    !headers.has('mcp-session-id')
  )
}

/** Undefined for anything except a plain tool call. */
function directCallIn({ headers }: Request, body: object) {
  const version = headers.get('mcp-protocol-version') ?? ''
  const isCurrent = version === CURRENT
  if (!acceptsJson(headers) || !(isCurrent || EARLIER.includes(version))) return undefined
  if (!(isCurrent ? isFromCurrent : isFromEarlier).Check(body)) return undefined
  const { id: call, params } = body as Static<typeof EarlierCall>
  if (isCurrent && (headers.get('mcp-method') !== 'tools/call' || headers.get('mcp-name') !== params.name))
    return undefined
  return { id: call, tool: params.name, input: (params.arguments ?? {}) as JsonObject, isCurrent }
}
