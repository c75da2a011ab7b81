import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import type { Certificate } from './certificates.ts'

/** One request as received, byte for byte in `body`. */
export interface Received {
  method: string
  path: string
  /** Keyed by lower-case name. */
  headers: Record<string, string>
  body: string
  /** The number of the connection, counted from 1. */
  connection: number
}

/** Writes any response to the bare connection, or none. */
export type Answer = (received: Received, socket: Socket) => void

/** Responds with a status and a short body. */
export const status =
  (code: number, body = 'ok', headers = ''): Answer =>
  (_received, socket) => {
    socket.write(`HTTP/1.1 ${code} Whatever\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`)
  }

/** A real server on the loopback interface that records its requests. */
export interface Receiver {
  readonly port: number
  readonly received: Received[]
  /** The number of connections accepted so far, and of those still open. */
  readonly connections: { accepted: number; open: number }
  /** The current response, initially 200. */
  answer: Answer
  /** Settles when this many requests have arrived. */
  until(count: number): Promise<void>
  disconnect(): void
  close(): Promise<void>
}

export interface ReceiverOptions {
  answer?: Answer
  /** Serves https with this certificate. */
  certificate?: Certificate
  /**
   * Receives each connection before anything is read from it. If it takes the connection over, the receiver reads
   * nothing.
   */
  takeOver?: (socket: Socket) => boolean
}

const HEAD_END = '\r\n\r\n'

function parseHead(head: string, connection: number): Received {
  const [first = '', ...lines] = head.split('\r\n')
  const [method = '', path = ''] = first.split(' ')
  const pairs = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { method, path, headers: Object.fromEntries(pairs), body: '', connection }
}

/** Calls back for each complete request of a connection. */
function readRequests(socket: Socket, connection: number, onRequest: (received: Received) => void): void {
  let bytes = Buffer.alloc(0)
  socket.on('data', (more: Buffer) => {
    bytes = Buffer.concat([bytes, more])
    for (;;) {
      const end = bytes.indexOf(HEAD_END)
      if (end === -1) return
      const request = parseHead(bytes.toString('latin1', 0, end), connection)
      const bodyStart = end + HEAD_END.length
      const bodyEnd = bodyStart + Number(request.headers['content-length'] ?? 0)
      if (bytes.length < bodyEnd) return
      request.body = bytes.toString('utf8', bodyStart, bodyEnd)
      bytes = bytes.subarray(bodyEnd)
      onRequest(request)
    }
  })
}

function listen(server: Server, host: string): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}

export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const sockets = new Set<Socket>()
  const connections = { accepted: 0, open: 0 }
  let wake = Promise.withResolvers<void>()
  const accept = (socket: Socket) => {
    const number = ++connections.accepted
    connections.open += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      connections.open -= 1
      sockets.delete(socket)
    })
    if (options.takeOver?.(socket)) return
    readRequests(socket, number, (received) => {
      receiver.received.push(received)
      receiver.answer(received, socket)
      wake.resolve()
      wake = Promise.withResolvers()
    })
  }
  const { certificate } = options
  const server = certificate ? createSecureServer({ ...certificate }, accept) : createServer(accept)
  server.on('tlsClientError', () => {})
  const receiver: Receiver = {
    port: await listen(server, '127.0.0.1'),
    received: [],
    connections,
    answer: options.answer ?? status(200),
    until: async (count) => {
      while (receiver.received.length < count) await wake.promise
    },
    disconnect: () => {
      for (const socket of sockets) socket.destroy()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
  return receiver
}
