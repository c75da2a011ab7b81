/** Every `code` of an error body. */
export type RefusalCode =
  | 'invalid_request'
  | 'refused'
  | 'unique_violation'
  | 'max_rows_reached'
  | 'immutable'
  | 'passage_not_found'
  | 'passage_not_unique'
  | 'unauthorized'
  | 'read_only_key'
  | 'session_required'
  | 'sign_in_again'
  | 'owner_required'
  | 'no_access'
  | 'cross_site'
  | 'mirror'
  | 'not_found'
  | 'method_not_allowed'
  | 'name_taken'
  | 'in_use'
  | 'stale'
  | 'too_large'
  | 'unsupported_encoding'
  | 'rate_limited'
  | 'bad_host'
  | 'uri_too_long'
  | 'cursor_expired'
  | 'precondition_failed'
  | 'unavailable'

/** The violated rule, where programs must distinguish it from others with the same code. */
export type RefusalReason =
  | 'unknown_name'
  | 'missing'
  | 'not_json'
  | 'key_reused'
  | 'locked'
  | 'dropped'
  | 'full'
  | 'failing'
  | 'damaged'
  | 'unusable'

/** The machine-readable part of a refusal. Plain values, because refusals cross threads. */
export interface RefusalData {
  /** JSON pointer to the refused value: into the body or, for a request without one, into the query. */
  readonly pointer?: string
  /** Set if the value is in the query of a request that may also have a body. */
  readonly in?: 'query'
  /** The keys of the refused fields of a structure. */
  readonly fields?: readonly string[]
  readonly reason?: RefusalReason
  /** The sentence without the location that `namingPlace` prepends. */
  readonly detail?: string
  /** The position of the error in the refused text, in characters from 0. */
  readonly position?: number
  /** The error code of OAuth, for endpoints of that protocol. */
  readonly oauth?: string
  /** Seconds after which the same call may succeed; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number
}

const NO_DATA: RefusalData = Object.freeze({})

/** A rule of the service stopped the call. The message is for people; programs read the data. */
export class Refusal extends Error {
  readonly data: RefusalData

  constructor(
    readonly code: RefusalCode,
    sentence: string,
    data: RefusalData = NO_DATA,
  ) {
    super(sentence)
    this.name = 'Refusal'
    this.data = Object.freeze(data)
  }

  get retryAfterSeconds(): number | undefined {
    return this.data.retryAfterSeconds
  }
}

/** The request is malformed, independent of the content of the workspace. */
export const invalid = (sentence: string, data?: RefusalData) =>
  new Refusal('invalid_request', sentence, data)
/** The request is well-formed, but a rule forbids it. */
export const refused = (sentence: string, data?: RefusalData) => new Refusal('refused', sentence, data)
/** A name without visible characters; `what` begins the sentence. */
export const invisibleName = (what: string, data?: RefusalData) =>
  refused(`${what} needs at least one visible character.`, data)
/** Another object in the workspace already has the name. */
export const nameTaken = (sentence: string, data?: RefusalData) => new Refusal('name_taken', sentence, data)
/** The changes after this cursor are no longer stored. */
export const cursorExpired = (sentence: string) => new Refusal('cursor_expired', sentence)
/** The service cannot serve the call now; the same call may succeed later. */
export const unavailable = (sentence: string, data?: RefusalData) =>
  new Refusal('unavailable', sentence, data)

/** The refusal of every request while the server stops. */
export const shuttingDown = () => unavailable('The server is shutting down; nothing was written. Try again.')

/** `what` names the kind of object: "note", "tag", "revision". */
export const notFound = (what: string) =>
  new Refusal('not_found', `There is no such ${what} in this workspace.`)

/** A JSON pointer (RFC 6901). */
export const pointerTo = (path: readonly (string | number)[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The names and indexes of a JSON pointer. */
export const pathOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The JSON pointer for a location in sentence notation: `/rows/2/data` for `rows[2].data`. */
const pointerToPlace = (place: string): string => pointerTo(place.match(/[^.[\]]+/g) ?? [])

/**
 * The data of a refusal of the value at a location: `refused(sentence, atPlace('sort.property'))`. Names chosen by
 * callers are separate arguments, because they may contain any character.
 */
export const atPlace = (place: string, ...names: readonly (string | number)[]): RefusalData => ({
  pointer: pointerToPlace(place) + pointerTo(names),
})

/** The data of a refusal of field values; wherever rows are sent, these are members of `data`. */
export const atFields = (...keys: readonly string[]): RefusalData => ({
  pointer: pointerTo(['data', ...keys.slice(0, 1)]),
  fields: keys,
})

/**
 * Runs an action on the value at a location of the request. Its refusals point to that value, or to a value inside
 * it.
 */
export const within = <Result>(place: string, action: () => Result): Result =>
  placing(place, undefined, action)

/** Refuses the names that no URL can hold: clients and servers resolve these segments of a path. */
export function refuseDotName(name: string, what: 'tag' | 'preset' | 'structure'): void {
  if (name === '.' || name === '..')
    throw refused(
      `A ${what} cannot be named "${name}", because no URL can address it; choose another name.`,
      atPlace('name'),
    )
}

/** Runs an action on one of several items of the request; its refusals also begin with `name`. */
export const namingPlace = <Result>(name: string, place: string, action: () => Result): Result =>
  placing(place, name, action)

function placing<Result>(place: string, name: string | undefined, action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message, data } = error
    const pointer = pointerToPlace(place) + (data.pointer ?? '')
    if (name === undefined) throw new Refusal(code, message, { ...data, pointer })
    throw new Refusal(code, `${name}: ${message}`, { ...data, pointer, detail: data.detail ?? message })
  }
}

/** The codes of refusals that depend on the content of a request, not on its caller, target or time. */
const OF_CONTENT: ReadonlySet<RefusalCode> = new Set([
  'invalid_request',
  'refused',
  'unique_violation',
  'max_rows_reached',
  'immutable',
  'passage_not_found',
  'passage_not_unique',
])

/** Whether the same call could succeed with other content. */
export const isOfContent = (error: unknown): error is Refusal =>
  error instanceof Refusal && OF_CONTENT.has(error.code)

/** Throws a refusal in place of a value: `find(…) ?? fail(notFound('note'))`. */
export const fail = (refusal: Refusal): never => {
  throw refusal
}
