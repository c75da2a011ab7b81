import type { Operation } from './operations.ts'

const WATCHES = 1_000
const QUERIES = 100
const WRITES = 20

/** Opens the streams, writes rows meanwhile, and closes the streams. Discards the events. */
export const WATCH: Operation = {
  what: '1,000 watches of 100 queries while rows are written',
  run: async ({ world, send, port }) => {
    const sockets = await Promise.all(
      Array.from({ length: WATCHES }, (_, at) => open(port, world.readKey, at)),
    )
    const statuses = new Set<number>()
    for (let at = 0; at < WRITES; at++) {
      const { status } = await send('POST', '/v1/records', { structure: 'entries', data: { amount: at } })
      statuses.add(status)
      await Bun.sleep(100)
    }
    for (const socket of sockets) socket.end()
    return [...statuses]
  },
}

function open(port: number, key: string, at: number) {
  const filter = JSON.stringify([{ field: 'amount', op: 'gt', value: at % QUERIES }])
  const parameters = new URLSearchParams({ structure: 'entries', limit: '500', filter })
  return Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (socket) =>
        void socket.write(
          `GET /v1/records/watch?${parameters} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`,
        ),
      data() {},
    },
  })
}
