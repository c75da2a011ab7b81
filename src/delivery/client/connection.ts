import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectSecure, type SecureContext } from 'node:tls'
import type { Clock } from '../../lib/clock.ts'
import { isAddress } from './address-ranges.ts'
import { ResponseParser } from './response-parser.ts'

/** Where a connection goes: a checked address, and the name that its certificate must be for. */
export interface Endpoint {
  readonly address: string
  readonly port: number
  /** The host of the URL; null without TLS. */
  readonly secureAs: string | null
}

export const endpointKey = ({ address, port, secureAs }: Endpoint): string =>
  `${address} ${port} ${secureAs ?? ''}`

/** The result of one request. */
export type Reply =
  | { readonly status: number }
  /** There is no status; `isUnanswered` when not one byte of a response arrived. */
  | { readonly error: Error; readonly isUnanswered: boolean }

/** A request whose response has not been read to its end. */
interface PendingRequest {
  readonly parser: ResponseParser
  isUnanswered: boolean
  settle: ((reply: Reply) => void) | undefined
}

const closedEarly = () => Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })
const notHttp = () => Object.assign(new Error('the response is not HTTP/1.1'), { code: 'NOT_HTTP' })

/** An open connection; it carries one request at a time. */
export class Connection {
  #pending: PendingRequest | undefined
  #isClosed = false
  /** Called when the status is known; the rest of the response may not have arrived. */
  onStatus: () => void = () => {}
  /** Called when a response has been read to its end, so that the connection can carry the next request. */
  onFree: () => void = () => {}
  /** Called once, when the connection can no longer be used. */
  onClose: () => void = () => {}

  constructor(private readonly socket: Socket) {
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
    socket.on('end', () => this.#fail(closedEarly()))
    socket.on('close', () => this.#fail(closedEarly()))
    socket.on('error', (error) => this.#fail(error))
  }

  /** Sends the text of a request; resolves as soon as the status is known, and never rejects. */
  send(request: string): Promise<Reply> {
    return new Promise((settle) => {
      if (this.#isClosed) {
        settle({ error: closedEarly(), isUnanswered: true })
        return
      }
      this.#pending = { parser: new ResponseParser(), isUnanswered: true, settle }
      this.socket.write(request)
    })
  }

  destroy(): void {
    this.#fail(closedEarly())
  }

  #read(bytes: Buffer): void {
    const pending = this.#pending
    // Bytes that no request asked for must not be taken for the response to the next one.
    if (!pending) {
      this.destroy()
      return
    }
    const { parser } = pending
    pending.isUnanswered = false
    parser.feed(bytes)
    if (parser.status !== null && pending.settle) {
      pending.settle({ status: parser.status })
      pending.settle = undefined
      this.onStatus()
    }
    if (parser.state === 'unusable') this.#fail(notHttp())
    else if (parser.state === 'complete') this.#endRequest()
  }

  /** A connection whose response arrived before the whole request was sent cannot be used again. */
  #endRequest(): void {
    this.#pending = undefined
    if (this.socket.writableLength > 0) this.destroy()
    else this.onFree()
  }

  #fail(error: Error): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const pending = this.#pending
    this.#pending = undefined
    this.socket.destroy()
    pending?.settle?.({ error, isUnanswered: pending.isUnanswered })
    this.onClose()
  }
}

/** A connection that is being opened. */
export interface Connecting {
  readonly done: Promise<Connection>
  /** Gives up; `done` is rejected unless it is settled already. */
  abandon(): void
}

function openSocket({ address, port, secureAs }: Endpoint, trust: SecureContext | undefined): Socket {
  if (secureAs === null) return connectPlain({ host: address, port })
  return connectSecure({
    host: address,
    port,
    secureContext: trust,
    ALPNProtocols: ['http/1.1'],
    // The certificate must be for the name or address; only a name is sent in the handshake.
    ...(!isAddress(secureAs) && { servername: secureAs }),
  })
}

/**
 * Connects to exactly this address, without name resolution or a proxy from the environment. With TLS, `done` is
 * rejected unless the certificate is trusted and belongs to the host.
 */
