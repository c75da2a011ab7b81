/** JSON as text, or as its bytes. */
export type JsonBody = string | Uint8Array<ArrayBuffer>

const LONG_TEXT = 65_536

/** JSON text, encoded if it is long: what a worker returns is sent as it is. */
export function encoded(text: string): JsonBody {
  return text.length > LONG_TEXT ? new TextEncoder().encode(text) : text
}

const JSON_HEADERS = { 'Content-Type': 'application/json;charset=utf-8' }

/** A response whose body is JSON already. */
export const jsonResponse = (body: JsonBody, status = 200): Response =>
  new Response(body, { status, headers: JSON_HEADERS })

const streamed = new WeakSet<Response>()

/** Notes that the body of a response is written while it is sent. */
export function markStreamed(response: Response): Response {
  streamed.add(response)
  return response
}

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
  return markStreamed(new Response(stream, { headers: JSON_HEADERS }))
}

/** What a handler returned, as a response: one of its own is sent as it is, anything else as JSON. */
export function responseOf(result: unknown, status: number): Response {
  if (result instanceof Response) return result
  return status === 200 ? Response.json(result) : Response.json(result, { status })
}
