/*
 * A load generator, in a separate process and on plain sockets so that it uses little processor time: `bun
 * load-generator.ts <port> <connections> <seconds>`, with the requests as a JSON array on standard input. Each
 * `#########` in a request is replaced with a different number of nine digits each time. Prints `{perSecond, count,
 * median, p99, failed}` (times in milliseconds).
 */
import { timesOf } from '../measure.ts'

const [port, connections, seconds] = process.argv.slice(2).map(Number) as [number, number, number]
const NUMBER = '#########'
const FIRST_NUMBER = 100_000_000 + (Date.now() % 100_000_000)
const requests = ((await Bun.stdin.json()) as string[]).map((text) =>
  text.includes(NUMBER) ? text : Buffer.from(text),
)

interface Connection {
  buffer: Buffer
  sentAt: number
}

const times: number[] = []
let failed = 0
let next = 0
let stopping = false

const HEAD_END = '\r\n\r\n'

/** Returns the length of the first response in the buffer, or undefined while it is incomplete. */
function responseLength(buffer: Buffer): number | undefined {
  const end = buffer.indexOf(HEAD_END)
  if (end === -1) return undefined
  const length = /content-length: (\d+)/i.exec(buffer.toString('latin1', 0, end))?.[1]
  const whole = end + HEAD_END.length + Number(length ?? 0)
  return buffer.length >= whole ? whole : undefined
}

function send(socket: { write(data: Uint8Array | string): number; data: Connection }): void {
  const sent = requests[next++ % requests.length]
  if (!sent) return
  const request = typeof sent === 'string' ? sent.replace(NUMBER, String(FIRST_NUMBER + next)) : sent
  socket.data.sentAt = performance.now()
  socket.write(request)
}

const started = performance.now()
await Promise.all(
  Array.from({ length: connections }, () =>
    Bun.connect<Connection>({
      hostname: '127.0.0.1',
      port,
      data: { buffer: Buffer.alloc(0), sentAt: 0 },
      socket: {
        open: send,
        data(socket, chunk) {
          const { data } = socket
          data.buffer = data.buffer.length === 0 ? chunk : Buffer.concat([data.buffer, chunk])
          const length = responseLength(data.buffer)
          if (length === undefined) return
          times.push(performance.now() - data.sentAt)
          if (data.buffer[9] !== 0x32) failed += 1
          data.buffer = data.buffer.subarray(length)
          if (stopping) socket.end()
          else send(socket)
        },
      },
    }),
  ),
)
await Bun.sleep(seconds * 1000)
stopping = true
const elapsed = (performance.now() - started) / 1000
process.stdout.write(
  JSON.stringify({ perSecond: times.length / elapsed, count: times.length, ...timesOf(times), failed }),
)
process.exit(0)
