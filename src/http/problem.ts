import { nodeHttp } from '../lib/node-modules.ts'
import { pathOf, pointerTo, type Refusal, type RefusalCode } from '../lib/refusal.ts'
import { JSON_TYPE, responseWithText } from './responses.ts'

/* The formats of errors: `{error, code}`, or problem details (RFC 9457) if the request accepts them, or that of OAuth. */

const PROBLEM = 'application/problem+json'

/** The parts of a refused request that an error refers to. */
export interface RefusedRequest {
  readonly request: Request
  /** The value of its JSON body, if it has one. */
  readonly body?: unknown
  /** The names of the query parameters of its endpoint. */
  readonly parameters?: readonly string[]
}

/** An error response before it is written in one of the two formats. */
export interface ErrorContent {
  readonly status: number
  readonly code: RefusalCode | 'internal'
  readonly sentence: string
  /** One refusal for each cause with a position in the request. */
  readonly refusals?: readonly Refusal[]
  readonly headers?: Headers | Record<string, string>
  /** Additional members of the plain format. */
  readonly more?: object
}

/** Whether `Accept` names problem details; wildcards do not. */
function wantsProblem({ headers }: Request): boolean {
  const ranges = headers.get('accept')?.toLowerCase().split(',') ?? []
  return ranges.some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    return type === PROBLEM && !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter))
  })
}

export function errorIn(refused: RefusedRequest, content: ErrorContent): Response {
  const { status, code, sentence, refusals = [], headers, more } = content
  const respond = (body: object, type: string) => {
    const response = responseWithText(JSON.stringify(body), { status, ...(headers && { headers }) })
    response.headers.set('Content-Type', type)
    return response
  }
  if (isOAuth(refused.request)) return respond(oauthError(code, sentence, refusals), JSON_TYPE)
  if (!wantsProblem(refused.request)) return respond({ error: sentence, code, ...more }, JSON_TYPE)
  const [position] = refusals.flatMap(({ data }) => data.position ?? [])
  const problem = {
    type: 'about:blank',
    title: nodeHttp().STATUS_CODES[status],
    status,
    detail: sentence,
    code,
    ...(position !== undefined && { position }),
    errors: refusals.flatMap((refusal) => causeOf(refusal, refused)),
  }
  return respond(problem, PROBLEM)
}

/** Endpoints of OAuth have the error format of RFC 6749 and 7591. */
const isOAuth = ({ url }: Request): boolean =>
  url.includes('/oauth/') && new URL(url).pathname.startsWith('/oauth/')

const OAUTH_CODES: Partial<Record<ErrorContent['code'], string>> = {
  internal: 'server_error',
  unavailable: 'temporarily_unavailable',
  rate_limited: 'temporarily_unavailable',
  cross_site: 'access_denied',
}

/** The description excludes the characters that RFC 6749 excludes. */
const oauthError = (code: ErrorContent['code'], description: string, [refusal]: readonly Refusal[]) => ({
  error: refusal?.data.oauth ?? OAUTH_CODES[code] ?? 'invalid_request',
  error_description: description.replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, '?'),
})

function causeOf({ message, data }: Refusal, refused: RefusedRequest) {
  const pointer = pointerIn(data, refused)
  if (pointer === undefined) return []
  const { detail = message, position } = data
  return [{ detail, pointer, ...(position !== undefined && { position }) }]
}

/** The pointer as a URI fragment; undefined unless its target was in the request or could have been. */
function pointerIn({ pointer, in: part }: Refusal['data'], { body, parameters = [] }: RefusedRequest) {
  if (pointer === undefined) return undefined
  const path = pathOf(pointer)
  const [first = ''] = path
  if (part !== 'query' && body !== undefined) return hasRoom(body, path) ? fragment(path) : undefined
  return part === 'query' || parameters.includes(first) ? fragment(['query', first]) : undefined
}

/** Whether the path exists, or could exist in its parent. */
function hasRoom(body: unknown, path: readonly string[]): boolean {
  let value = body
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return false
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
  }
  return true
}

/** A pointer as the fragment of a URI. */
const fragment = (path: readonly string[]): string =>
  `#${pointerTo(path)
    .split('/')
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join('/')}`
