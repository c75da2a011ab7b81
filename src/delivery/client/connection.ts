import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectSecure, type SecureContext } from 'node:tls'
import { isAddress } from './address-ranges.ts'
import { ResponseParser } from './response-parser.ts'

/** Where a connection goes: to a checked address, and under which name it must prove itself there. */
export interface Endpoint {
  readonly address: string
  readonly port: number
  /** The host of the URL when the connection is secure. */
  readonly secureAs: string | null
}

export const endpointKey = ({ address, port, secureAs }: Endpoint): string =>
  `${address} ${port} ${secureAs ?? ''}`

/** What came of sending one request. */
export type Reply =
  | { readonly status: number }
  /** No status came; `isUntouched` when not one byte of an answer came either. */
  | { readonly error: Error; readonly isUntouched: boolean }

interface RequestContext {
  readonly reader: ResponseParser
  isUntouched: boolean
  settle: ((reply: Reply) => void) | undefined
}

const closedEarly = () => Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })
const noHttp = () => Object.assign(new Error('the answer is not HTTP/1.1'), { code: 'NOT_HTTP' })

/** An open connection; it carries one exchange at a time. */
export class Connection {
  #exchange: RequestContext | undefined
  #isOver = false
  /** Called when a status has come, while the rest of the answer may still be on its way. */
  onStatus: () => void = () => {}
  /** Called once an answer has been read to its end, when the connection is free for the next exchange. */
  onFree: () => void = () => {}
  /** Called once when the connection is of no more use. */
  onOver: () => void = () => {}

  constructor(private readonly socket: Socket) {
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
    socket.on('end', () => this.#fail(closedEarly()))
    socket.on('close', () => this.#fail(closedEarly()))
    socket.on('error', (error) => this.#fail(error))
  }

  /** Sends the request and answers as soon as the status is known. */
  requestContext(request: string): Promise<Reply> {
    return new Promise((settle) => {
      if (this.#isOver) {
        settle({ error: closedEarly(), isUntouched: true })
        return
      }
      this.#exchange = { reader: new ResponseParser(), isUntouched: true, settle }
      this.socket.write(request)
    })
  }

  destroy(): void {
    this.#fail(closedEarly())
  }

  #read(bytes: Buffer): void {
    const requestContext = this.#exchange
    // Nobody asked: whatever this is, it must not be taken for the answer to the next request.
    if (!requestContext) {
      this.destroy()
      return
    }
    const { reader } = requestContext
    requestContext.isUntouched = false
    reader.feed(bytes)
    if (reader.status !== null && requestContext.settle) {
      requestContext.settle({ status: reader.status })
      requestContext.settle = undefined
      this.onStatus()
    }
    if (reader.state === 'spoiled') this.#fail(noHttp())
    else if (reader.state === 'complete') this.#endExchange()
  }

  /** An answer that came before all of the request was sent leaves the connection in no state to go on. */
  #endExchange(): void {
    this.#exchange = undefined
    if (this.socket.writableLength > 0) this.destroy()
    else this.onFree()
  }

  #fail(error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    const requestContext = this.#exchange
    this.#exchange = undefined
    this.socket.destroy()
    requestContext?.settle?.({ error, isUntouched: requestContext.isUntouched })
    this.onOver()
  }
}

/** A connection on its way. */
export interface Connecting {
  readonly done: Promise<Connection>
  /** Gives up; `done` is then rejected. */
  abandon(): void
}

function openSocket({ address, port, secureAs }: Endpoint, trust: SecureContext | undefined): Socket {
  if (secureAs === null) return connectPlain({ host: address, port })
  return connectSecure({
    host: address,
    port,
    secureContext: trust,
    ALPNProtocols: ['http/1.1'],
    // A name goes into the handshake and is what the certificate must be for; an address only the latter.
    ...(!isAddress(secureAs) && { servername: secureAs }),
  })
}

/**
 * Connects to exactly this address: nothing is resolved and no proxy of the environment is asked. A secure
 * connection is done only when the certificate is trusted and belongs to the host; an error tells why not.
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
