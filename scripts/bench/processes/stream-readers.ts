/*
 * Readers of streams, in a separate process and on plain sockets so that they use little processor time: `bun
 * stream-readers.ts <port> <streams> <result> <event>`. The first line of standard input is a JSON array of requests,
 * which the streams use in rotation. Prints `ready` when each stream has received its first event. When standard input
 * ends, it writes an array of `{query, n, at}` to the result file. `at` is when the last reader of a query received the
 * event whose first record is number `n`.
 */
import { createInterface } from 'node:readline'

const [portText, streamsText, resultFile = '', eventName] = process.argv.slice(2)
const [port, streams] = [Number(portText), Number(streamsText)]

interface Arrival {
  query: number
  n: number
  /** Milliseconds since 1970. */
  at: number
  readers: number
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const requests = (JSON.parse((await lines.next()).value ?? '[]') as string[]).map((text) => Buffer.from(text))
const readersOf = (query: number) =>
  Math.floor(streams / requests.length) + (query < streams % requests.length ? 1 : 0)

const arrivals = new Map<string, Arrival>()
const NUMBER = Buffer.from('"n":')
const EVENT = Buffer.from(`event: ${eventName}`)
const now = () => performance.timeOrigin + performance.now()

/** Returns the number of the first record. The beginning of an event always arrives in one chunk. */
function recordNumberIn(chunk: Buffer): number | undefined {
  const event = chunk.lastIndexOf(EVENT)
  const start = event === -1 ? -1 : chunk.indexOf(NUMBER, event)
  return start === -1 ? undefined : Number.parseInt(chunk.toString('latin1', start + 4, start + 14), 10)
}

function note(query: number, n: number): void {
  const key = `${query} ${n}`
  const arrival = arrivals.get(key) ?? { query, n, at: 0, readers: 0 }
  arrival.at = now()
  arrival.readers += 1
  arrivals.set(key, arrival)
}

let started = 0
const { promise: allStarted, resolve: whenAllStarted } = Promise.withResolvers<void>()

const open = (query: number) =>
  Bun.connect<{ query: number; hasFirst: boolean }>({
    hostname: '127.0.0.1',
    port,
    data: { query, hasFirst: false },
    socket: {
      open: (socket) => void socket.write(requests[query] ?? ''),
      data(socket, chunk) {
        const n = recordNumberIn(chunk)
        if (n === undefined) return
        if (socket.data.hasFirst) return note(query, n)
        socket.data.hasFirst = true
        started += 1
        if (started === streams) whenAllStarted()
      },
      close: () => process.exit(1),
    },
  })

const CONCURRENCY = 100
for (let made = 0; made < streams; made += CONCURRENCY) {
  const batch = Array.from(
    { length: Math.min(CONCURRENCY, streams - made) },
    (_, at) => (made + at) % requests.length,
  )
  await Promise.all(batch.map(open))
}
await allStarted
process.stdout.write('ready\n')
await lines.next()
const whole = [...arrivals.values()].filter(({ query, readers }) => readers === readersOf(query))
// Written to a file, because a pipe loses unread data when the process exits.
await Bun.write(resultFile, JSON.stringify(whole))
process.exit(0)
