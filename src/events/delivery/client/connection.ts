import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { isAddress } from '../../../lib/addresses.ts'
import { nodeNet, nodeTls } from '../../../lib/node-modules.ts'
import { isSuccess, type ReceivedResponse, ResponseParser } from './response-parser.ts'

/** The destination of a connection: a checked address, and the name that its certificate must cover. */
export interface Endpoint {
  readonly address: string
  readonly port: number
  /** The host of the URL; null without TLS. */
  readonly secureAs: string | null
}

/** Requests to endpoints with the same key may share connections. */
export const endpointKey = ({ address, port, secureAs }: Endpoint): string =>
  `${address} ${port} ${secureAs ?? ''}`

export interface Answered {
  readonly status: number
  readonly response: ReceivedResponse
}

export type SendResult =
  | Answered
  /** No status arrived; `isUnanswered` when not a single byte of a response arrived. */
  | { readonly error: Error; readonly isUnanswered: boolean }

/** A request whose response has not been read completely. */
interface PendingRequest {
  readonly parser: ResponseParser
  isUnanswered: boolean
  settle: ((result: SendResult) => void) | undefined
}

const closedEarly = () => Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })
const notHttp = () => Object.assign(new Error('the response is not HTTP/1.1'), { code: 'NOT_HTTP' })

/** An open connection; it carries one request at a time. */
export class Connection {
  #pending: PendingRequest | undefined
  #isClosed = false
  /** Called when the status is known; the rest of the response may not have arrived. */
  onStatus: () => void = () => {}
  /** Called when the status is an error whose explanation has not arrived: `answer` ends the wait for it. */
  onPartialError: () => void = () => {}
  /** Called when a response has been read completely, so that the connection can carry the next request. */
  onFree: () => void = () => {}
  /** Called once, when the connection can no longer be used. */
  onClose: () => void = () => {}

  constructor(private readonly socket: Socket) {
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
    socket.on('end', () => {
      this.#pending?.parser.end()
      this.#fail(closedEarly())
    })
    socket.on('close', () => this.#fail(closedEarly()))
    socket.on('error', (error) => this.#fail(error))
  }

  /** The status of the current request and the response so far, while the rest of an error is awaited. */
  get answered(): Answered | null {
    const { parser, settle } = this.#pending ?? {}
    if (!settle || !parser || parser.status === null) return null
    return { status: parser.status, response: parser.response }
  }

  /** Resolves the current request if its status is known. */
  answer(): void {
    const { answered } = this
    const pending = this.#pending
    if (!answered || !pending) return
    pending.settle?.(answered)
    pending.settle = undefined
  }

  /**
   * Sends the text of a request; never rejects. Resolves as soon as the status is known, or with the rest of the
   * response for an error status.
   */
  send(request: string | Buffer): Promise<SendResult> {
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
    // Unsolicited bytes must not be mistaken for the response to the next request.
    if (!pending) {
      this.destroy()
      return
    }
    const { parser } = pending
    pending.isUnanswered = false
    const isNew = parser.status === null
    parser.feed(bytes)
    if (parser.status !== null && pending.settle) {
      const isPartialError = parser.state === 'more' && !isSuccess(parser.status)
      if (!isPartialError) this.answer()
      else if (isNew) this.onPartialError()
      if (isNew) this.onStatus()
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
    this.answer()
    const pending = this.#pending
    this.#pending = undefined
    this.socket.destroy()
    pending?.settle?.({ error, isUnanswered: pending.isUnanswered })
    this.onClose()
  }
}

/** A connection being opened. */
export interface Connecting {
  readonly done: Promise<Connection>
  /** Abandons the connection; `done` is rejected unless it is already settled. */
  abandon(): void
}

function openSocket({ address, port, secureAs }: Endpoint, trust: SecureContext | undefined): Socket {
  if (secureAs === null) return nodeNet().connect({ host: address, port })
  return nodeTls().connect({
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

/** Sentences about a host for the error codes of the system, of TLS and of `Connection`. */
const ERROR_SENTENCES: readonly (readonly [codes: readonly string[], sentence: (host: string) => string])[] =
  [
    [['ECONNREFUSED'], (host) => `${host} refuses connections.`],
    [
      ['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ETIMEDOUT'],
      (host) => `${host} cannot be reached from here.`,
    ],
    [['ECONNRESET', 'EPIPE'], (host) => `${host} ended the connection without an answer.`],
    [['NOT_HTTP'], (host) => `${host} answered with something that is not HTTP/1.1.`],
    [['ERR_SSL_WRONG_VERSION_NUMBER'], (host) => `${host} does not speak TLS at this port.`],
    [['ERR_TLS_CERT_ALTNAME_INVALID'], (host) => `The certificate of ${host} is for another name.`],
    [['CERT_HAS_EXPIRED'], (host) => `The certificate of ${host} has expired.`],
    [['CERT_NOT_YET_VALID'], (host) => `The certificate of ${host} is not valid yet.`],
    [
      ['DEPTH_ZERO_SELF_SIGNED_CERT'],
      (host) => `The certificate of ${host} is signed by itself, so it is not trusted.`,
    ],
    [
      ['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      (host) => `The certificate of ${host} comes from an authority that is not trusted.`,
    ],
  ]

/** The sentence for a connection error. An unknown error is identified only by its code, never by its message. */
export function connectionError(error: unknown, host: string): string {
  const code = String((error as { code?: unknown } | undefined)?.code ?? 'unknown')
  const [, sentence] = ERROR_SENTENCES.find(([codes]) => codes.includes(code)) ?? []
  return sentence?.(`"${host}"`) ?? `The connection to "${host}" failed (${code}).`
}
