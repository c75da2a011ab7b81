/*
 * A load at a fixed rate, in a separate process and on plain sockets: `bun steady-load.ts <port> <per second>
 * <status>`, with the requests as a JSON array on standard input, each sent once. Prints `{median, p99, longest,
 * failed}` in milliseconds. Times count from when a request was due, so that a slow server does not reduce the load.
 * `failed` counts responses with another status.
 */
import { timesOf } from '../measure.ts'

const CONNECTIONS = 64

const [port, rate, status] = process.argv.slice(2).map(Number) as [number, number, number]
const requests = ((await Bun.stdin.json()) as string[]).map((text) => Buffer.from(text))

interface Connection {
  received: string
  dueAt: number
}

type Socket = Bun.Socket<Connection>

const times: number[] = []
const idle: Socket[] = []
let failed = 0
let sent = 0
const finished = Promise.withResolvers<void>()

/** Whether the text contains a whole response. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  return end !== -1 && text.length >= end + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
}

const started = performance.now()
const dueAt = (number: number) => started + (number * 1_000) / rate

/** Sends the requests that are due, as long as connections are free. */
function sendDue(): void {
  const now = performance.now()
  while (sent < requests.length && dueAt(sent) <= now) {
    const socket = idle.pop()
    if (!socket) return
    socket.data = { received: '', dueAt: dueAt(sent) }
    socket.write(requests[sent++] ?? '')
  }
}

await Promise.all(
  Array.from({ length: CONNECTIONS }, () =>
    Bun.connect<Connection>({
      hostname: '127.0.0.1',
      port,
      data: { received: '', dueAt: 0 },
      socket: {
        open: (socket) => void idle.push(socket),
        data(socket, chunk) {
          const { data } = socket
          data.received += chunk.toString('latin1')
          if (!isWhole(data.received)) return
          times.push(performance.now() - data.dueAt)
          if (Number(data.received.slice(9, 12)) !== status) failed += 1
          idle.push(socket)
          sendDue()
          if (times.length === requests.length) finished.resolve()
        },
      },
    }),
  ),
)
setInterval(sendDue, 1)
await finished.promise
process.stdout.write(JSON.stringify({ ...timesOf(times), longest: Math.max(...times), failed }))
process.exit(0)
