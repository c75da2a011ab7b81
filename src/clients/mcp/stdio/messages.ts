import { ProtocolErrorCode } from '@modelcontextprotocol/server'
import { escapeLineBoundaries, isObject } from '../../../lib/json.ts'
import { eventsIn } from '../../types/connection.ts'
import { type RemoteDaybook, remoteDaybook } from '../../types/remote.ts'

/*
 * MCP on standard input and output: one JSON-RPC message per line. Each message gets its own response, as over HTTP, so
 * that both revisions of the protocol work the same way.
 */

type Message = Record<string, unknown>

/** Returns the responses to a message: one message, several for a subscription, none for a notification. */
export type Respond = (message: Message, signal: AbortSignal) => Promise<readonly unknown[]>

interface Lines {
  /** The incoming lines, without their line breaks. */
  readonly lines: AsyncIterable<string>
  /** Writes a line; false once the reader has closed the stream. */
  write(line: string): Promise<boolean>
}

const errorMessage = (id: unknown, code: number, message: string): Message => ({
  jsonrpc: '2.0',
  id: id ?? null,
  error: { code, message },
})

/** Serves a connection until its input ends or cannot be read; pending requests still get their responses. */
export async function serveLines({ lines, write }: Lines, respond: Respond): Promise<void> {
  const running = new Map<unknown, AbortController>()
  const pending = new Set<Promise<void>>()
  let isClosed = false
  const send = async (message: unknown) => {
    if (!isClosed && !(await write(`${escapeLineBoundaries(JSON.stringify(message))}\n`))) isClosed = true
  }
  const answer = async (message: Message) => {
    const controller = new AbortController()
    const isRequest = message.id !== undefined
    if (isRequest) running.set(message.id, controller)
    try {
      const responses = await respond(message, controller.signal)
      if (!isRequest || controller.signal.aborted) return
      for (const response of responses) await send(response)
    } catch (error) {
      const sentence = error instanceof Error ? error.message : String(error)
      if (isRequest && !controller.signal.aborted)
        await send(errorMessage(message.id, ProtocolErrorCode.InternalError, sentence))
    } finally {
      if (isRequest) running.delete(message.id)
    }
  }
  try {
    for await (const line of lines) {
      if (isClosed) break
      if (line.trim() === '') continue
      const message = parse(line)
      if (!message)
        await send(errorMessage(null, ProtocolErrorCode.ParseError, 'A line must be a JSON-RPC message.'))
      else if (message.method === 'notifications/cancelled') running.get(requestIdIn(message))?.abort()
      else {
        const task = answer(message)
        pending.add(task)
        void task.finally(() => pending.delete(task))
      }
    }
  } finally {
    await Promise.all(pending)
  }
}

function parse(line: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(line)
    return isObject(message) ? message : undefined
  } catch {
    return undefined
  }
}

const requestIdIn = ({ params }: Message): unknown => (isObject(params) ? params.requestId : undefined)

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
/** Values that a header can contain unencoded. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Values that a header cannot contain are encoded in base64. */
const headerValue = (text: string): string =>
  PLAIN.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`

/** The headers that the HTTP transport requires for a message; the revision is the message's own, if given. */
export function headersOf({ method, params }: Message): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  }
  const { _meta: meta, name, uri } = isObject(params) ? params : {}
  const version = isObject(meta) ? meta[VERSION_KEY] : undefined
  if (typeof version !== 'string') return headers
  headers['MCP-Protocol-Version'] = version
  if (typeof method === 'string') headers['Mcp-Method'] = headerValue(method)
  const named = method === 'resources/read' ? uri : name
  if (typeof named === 'string') headers['Mcp-Name'] = headerValue(named)
  return headers
}

/** The messages in a response; throws a refusal of the server with its sentence. */
export async function messagesIn(response: Response): Promise<readonly unknown[]> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream'))
    return await Array.fromAsync(eventsIn(response), ({ data }) => JSON.parse(data))
  const text = await response.text()
  if (text === '') return []
  const body = parse(text)
  if (body?.jsonrpc === '2.0') return [body]
  throw new Error(
    typeof body?.error === 'string'
      ? body.error
      : `The server responded with ${response.status}, but not as a daybook server.`,
  )
}

/** Forwards messages to the MCP endpoint of a server. */
export function remoteResponder(daybook: RemoteDaybook): Respond {
  const client = remoteDaybook(daybook)
  return async (message, signal) =>
    messagesIn(await client.send('POST', '/mcp', { body: message, headers: headersOf(message), signal }))
}
