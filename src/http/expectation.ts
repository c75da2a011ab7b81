import { readdirSync, writeSync } from 'node:fs'
import { isRead } from './authorizer.ts'
import type { HttpServer } from './exchange.ts'

/*
 * A client that sends `Expect: 100-continue` holds the body back until it gets `100 Continue` or a final response.
 * Bun sends `100 Continue` before it calls the handler, but only for the value in lower case. RFC 9110 (10.1.1)
 * ignores case: Java's own client sends `100-Continue`, and waits without a limit.
 *
 * Bun offers no way to send `100 Continue`, and a final response is a poor replacement: the request fails with Java and
 * curl. Java (17) never returns from a final response with a body, and curl (7.88) does not repeat a request after 417.
 * So the 25 bytes are written to the socket of the connection. getpeername finds it among the open files in 0.2 ms, on
 * Linux and macOS. Nothing else writes there meanwhile: the response to the previous request is complete, and this one
 * has not begun.
 *
 * If the socket is not found (on Windows, or when two clients have the same port), the response is 417 without a body.
 * Every tested client returns it to its caller. The connection closes, because a late body would be read as the next
 * request.
 */

/** The values for which Bun itself sends `100 Continue`, in the first `Expect` of a request. */
const UNDERSTOOD = '100-continue'
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const OPEN_FILES = '/dev/fd'
/** The names of the C library; every system has one of them. */
const C_LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1', 'libSystem.B.dylib']

/**
 * The sizes of IPv4 and IPv6 addresses, both with the port at the same offset; addresses of other sockets are
 * shorter.
 */
const ADDRESS_BYTES = { least: 16, most: 28 }
const PORT_AT = 2

/** Whether the client may be holding back a body because Bun has sent nothing. */
function isWaiting(request: Request): boolean {
  if (isRead(request)) return false
  const { headers } = request
  const expectation = headers.get('expect')
  if (expectation === null || expectation === UNDERSTOOD) return false
  return headers.has('transfer-encoding') || (headers.get('content-length') ?? '0') !== '0'
}

type PortOfPeer = (file: number) => number | undefined

/** Returns a function that finds the remote port of a socket, and undefined for any other file. */
function openPortOfPeer(): PortOfPeer {
  const { dlopen } = process.getBuiltinModule('bun:ffi') as typeof import('bun:ffi')
  const open = (library: string) =>
    dlopen(library, { getpeername: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' } })
  const getpeername = firstThatOpens(C_LIBRARIES, open).symbols.getpeername
  const address = Buffer.alloc(ADDRESS_BYTES.most)
  const length = new Int32Array(1)
  return (file) => {
    length[0] = ADDRESS_BYTES.most
    if (getpeername(file, address, length) !== 0 || length[0] < ADDRESS_BYTES.least) return undefined
    return address.readUInt16BE(PORT_AT)
  }
}

function firstThatOpens<Library>(names: readonly string[], open: (name: string) => Library): Library {
  const [name = '', ...others] = names
  try {
    return open(name)
  } catch (error) {
    if (others.length === 0) throw error
    return firstThatOpens(others, open)
  }
}

/** Sends the `100 Continue` that Bun omits, on the connections of one server. */
export class Expectations {
  /** Opened by the first request that needs it. */
  #portOfPeer: PortOfPeer | undefined

  /**
   * The final response to a request with an expectation that cannot be met; undefined if the request can be served.
   */
  failed(request: Request, server: Pick<HttpServer, 'requestIP'>): Response | undefined {
    if (!isWaiting(request)) return undefined
    const port = server.requestIP(request)?.port
    // Without a port the client has disconnected.
    if (port === undefined || this.#sendContinue(port)) return undefined
    return new Response(null, { status: 417, headers: { Connection: 'close' } })
  }

  /** Writes to the socket of the client with this port; returns whether it was found. */
  #sendContinue(port: number): boolean {
    try {
      const portOfPeer = this.#portOfPeer ?? openPortOfPeer()
      this.#portOfPeer = portOfPeer
      const sockets = readdirSync(OPEN_FILES)
        .map(Number)
        .filter((file) => portOfPeer(file) === port)
      const [socket] = sockets
      return socket !== undefined && sockets.length === 1 && writeSync(socket, CONTINUE) === CONTINUE.length
    } catch {
      return false
    }
  }
}
