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
  | 'rate_limited'
  | 'bad_host'
  | 'uri_too_long'
  | 'cursor_expired'
  | 'unavailable'

/** A rule of the service stopped the call. The message is the sentence that the caller reads. */
export class Refusal extends Error {
  constructor(
    readonly code: RefusalCode,
    sentence: string,
    /** Seconds after which the same call may succeed; becomes `Retry-After`. */
    readonly retryAfterSeconds?: number,
  ) {
    super(sentence)
    this.name = 'Refusal'
  }
}

/** The form of the request is wrong, whatever is in the workspace. */
export const invalid = (sentence: string) => new Refusal('invalid_request', sentence)
/** The form of the request is right, but a rule forbids it. */
export const refused = (sentence: string) => new Refusal('refused', sentence)
/** Another object in the workspace already has the name. */
export const nameTaken = (sentence: string) => new Refusal('name_taken', sentence)
/** The changes after this cursor are not known any more. */
export const cursorExpired = (sentence: string) => new Refusal('cursor_expired', sentence)
/** The service cannot do it now; the same call may succeed later. */
export const unavailable = (sentence: string, retryAfterSeconds?: number) =>
  new Refusal('unavailable', sentence, retryAfterSeconds)

/** The refusal of every request while the server stops. */
export const shuttingDown = () => unavailable('The server is shutting down; nothing was written. Try again.')

/** `what` names the kind of object: "note", "tag", "revision". */
export const notFound = (what: string) =>
  new Refusal('not_found', `There is no such ${what} in this workspace.`)

/** Runs an action on one of several things that were sent; its refusal begins with the place of that one. */
export function namingPlace<Result>(place: string, action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal(error.code, `${place}: ${error.message}`)
  }
}

/** Throws a refusal where a value is expected: `find(…) ?? fail(notFound('note'))`. */
export const fail = (refusal: Refusal): never => {
  throw refusal
}
