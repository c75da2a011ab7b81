/** Every `code` an error body can carry. */
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
  | 'unavailable'

/** The finding of a rule, where programs treat it differently from others with the same code. */
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

/** The part of a refusal that programs read. Plain values: a refusal crosses threads. */
export interface RefusalData {
  /** JSON pointer to the value to blame: into the body or, of a request that has none, into the query. */
  readonly pointer?: string
  /** Set where the value is in the query of a request that may have a body, too. */
  readonly in?: 'query'
  /** The keys of the fields of a structure that are to blame. */
  readonly fields?: readonly string[]
  readonly reason?: RefusalReason
  /** The sentence without the place that `namingPlace` begins it with. */
  readonly detail?: string
  /** Where in the text to blame the fault is, counted in characters from 0. */
  readonly position?: number
  /** Seconds after which the same call may succeed; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number
}

const NO_DATA: RefusalData = Object.freeze({})

/** A rule of the service stopped the call. The message is the sentence that people read; programs read the data. */
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

/** The form of the request is wrong, whatever is in the workspace. */
export const invalid = (sentence: string, data?: RefusalData) =>
  new Refusal('invalid_request', sentence, data)
/** The form of the request is right, but a rule forbids it. */
export const refused = (sentence: string, data?: RefusalData) => new Refusal('refused', sentence, data)
/** A name that nobody could see; `what` begins the sentence. */
export const invisibleName = (what: string, data?: RefusalData) =>
  refused(`${what} needs at least one visible character.`, data)
/** Another object in the workspace already has the name. */
export const nameTaken = (sentence: string, data?: RefusalData) => new Refusal('name_taken', sentence, data)
/** The changes after this cursor are not known any more. */
export const cursorExpired = (sentence: string) => new Refusal('cursor_expired', sentence)
/** The service cannot do it now; the same call may succeed later. */
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

/** The pointer to a place as sentences write it: `rows[2].data` is `/rows/2/data`. */
const pointerToPlace = (place: string): string => pointerTo(place.match(/[^.[\]]+/g) ?? [])

/**
 * The data of a refusal of the value at a place: `refused(sentence, atPlace('sort.property'))`. Names that a caller chose follow
 * by themselves, because they may hold any character.
 */
export const atPlace = (place: string, ...names: readonly (string | number)[]): RefusalData => ({
  pointer: pointerToPlace(place) + pointerTo(names),
})

/** The data of a refusal of values of fields: wherever rows are sent, their values are members of `data`. */
export const atFields = (...keys: readonly string[]): RefusalData => ({
  pointer: pointerTo(['data', ...keys.slice(0, 1)]),
  fields: keys,
})

/** Runs an action on the value at a place of what was sent; a refusal points at that value, or at what is to blame in it. */
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

/** Runs an action on one of several things that were sent; its refusal also begins with `name`. */
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

/** The codes by which what was sent is refused, as against who sent it, where to, or when. */
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

/** Throws a refusal where a value is expected: `find(…) ?? fail(notFound('note'))`. */
export const fail = (refusal: Refusal): never => {
  throw refusal
}
