/*
 * Readers of watches in a process of its own, on plain sockets, so that they cost little beside the server:
 * `bun watch-readers.ts <port> <streams> <result>`, a JSON array of requests on the first line of standard input,
 * which the streams send in turn. Prints `ready` when each has its first answer; when standard input ends, it writes
 * an array of `{question, n, at}` to the result file: when the last reader of a question had the answer whose first record is number `n`.
 */
import { createInterface } from 'node:readline'

const [portText, streamsText, resultFile = ''] = process.argv.slice(2)
const [port, streams] = [Number(portText), Number(streamsText)]

interface Arrival {
  question: number
  n: number
  /** Milliseconds since 1970. */
  at: number
  readers: number
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const requests = (JSON.parse((await lines.next()).value ?? '[]') as string[]).map((text) => Buffer.from(text))
const readersOf = (question: number) =>
  Math.floor(streams / requests.length) + (question < streams % requests.length ? 1 : 0)

const arrivals = new Map<string, Arrival>()
const NUMBER = Buffer.from('"n":')
const ANSWER = Buffer.from('event: answer')
const now = () => performance.timeOrigin + performance.now()

/** The number of the first record; answers come in one piece, or their beginning does. */
function numberIn(chunk: Buffer): number | undefined {
  const answer = chunk.lastIndexOf(ANSWER)
  const start = answer === -1 ? -1 : chunk.indexOf(NUMBER, answer)
  return start === -1 ? undefined : Number.parseInt(chunk.toString('latin1', start + 4, start + 14), 10)
}

function note(question: number, n: number): void {
  const key = `${question} ${n}`
  const arrival = arrivals.get(key) ?? { question, n, at: 0, readers: 0 }
  arrival.at = now()
  arrival.readers += 1
  arrivals.set(key, arrival)
}

let started = 0
const { promise: allStarted, resolve: whenAllStarted } = Promise.withResolvers<void>()

const open = (question: number) =>
  Bun.connect<{ question: number; hasFirst: boolean }>({
    hostname: '127.0.0.1',
    port,
    data: { question, hasFirst: false },
    socket: {
      open: (socket) => void socket.write(requests[question] ?? ''),
      data(socket, chunk) {
        const n = numberIn(chunk)
        if (n === undefined) return
        if (socket.data.hasFirst) return note(question, n)
        socket.data.hasFirst = true
        started += 1
        if (started === streams) whenAllStarted()
      },
      close: () => process.exit(1),
    },
  })

const AT_ONCE = 100
for (let made = 0; made < streams; made += AT_ONCE) {
  const batch = Array.from(
    { length: Math.min(AT_ONCE, streams - made) },
    (_, at) => (made + at) % requests.length,
  )
  await Promise.all(batch.map(open))
}
await allStarted
process.stdout.write('ready\n')
await lines.next()
const whole = [...arrivals.values()].filter(({ question, readers }) => readers === readersOf(question))
// Into a file: of megabytes in a pipe some are lost when the process ends.
await Bun.write(resultFile, JSON.stringify(whole))
process.exit(0)
