import { signal } from '@preact/signals'

/** The invalid value that caused an error, and its place in the request. */
export interface Fault {
  /** The message without the place. */
  readonly detail: string
  /** The keys and indexes of the value in the body, or `query` and the name of a query parameter. */
  readonly path: readonly string[]
}

/** The server rejected the request; `message` is its explanation, shown unchanged next to the invalid value. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Seconds after which a retry may succeed. */
    readonly retryAfter: number | undefined,
    readonly fault?: Fault,
  ) {
    super(message)
  }
}

/** An invalid input that was not sent; `message` says what to change. */
export class Unsendable extends Error {
  readonly fault: Fault

  constructor(message: string, path: Fault['path']) {
    super(message)
    this.fault = { detail: message, path }
  }
}

/** The invalid value, if the error names one. */
export const faultIn = (error: unknown): Fault | undefined =>
  error instanceof Refused || error instanceof Unsendable ? error.fault : undefined

/** The server could not be reached or is stopping, so it is unknown whether the request was executed. */
export class Unreachable extends Error {}

/** Statuses with which the server, or a proxy in front of it, asks for a retry. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Whether the same request may succeed later. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof Refused && BUSY.has(error.status))

const RETRY_MS = 2_000

/** The delay before a retry in milliseconds, at least a second. */
export const retryDelayOf = (error: unknown): number =>
  error instanceof Refused && error.retryAfter !== undefined
    ? Math.max(1, error.retryAfter) * 1_000
    : RETRY_MS

/** Whether the session has ended. */
export const isSignedOut = signal(false)

/** The instant since which the server cannot be reached; undefined if it can. */
export const unreachableSince = signal<number | undefined>(undefined)

/** Answers reads from the offline copy until the server responds again. */
export function setUnreachable(): void {
  if (unreachableSince.peek() !== undefined) return
  unreachableSince.value = Date.now()
  setTimeout(pollServer, RETRY_MS)
}

function pollServer(): void {
  if (unreachableSince.peek() === undefined) return
  const again = () => setTimeout(pollServer, RETRY_MS)
  request('GET', '/app/api/session', { isFresh: true }).then(again, again)
}

/** Whether the server is reachable but busy, so that requests are retried automatically. */
export const isBusy = signal(false)

/** Long enough for the response to a retry. */
const GRACE_MS = 1_000
let busyTimer: ReturnType<typeof setTimeout> | undefined

function showBusy(ms: number): void {
  isBusy.value = true
  clearTimeout(busyTimer)
  busyTimer = setTimeout(() => {
    isBusy.value = false
  }, ms + GRACE_MS)
}

export interface RequestOptions {
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
  /** Whether the read must not be answered from the offline copy. */
  readonly isFresh?: boolean
}

/** Answers a read from the offline copy; undefined if there is none. */
type Copy = (method: string, path: string, body: unknown) => Promise<object | undefined>

let copy: Copy = () => Promise.resolve(undefined)

/** Sets the function that answers reads while the server cannot be reached. */
export function answerFrom(kept: Copy): void {
  copy = kept
}

/**
 * Calls an endpoint with the session of this browser and returns the parsed response. Throws `Refused` or `Unreachable`.
 * While the server cannot be reached, reads are answered from the offline copy.
 */
export async function request<Result>(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Result> {
  const isKept = !options.isFresh && (method === 'GET' || path === '/v1/notes/query')
  const fromCopy = async () => (isKept ? await copy(method, path, options.body) : undefined) as Result
  const known = unreachableSince.peek() === undefined ? undefined : await fromCopy()
  if (known) return known
  try {
    return await call<Result>(method, path, options)
  } catch (error) {
    const kept = error instanceof Unreachable ? await fromCopy() : undefined
    if (kept) return kept
    throw error
  }
}

async function call<Result>(
  method: string,
  path: string,
  { body, headers = {}, signal }: RequestOptions,
): Promise<Result> {
  const response = await reach(path, {
    method,
    headers: { ...(isJson(body) && { 'Content-Type': 'application/json' }), ...headers },
    body: body === undefined ? null : isJson(body) ? JSON.stringify(body) : (body as Blob),
    signal: signal ?? null,
  })
  if (response.ok) return (await received(response.json())) as Result
  if (response.status === 401 && !(method === 'POST' && BEGINS_SESSION.test(path))) isSignedOut.value = true
  const refusal = await refusalOf(response)
  if (method !== 'POST' && isRetryable(refusal)) showBusy(retryDelayOf(refusal))
  throw refusal
}

/** A 401 from these endpoints means a wrong password or a used link, not that the session has ended. */
const BEGINS_SESSION = /^\/app\/api\/(?:session|setup)/

/** The bytes of a response. */
export async function fetchBytes(path: string): Promise<Blob> {
  const response = await reach(path, {})
  if (response.ok) return received(response.blob())
  if (response.status === 401) isSignedOut.value = true
  throw await refusalOf(response)
}

const isJson = (body: unknown): boolean => body !== undefined && !(body instanceof Blob)

/** The offset of the server's clock from the browser's, from the last response. */
let aheadMs = 0

/** The time of the server's clock, accurate to about a second. */
export const serverNow = (): number => Date.now() + aheadMs

/** Whether a proxy in front of the server redirected to its own sign-in page. */
export const isProxyRedirect = signal(false)

/** Requests errors as problem details, which name the invalid value. */
export const ACCEPT = 'application/problem+json, */*'

async function reach(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('Accept', ACCEPT)
  const response = await received(fetch(path, { ...init, headers, credentials: 'same-origin' }))
  isProxyRedirect.value = response.redirected
  if (response.redirected) throw unreachable()
  unreachableSince.value = undefined
  const sentAt = Date.parse(response.headers.get('date') ?? '')
  if (!Number.isNaN(sentAt)) aheadMs = sentAt - Date.now()
  return response
}

/** The response of the server. A failed connection, even during the response, becomes `Unreachable`. */
async function received<Sent>(sending: Promise<Sent>): Promise<Sent> {
  try {
    return await sending
  } catch (error) {
    // A response that is not JSON does not come from the server.
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
    throw unreachable()
  }
}

function unreachable(): Unreachable {
  setUnreachable()
  return new Unreachable('The server cannot be reached. Try again later.')
}

interface Problem {
  readonly detail?: string
  /** The predecessor of `detail`, from older servers that an open tab may meet. */
  readonly error?: string
  readonly code?: string
  readonly errors?: readonly { readonly detail: string; readonly pointer: string }[]
}

/** The keys of a JSON pointer in URI fragment notation. */
const pathOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))

/** The error in a response other than 2xx. */
export async function refusalOf(response: Response): Promise<Error> {
  const problem = (await response.json().catch(() => ({}))) as Problem
  const { code = '', errors = [] } = problem
  const sentence =
    problem.detail ?? problem.error ?? `The server returned status ${response.status}. Try again.`
  const [first] = errors
  const fault = first && { detail: first.detail, path: pathOf(first.pointer) }
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10)
  return new Refused(response.status, code, sentence, Number.isNaN(seconds) ? undefined : seconds, fault)
}
