/*
 * Receivers of webhooks over https, or over http without a certificate, in a separate process: `bun
 * webhook-receivers.ts`, with the line `{cert?, key?, live, dead}` on standard input. Prints the ports `{live, dead,
 * control}`; dead receivers never respond. `GET` on the control port, over http, returns the arrivals since the last
 * call as `[receiver, n, at]`: the number in the record, and milliseconds since 1970.
 */
import { createInterface } from 'node:readline'

const [line] = (await Array.fromAsync(createInterface({ input: process.stdin }))) as [string]
const { cert, key, live, dead } = JSON.parse(line)

let arrivals: [receiver: number, n: number, at: number][] = []
const now = () => performance.timeOrigin + performance.now()
const common = { port: 0, hostname: '127.0.0.1', ...(cert && { tls: { cert, key } }) } as const

const numbered = (count: number) => Array.from({ length: count }, (_, number) => number)

const answering = numbered(live).map((receiver) =>
  Bun.serve({
    ...common,
    fetch: async (request) => {
      const at = now()
      const { record } = (await request.json()) as { record: { data: { n: number } } }
      arrivals.push([receiver, record.data.n, at])
      return new Response('ok')
    },
  }),
)
const silent = numbered(dead).map(() =>
  Bun.serve({ ...common, idleTimeout: 0, fetch: () => new Promise<Response>(() => {}) }),
)
const control = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => {
    const answer = Response.json(arrivals)
    arrivals = []
    return answer
  },
})

const portsOf = (servers: { port?: number | undefined }[]) => servers.map(({ port }) => port)
process.stdout.write(
  `${JSON.stringify({ live: portsOf(answering), dead: portsOf(silent), control: control.port })}\n`,
)
