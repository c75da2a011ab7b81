import { isObject, type JsonObject } from '../lib/json.ts'

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
const [VERSION, CLIENT, CAPABILITIES] = [
  `${PREFIX}protocolVersion`,
  `${PREFIX}clientInfo`,
  `${PREFIX}clientCapabilities`,
]
export const SERVER = `${PREFIX}serverInfo`

const hasOnly = (object: JsonObject, names: readonly string[]): boolean =>
  Object.keys(object).every((name) => names.includes(name))

const isToken = (value: unknown) =>
  value === undefined || typeof value === 'string' || Number.isSafeInteger(value)

function isFromCurrent(meta: unknown, tool: string, headers: Headers): boolean {
  if (!isObject(meta) || !hasOnly(meta, [VERSION, CLIENT, CAPABILITIES, 'progressToken'])) return false
  const client = meta[CLIENT]
  return (
    meta[VERSION] === CURRENT &&
    isObject(client) &&
    hasOnly(client, ['name', 'version', 'title']) &&
    typeof client.name === 'string' &&
    typeof client.version === 'string' &&
    typeof (client.title ?? '') === 'string' &&
    isObject(meta[CAPABILITIES]) &&
    isToken(meta.progressToken) &&
    headers.get('mcp-protocol-version') === CURRENT &&
    headers.get('mcp-method') === 'tools/call' &&
    headers.get('mcp-name') === tool
  )
}

const isFromEarlier = (meta: unknown, headers: Headers): boolean =>
  EARLIER.includes(headers.get('mcp-protocol-version') ?? '') &&
  (meta === undefined || (isObject(meta) && hasOnly(meta, ['progressToken']) && isToken(meta.progressToken)))

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
  const { jsonrpc, id, method, params } = body as JsonObject
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isObject(params)) return undefined
  if (!hasOnly(body as JsonObject, ['jsonrpc', 'id', 'method', 'params'])) return undefined
  if (typeof id !== 'string' && !(typeof id === 'number' && Number.isSafeInteger(id))) return undefined
  const { name: tool, arguments: input = {}, _meta: meta } = params
  if (typeof tool !== 'string' || !isObject(input) || !hasOnly(params, ['name', 'arguments', '_meta']))
    return undefined
  if (!acceptsJson(headers)) return undefined
  if (isFromCurrent(meta, tool, headers)) return { id, tool, input, isCurrent: true }
  return isFromEarlier(meta, headers) ? { id, tool, input, isCurrent: false } : undefined
}
