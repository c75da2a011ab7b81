import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { JsonObject } from '../lib/json.ts'

/*
 * Calls of tools whose form leaves the library of MCP nothing to decide. It checks every message in full, which takes ten
 * times as long as reading a note; such calls are therefore recognized here, and answered as the library would answer
 * them. Whatever is unusual in a message or in its headers is left to the library.
 */

export interface DirectCall {
  readonly id: string | number
  readonly tool: string
  readonly input: JsonObject
  /** Whether the message is of the current revision, whose results say that they are complete and whose they are. */
  readonly isCurrent: boolean
}

const CURRENT = '2026-07-28'
const EARLIER = ['2025-11-25', '2025-06-18']

const PREFIX = 'io.modelcontextprotocol/'
export const SERVER = `${PREFIX}serverInfo`

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

/** Undefined for everything that is not the plain call of a tool. */
export function directCallIn({ headers }: Request, body: object): DirectCall | undefined {
  const version = headers.get('mcp-protocol-version') ?? ''
  const isCurrent = version === CURRENT
  if (!acceptsJson(headers) || !(isCurrent || EARLIER.includes(version))) return undefined
  if (!(isCurrent ? isFromCurrent : isFromEarlier).Check(body)) return undefined
  const { id: call, params } = body as Static<typeof EarlierCall>
  if (isCurrent && (headers.get('mcp-method') !== 'tools/call' || headers.get('mcp-name') !== params.name))
    return undefined
  return { id: call, tool: params.name, input: (params.arguments ?? {}) as JsonObject, isCurrent }
}
