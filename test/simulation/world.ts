import { createHash, type Hash } from 'node:crypto'
import { Random } from '../../scripts/lib/random.ts'
import { type FailurePoint, watchFailurePoints } from '../../src/lib/failure-points.ts'
import { startService } from '../support/service.ts'
import { Platform } from './platform.ts'
import { Receivers } from './receivers.ts'
import { type ServerEnd, SimulatedServer } from './server.ts'

/* The world around one server: the network to it, its power, and everything that happened, as a trace. */

/** Thrown where the service breaks a promise. */
export class Violation extends Error {}

export interface Sent {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Undefined for the key of the owner; null for none. */
  readonly key?: string | null
}

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a body is checked by what an actor expects of it
  readonly body: any
  readonly text: string
}

/** The end of the server when it reaches a failure point for the n-th time from now. */
export interface Crash {
  readonly point: FailurePoint
  readonly how: Exclude<ServerEnd, 'stopped'>
  count: number
}

/** The share of responses that are lost on their way. */
const LOST = 0.04
/** The share of repeatable requests that the network delivers twice. */
const DOUBLED = 0.05
/** The epoch at the beginning of a cursor. */
const EPOCH = /(?<![\w-])[0-9a-f]{12}(?=-[0-9a-z]{1,8}(?![\w-]))/g
const SUPERVISED_MS = 1_000
/** Between two attempts of a client. */
const RETRY_MS = 300
/** A server that has answered nothing for so long, in attempts, never will. */
const MAX_ATTEMPTS = 400

export class World {
  readonly platform: Platform
  /** Random numbers of the network, the disk and the receivers. */
  readonly random: Random
  readonly receivers: Receivers
  readonly logged: string[] = []
  readonly trace: string[] = []
  key = ''
  /** The number of requests in progress. */
  inFlight = 0
  #server: SimulatedServer | undefined
  #cut = Promise.withResolvers<void>()
  #requests = 0
  #servers = 0
  readonly #epochs = new Map<string, number>()
  readonly #pushKeys = new Map<string, number>()
  /** The failure points at which the server ended. */
  readonly crashedAt = new Set<FailurePoint>()
  #crash: Crash | undefined
  readonly #digest: Hash = createHash('sha256')

  constructor(
    readonly seed: number,
    private readonly folder: string,
  ) {
    this.platform = new Platform(seed)
    this.random = new Random(seed ^ 0x5bd1e995)
    this.receivers = new Receivers(this)
  }

  get server(): SimulatedServer | undefined {
    return this.#server
  }

  get isUp(): boolean {
    const server = this.#server
    return server !== undefined && server.lost === undefined && !server.process.isCut
  }

  /** The SHA-256 of the trace so far. */
  get digest(): string {
    return this.#digest.copy().digest('hex')
  }

  note(text: string): void {
    const line = `${this.platform.elapsedMs.toFixed(3)} ${this.#withoutEpochs(text)}`
    this.#digest.update(`${line}\n`)
    this.trace.push(line)
  }

