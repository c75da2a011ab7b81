/*
 * The baseline for notifying many readers: a bare `Bun.serve` that sends each posted number to all open streams. Like a
 * watch, it first waits for the interval in which changes are merged.
 */
export {}

const MERGE_MS = 250
const encoder = new TextEncoder()
const readers = new Set<ReadableStreamDirectController>()

const event = (n: number) =>
  encoder.encode(`event: answer\ndata: {"records":[{"data":{"n":${n}}}],"total":1,"has_more":false}\n\n`)

function sendEvent(n: number): void {
  const bytes = event(n)
  for (const reader of readers) {
    reader.write(bytes)
    reader.flush()
  }
}

const open = () =>
  new ReadableStream(<object>{
    type: 'direct',
    pull: (reader: ReadableStreamDirectController) => {
      reader.write(event(0))
      reader.flush()
      readers.add(reader)
      return new Promise(() => {})
    },
  })

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: async (request) => {
    if (request.method === 'GET')
      return new Response(open(), { headers: { 'content-type': 'text/event-stream' } })
    const { data } = (await request.json()) as { data: { n: number } }
    setTimeout(() => sendEvent(data.n), MERGE_MS)
    return new Response('{}')
  },
})
process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`)