export function openConnection(endpoint: Endpoint, trust: SecureContext | undefined): Connecting {
  const socket = openSocket(endpoint, trust)
  const { promise, resolve, reject } = Promise.withResolvers<Connection>()
  const fail = (error: Error) => {
    socket.destroy()
    reject(error)
  }
  const close = () => fail(closedEarly())
  socket.on('error', fail).on('close', close)
  socket.once(endpoint.secureAs === null ? 'connect' : 'secureConnect', () => {
    const connection = new Connection(socket)
    socket.off('error', fail).off('close', close)
    resolve(connection)
  })
  return { done: promise, abandon: close }
}

const quoted = (host: string) => `"${host}"`

/** What the error codes of the system, of TLS and of `Connection` mean. */
const ERROR_SENTENCES: Record<string, (host: string) => string> = {
  ECONNREFUSED: (host) => `${quoted(host)} refuses connections.`,
  EHOSTUNREACH: (host) => `${quoted(host)} cannot be reached from here.`,
  ENETUNREACH: (host) => `${quoted(host)} cannot be reached from here.`,
  EADDRNOTAVAIL: (host) => `${quoted(host)} cannot be reached from here.`,
  ETIMEDOUT: (host) => `${quoted(host)} cannot be reached from here.`,
  ECONNRESET: (host) => `${quoted(host)} ended the connection without an answer.`,
  EPIPE: (host) => `${quoted(host)} ended the connection without an answer.`,
  NOT_HTTP: (host) => `${quoted(host)} answered with something that is not HTTP/1.1.`,
  ERR_SSL_WRONG_VERSION_NUMBER: (host) => `${quoted(host)} does not speak TLS at this port.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `The certificate of ${quoted(host)} is for another name.`,
  CERT_HAS_EXPIRED: (host) => `The certificate of ${quoted(host)} has expired.`,
  CERT_NOT_YET_VALID: (host) => `The certificate of ${quoted(host)} is not valid yet.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (host) =>
    `The certificate of ${quoted(host)} is signed by itself, so it is not trusted.`,
  SELF_SIGNED_CERT_IN_CHAIN: (host) =>
    `The certificate of ${quoted(host)} comes from an authority that is not trusted.`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (host) =>
    `The certificate of ${quoted(host)} comes from an authority that is not trusted.`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (host) =>
    `The certificate of ${quoted(host)} comes from an authority that is not trusted.`,
}

/** The sentence for an error of a connection. An unknown error is named only by its code, never by its message. */
export function connectionError(error: unknown, host: string): string {
  const code = String((error as { code?: unknown } | undefined)?.code ?? 'unknown')
  return ERROR_SENTENCES[code]?.(host) ?? `The connection to ${quoted(host)} failed (${code}).`
}

/** Less than the 5 seconds after which many servers close an idle connection. */
const IDLE_MS = 4_000
const MAX_FREE = 64

interface PooledConnection {
  readonly key: string
  readonly connection: Connection
  /** Cancels closing it for being idle. */
  cancelClose: () => void
}

/** Every open connection; free ones are used again for requests to the same endpoint. */
export class ConnectionPool {
  readonly #members = new Set<PooledConnection>()
  /** Oldest first. */
  readonly #free = new Set<PooledConnection>()

  constructor(private readonly clock: Clock) {}

  get open(): number {
    return this.#members.size
  }

  get free(): number {
    return this.#free.size
  }

  /** Adds a connection that is in use. It is closed 4 seconds after each status unless it is used again by then. */
  add(key: string, connection: Connection): void {
    const member: PooledConnection = { key, connection, cancelClose: () => {} }
    this.#members.add(member)
    connection.onStatus = () => {
      member.cancelClose = this.clock.after(IDLE_MS, () => connection.destroy())
    }
    connection.onFree = () => {
      this.#free.add(member)
      if (this.#free.size > MAX_FREE) [...this.#free][0]?.connection.destroy()
    }
    connection.onClose = () => {
      member.cancelClose()
      this.#free.delete(member)
      this.#members.delete(member)
    }
  }

  /** A free connection to one of these endpoints, given by `endpointKey`. */
  take(keys: readonly string[]): Connection | undefined {
    for (const member of this.#free) {
      if (!keys.includes(member.key)) continue
      member.cancelClose()
      this.#free.delete(member)
      return member.connection
    }
    return undefined
  }

  close(): void {
    for (const { connection } of [...this.#members]) connection.destroy()
  }
}
