import type { paths } from './api-types.d.ts'
import { type RequestOptions, request, Unreachable } from './request.ts'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

type PathsWith<Verb extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<Verb, object> ? Path : never
}[keyof paths]

type Operation<Path extends keyof paths, Verb extends Method> =
  paths[Path] extends Record<Verb, infer Found> ? Found : never

type Json<Content> = Content extends { content: { 'application/json': infer Value } } ? Value : never

type Success<Found> = Found extends { responses: infer Responses }
  ? {
      [Status in keyof Responses]: Status extends 200 | 201 | 202 ? Json<Responses[Status]> : never
    }[keyof Responses]
  : never

type Parameters<Found, Place extends string> = Found extends { parameters: Record<Place, infer Given> }
  ? Given
  : undefined

/** The parameters and the body of an endpoint. */
export interface Call<Found> {
  readonly params?: Parameters<Found, 'path'>
  readonly query?: Found extends { parameters: { query?: infer Query } } ? Query : undefined
  readonly body?: Found extends { requestBody?: infer Body } ? Json<Body> : undefined
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
  readonly isFresh?: boolean
}

/** The response of an endpoint, by its path and method as the OpenAPI document names them. */
export type Answer<Path extends keyof paths, Verb extends Method> = Success<Operation<Path, Verb>>

function addressOf(path: string, params: object = {}, query: object = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name as keyof typeof params])),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    search.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  const text = search.toString()
  return text === '' ? filled : `${filled}?${text}`
}

/** A key that identifies one call. Unlike `crypto.randomUUID`, it also works on pages without HTTPS. */
export const newCallKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** After this time, an identical call is a new one: a second new note instead of a retry of the first. */
const SAME_WITHIN_MS = 600_000

/** The keys of calls without a response, by their content. */
const unanswered = new Map<string, { readonly key: string; readonly at: number }>()

function keyFor(call: string): string {
  const earlier = unanswered.get(call)
  unanswered.delete(call)
  return earlier && Date.now() - earlier.at < SAME_WITHIN_MS ? earlier.key : newCallKey()
}

/** Sends a POST. A repeated call without a response has the same key, so that the server executes it once. */
async function post<Result>(path: string, { headers, ...options }: RequestOptions): Promise<Result> {
  const call = `${path} ${JSON.stringify(options.body)}`
  const key = keyFor(call)
  try {
    return await request<Result>('POST', path, {
      ...options,
      headers: { 'Idempotency-Key': key, ...headers },
    })
  } catch (error) {
    if (error instanceof Unreachable) unanswered.set(call, { key, at: Date.now() })
    throw error
  }
}

const send = <Result>(verb: Method, path: string, options: RequestOptions): Promise<Result> =>
  verb === 'post' ? post(path, options) : request(verb.toUpperCase(), path, options)

const caller =
  <Verb extends Method>(verb: Verb) =>
  <Path extends PathsWith<Verb>>(
    path: Path,
    { params, query, ...options }: Call<Operation<Path, Verb>> = {},
  ) =>
    send<Answer<Path, Verb>>(verb, addressOf(path, params ?? {}, query ?? {}), options)

/** The endpoints under `/v1`, typed by the OpenAPI document: `api.get('/v1/notes/{id}', { params: { id } })`. */
export const api = {
  get: caller('get'),
  post: caller('post'),
  put: caller('put'),
  patch: caller('patch'),
  delete: caller('delete'),
}
