import { signal } from '@preact/signals'

/** The value to blame for a refusal, and its place in the request. */
export interface Fault {
  /** The sentence without the place. */
  readonly detail: string
  /** The names and indexes that lead to it in the body; `query` and the name of a parameter of the query. */
  readonly path: readonly string[]
}

/** The server refused; `message` is its sentence, to be shown as it is where the fault lies. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Seconds after which the same call may succeed. */
    readonly retryAfter: number | undefined,
    readonly fault?: Fault,
  ) {
    super(message)
  }
}

/** A value that was typed and cannot be sent; `message` says what to change. */
export class Unsendable extends Error {
  readonly fault: Fault

  constructor(message: string, path: Fault['path']) {
    super(message)
    this.fault = { detail: message, path }
  }
}

/** The value to blame, if the error names one. */
export const faultIn = (error: unknown): Fault | undefined =>
  error instanceof Refused || error instanceof Unsendable ? error.fault : undefined

/** The server could not be reached, or is stopping: nothing is known about the call. */
export class Unreachable extends Error {}

/** Statuses with which the server, or a proxy before it, puts a call off. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Whether the same call may succeed later without being changed. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof Refused && BUSY.has(error.status))

const RETRY_MS = 2_000

/** How long to wait before the same call is made again, in milliseconds; a second at least. */
export const retryDelayOf = (error: unknown): number =>
  error instanceof Refused && error.retryAfter !== undefined
    ? Math.max(1, error.retryAfter) * 1_000
    : RETRY_MS

/** Whether nobody is signed in any more. */
export const isSignedOut = signal(false)

/** The instant since which the server cannot be reached, if it cannot. */
export const awaySince = signal<number | undefined>(undefined)

/** Has reads answered from what this browser keeps until the server responds again. */
export function setAway(): void {
  if (awaySince.peek() !== undefined) return
  awaySince.value = Date.now()
  setTimeout(askWhetherBack, RETRY_MS)
}

function askWhetherBack(): void {
  if (awaySince.peek() === undefined) return
  const again = () => setTimeout(askWhetherBack, RETRY_MS)
  request('GET', '/app/api/session', { isFresh: true }).then(again, again)
}

/** Whether the server can be reached, and put off calls that are made again by themselves. */
export const isBusy = signal(false)

/** By then the call that is made again is answered. */
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
  /** Whether a read is never answered from what this browser keeps. */
  readonly isFresh?: boolean
}

/** Answers a read from what this browser keeps; undefined where it keeps nothing. */
type Copy = (method: string, path: string, body: unknown) => Promise<object | undefined>

let copy: Copy = () => Promise.resolve(undefined)

/** Has reads answered by the function while the server is away. */
export function answerFrom(kept: Copy): void {
  copy = kept
}

/**
 * Calls an endpoint with the session of this browser; returns the parsed response. Throws `Refused` or `Away`. While the
 * server is away, reads are answered from what this browser keeps.
 */
export async function request<Result>(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Result> {
  const isKept = !options.isFresh && (method === 'GET' || path === '/v1/notes/query')
  const fromCopy = async () => (isKept ? await copy(method, path, options.body) : undefined) as Result
  const known = awaySince.peek() === undefined ? undefined : await fromCopy()
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

/** A 401 there is a wrong password or a used link, and says nothing about the session that there is. */
const BEGINS_SESSION = /^\/app\/api\/(?:session|setup)/

/** The bytes that an endpoint sends. */
export async function fetchBytes(path: string): Promise<Blob> {
  const response = await reach(path, {})
  if (response.ok) return received(response.blob())
  if (response.status === 401) isSignedOut.value = true
  throw await refusalOf(response)
}

const isJson = (body: unknown): boolean => body !== undefined && !(body instanceof Blob)

/** How far the clock of the server is ahead of the browser's, as of the last response. */
let aheadMs = 0

/** The time by the clock of the server, give or take a second. */
export const serverNow = (): number => Date.now() + aheadMs

/** Whether something before the server led elsewhere, where one is to sign in. */
export const isLedAway = signal(false)

/** Errors come as problem details, which say where the fault is. */
export const ACCEPT = 'application/problem+json, */*'

async function reach(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('Accept', ACCEPT)
  const response = await received(fetch(path, { ...init, headers, credentials: 'same-origin' }))
  isLedAway.value = response.redirected
  if (response.redirected) throw away()
  awaySince.value = undefined
  const sentAt = Date.parse(response.headers.get('date') ?? '')
  if (!Number.isNaN(sentAt)) aheadMs = sentAt - Date.now()
  return response
}

/** What the server sends; a connection that fails, also in the middle of a response, says nothing about the call. */
async function received<Sent>(sending: Promise<Sent>): Promise<Sent> {
  try {
    return await sending
  } catch (error) {
    // What is no JSON is not of the server.
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
    throw away()
  }
}

function away(): Unreachable {
  setAway()
  return new Unreachable('The server cannot be reached; try again when it is back.')
}

interface Problem {
  readonly detail?: string
  /** In place of `detail` from servers before problem details, to which a tab may come back. */
  readonly error?: string
  readonly code?: string
  readonly errors?: readonly { readonly detail: string; readonly pointer: string }[]
}

/** The names of a JSON pointer that is the fragment of a URI. */
const pathOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))

/** The refusal in a response other than 2xx. */
export async function refusalOf(response: Response): Promise<Error> {
  const problem = (await response.json().catch(() => ({}))) as Problem
  const { code = '', errors = [] } = problem
  const sentence =
    problem.detail ?? problem.error ?? `The server answered with status ${response.status}; try again.`
  const [first] = errors
  const fault = first && { detail: first.detail, path: pathOf(first.pointer) }
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10)
  return new Refused(response.status, code, sentence, Number.isNaN(seconds) ? undefined : seconds, fault)
}
