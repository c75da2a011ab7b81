import { asUnavailable } from '../db/errors.ts'
import type { Log } from '../lib/log.ts'
import { Refusal, type RefusalCode } from '../refusal.ts'

/** The one table from codes to statuses. */
export const STATUS_OF: Readonly<Record<RefusalCode, number>> = {
  invalid_request: 400,
  refused: 400,
  unique_violation: 400,
  max_rows_reached: 400,
  immutable: 400,
  passage_not_found: 400,
  passage_not_unique: 400,
  unauthorized: 401,
  read_only_key: 403,
  not_found: 404,
  method_not_allowed: 405,
  name_taken: 409,
  in_use: 409,
  stale: 409,
  too_large: 413,
  rate_limited: 429,
  uri_too_long: 431,
  unavailable: 503,
}

/** JSON as text, or as its bytes where it is long. */
export type JsonBody = string | Uint8Array<ArrayBuffer>

const LONG_TEXT = 65_536

/** Writes JSON so that it can be sent as it is: long text is encoded here, in a worker for example, and not when it is sent. */
export function encodedJson(value: object): JsonBody {
  const text = JSON.stringify(value)
  return text.length > LONG_TEXT ? new TextEncoder().encode(text) : text
}

const JSON_HEADERS = { 'Content-Type': 'application/json;charset=utf-8' }

/** A response whose body is JSON already. */
export const jsonResponse = (body: JsonBody, status = 200): Response =>
  new Response(body, { status, headers: JSON_HEADERS })

const streamed = new WeakSet<Response>()

/** Whether the body of a response is written while it is sent, so that its length is not known before. */
export const isStreamed = (response: Response): boolean => streamed.has(response)

/**
 * A response `{"<name>": [...]}` whose items come in parts. The first part is taken at once, and what it refuses is
 * refused; if others follow, each is taken when the client has received those before it, with time between them for
 * other requests.
 */
export function listResponse<Item>(
  name: string,
  parts: Iterator<readonly Item[], void>,
  present: (item: Item) => object,
): Response {
  let isFirst = true
  const textOf = (items: readonly Item[]): string => {
    const text = items.map((item) => JSON.stringify(present(item))).join(',')
    const separator = isFirst || text === '' ? '' : ','
    isFirst &&= text === ''
    return separator + text
  }
  const first = parts.next()
  const beginning = `{"${name}":[${first.done ? '' : textOf(first.value)}`
  let next = parts.next()
  if (next.done) return jsonResponse(`${beginning}]}`)
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(beginning)),
    pull: async (controller) => {
      await new Promise((resolve) => setImmediate(resolve))
      let text = ''
      for (; text === '' && !next.done; next = parts.next()) text = textOf(next.value)
      if (next.done) text += ']}'
      controller.enqueue(encoder.encode(text))
      if (next.done) controller.close()
    },
    cancel: () => void parts.return?.(),
  })
  const response = new Response(stream, { headers: JSON_HEADERS })
  streamed.add(response)
  return response
}

/** What a handler returned, as a response: one of its own is sent as it is, anything else as JSON. */
export function responseOf(result: unknown, status: number): Response {
  if (result instanceof Response) return result
  return status === 200 ? Response.json(result) : Response.json(result, { status })
}

/** Turns whatever was thrown into a response `{error, code}`; what is no refusal is logged as a failure of the service. */
export function errorResponse(thrown: unknown, requestId: string, log: Log): Response {
  const error = asUnavailable(thrown)
  if (error instanceof Refusal) return refusalResponse(error)
  log.error('request failed', { request_id: requestId, ...loggable(error) })
  const sentence = `Something failed on the side of the service; quote request ${requestId} when you report it.`
  return Response.json({ error: sentence, code: 'internal' }, { status: 500 })
}

function refusalResponse(refusal: Refusal): Response {
  const headers = new Headers()
  if (refusal.retryAfterSeconds !== undefined) headers.set('Retry-After', String(refusal.retryAfterSeconds))
  if (refusal.code === 'unauthorized') headers.set('WWW-Authenticate', 'Bearer realm="daybook"')
  return Response.json(
    { error: refusal.message, code: refusal.code },
    { status: STATUS_OF[refusal.code], headers },
  )
}

/** What failed and where, without what drizzle puts into its messages: the values that were bound. */
function loggable(error: unknown): { error: string; stack: string } {
  if (!(error instanceof Error)) return { error: typeof error, stack: '' }
  const { message, stack = '' } = error.cause instanceof Error ? error.cause : error
  return { error: message, stack: stack.split('\n').filter(isFrame).join('\n') }
}

const isFrame = (line: string) => /^\s+at /.test(line)