  /** SQLite draws the epochs of the change log from random numbers of its own, so they are numbered in a trace. */
  #withoutEpochs(text: string): string {
    return text.replaceAll(EPOCH, (epoch) => {
      const number = this.#epochs.get(epoch) ?? this.#epochs.size + 1
      this.#epochs.set(epoch, number)
      return `epoch${number}`
    })
  }

  async start(file?: string): Promise<void> {
    const { platform, random, folder } = this
    this.#cut = Promise.withResolvers<void>()
    this.#servers += 1
    const server = await SimulatedServer.start(
      {
        name: `server ${this.#servers}`,
        platform,
        random,
        folder,
        send: (process, request) => this.receivers.receive(process, request),
        log: (lines) => void this.logged.push(lines),
      },
      file,
    )
    this.#server = server
    this.key = server.firstKey ?? this.key
    this.note(`${server.process.name} serves`)
    void server.hasLost.then(() =>
      this.platform.schedule(undefined, SUPERVISED_MS, () => this.#replace(server)),
    )
  }

  /** Watches the failure points of the server, and connects other processes to it; returns a function that ends both. */
  watch(): () => void {
    const { fetch } = globalThis
    globalThis.fetch = this.fetch as typeof fetch
    watchFailurePoints((point) => this.#reach(point))
    return () => {
      globalThis.fetch = fetch
      watchFailurePoints(undefined)
    }
  }

  crashAt(crash: Crash): void {
    this.#crash = crash
  }

  #reach(point: FailurePoint): void {
    const { owner } = this.platform
    const crash = this.#crash
    if (!this.isUp || crash?.point !== point) return
    if (owner !== undefined && owner !== this.#server?.process) return
    crash.count -= 1
    if (crash.count > 0) return
    this.#crash = undefined
    this.crashedAt.add(point)
    this.note(`the server ends at the point "${point}"`)
    this.#server?.cutOff(crash.how)
    this.platform.schedule(undefined, 0, () => void this.restart(crash.how, 500))
  }

  /** A server that lost its disk ends by itself, and its supervisor starts it again. */
  #replace(server: SimulatedServer): void {
    if (this.#server === server) void this.restart(this.random.pick(['killed', 'power lost']), SUPERVISED_MS)
  }

  /** Ends the server, and starts the next one on its files after some time. */
  async restart(how: ServerEnd, downMs: number): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = undefined
    this.note(`${server.process.name} ends: ${how}`)
    if (how !== 'stopped') this.#cut.resolve()
    const { file, lost } = await server.end(how)
    this.#cut.resolve()
    if (lost !== '') this.note(lost)
    await this.platform.sleep(downMs)
    await this.start(file)
  }

  /** Stops the server for good. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    await server?.end('stopped')
  }

  /** Closes what a failed run left open. */
  abandon(): void {
    this.#server?.abandon()
  }

  /**
   * Sends a request over a network that delays it. Returns undefined if its response was lost, or if the server ended
   * first; the server has then stopped working on it.
   */
  async call(sent: Sent): Promise<Reply | undefined> {
    this.#requests += 1
    const number = this.#requests
    this.inFlight += 1
    try {
      const text = sent.body === undefined ? '' : ` ${JSON.stringify(sent.body)}`
      this.note(`#${number} ${sent.method} ${sent.path}${text}`)
      const reply = await this.#exchange(sent)
      this.note(`#${number} ${reply ? `${reply.status} ${JSON.stringify(reply.body)}` : 'no response'}`)
      if (reply?.status === 500) throw new Violation(`${sent.method} ${sent.path} is answered 500`)
      return reply
    } finally {
      this.inFlight -= 1
    }
  }

  /** Repeats a request with one Idempotency-Key until its response arrives. */
  async callUntilAnswered(sent: Sent, idempotencyKey?: string): Promise<Reply> {
    const headers = { ...sent.headers, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const reply = await this.call({ ...sent, headers })
      if (reply && reply.status !== 503) return reply
      await this.platform.sleep(RETRY_MS * (1 + this.random.next()))
    }
    throw new Violation(`${sent.method} ${sent.path} is never answered`)
  }

  /** A network may deliver a request twice; both have been answered when this returns. */
  async #exchange(sent: Sent): Promise<Reply | undefined> {
    if (!isRepeatable(sent) || !this.random.chance(DOUBLED)) return this.#send(sent)
    const replies = await Promise.all([this.#send(sent), this.#send(sent)])
    return this.random.pick(replies)
  }

  async #send(sent: Sent): Promise<Reply | undefined> {
    await this.platform.sleep(this.random.next() * 4)
    const server = this.#server
    if (!server) return undefined
    const { process } = server
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>()
    void this.#cut.promise.then(() => resolve(undefined))
    this.platform.schedule(process, 0, () => {
      // A response that breaks off is a lost one.
      const answered = this.#answer(server, sent).catch(() => undefined)
      void answered.then((reply) => {
        if (process.isCut) return
        const isLost = this.random.chance(LOST)
        this.platform.schedule(undefined, this.random.next() * 4, () => resolve(isLost ? undefined : reply))
      })
    })
    return promise
  }

  /**
   * The `fetch` of the other processes of the world, which reaches this server whatever the address is. A lost response
   * fails as a broken connection does.
   */
  readonly fetch = async (target: string, init: RequestInit = {}): Promise<Response> => {
    const { owner } = this.platform
    const { method = 'GET', body, signal } = init
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    signal?.throwIfAborted()
    signal?.addEventListener('abort', () => reject(signal.reason))
    const { pathname, search } = new URL(target)
    const headers = this.#sentHeaders(init.headers)
    const sent = { method, path: `${pathname}${search}`, body, headers, key: null } as Sent
    this.note(`${owner?.name} ${method} ${sent.path}`)
    void this.#exchange(sent).then((reply) =>
      this.platform.schedule(owner, 0, () => {
        this.note(`${owner?.name} ${reply?.status ?? 'no response'}`)
        if (reply) resolve(responseOf(reply))
        else reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
      }),
    )
    return promise
  }

  /**
   * Asks for no compressed response. The keys of pushes follow from epochs, and their order decides which pages of the
   * database are written, so they are numbered.
   */
  #sentHeaders(headers: RequestInit['headers']): Record<string, string> {
    const { 'accept-encoding': _, ...sent } = Object.fromEntries(new Headers(headers))
    const { 'idempotency-key': key } = sent
    if (key === undefined) return sent
    const number = this.#pushKeys.get(key) ?? this.#pushKeys.size + 1
    this.#pushKeys.set(key, number)
    return { ...sent, 'idempotency-key': `push ${number}` }
  }

  async #answer({ app }: SimulatedServer, { method, path, body, headers, key }: Sent): Promise<Reply> {
    if (path === API_DOCUMENT) return { status: 200, body: undefined, text: apiDocument }
    const authorization = key === null ? undefined : `Bearer ${key ?? this.key}`
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { ...headers, ...(authorization && { authorization }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const response = await app.fetch(request)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : text, text }
  }
}

const API_DOCUMENT = '/openapi.json'
let apiDocument = ''

/** Reads the description of the API, which mirrors ask for. Every server would take long to generate it. */
export async function preloadApiDocument(): Promise<void> {
  if (apiDocument !== '') return
  const service = await startService()
  apiDocument = await (await service.app.fetch(new Request(`http://localhost${API_DOCUMENT}`))).text()
  service.close()
}

/** A repetition of these requests has no effect. */
const isRepeatable = ({ path, headers = {} }: Sent): boolean =>
  'idempotency-key' in headers || path.startsWith('/in/')

/** Its body arrives at once, without work of the runtime. */
function responseOf({ status, text }: Reply): Response {
  const start = (controller: ReadableStreamDefaultController) => {
    controller.enqueue(new TextEncoder().encode(text))
    controller.close()
  }
  return new Response(new ReadableStream({ start }), { status })
}
