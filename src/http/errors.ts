import type { Log } from '../lib/log.ts'
import { Refusal, type RefusalCode } from '../lib/refusal.ts'
import { asUnavailable } from '../storage/errors.ts'
import { errorIn, type RefusedRequest } from './problem.ts'

/** The only mapping of codes to statuses. */
export const STATUS_OF: Readonly<Record<RefusalCode, number>> = {
  invalid_request: 400,
  refused: 400,
  unique_violation: 400,
  max_rows_reached: 400,
  immutable: 400,
  passage_not_found: 400,
  passage_not_unique: 400,
  unauthorized: 401,
  read_only_key: 403,
  session_required: 403,
  sign_in_again: 403,
  owner_required: 403,
  no_access: 403,
  cross_site: 403,
  mirror: 403,
  not_found: 404,
  method_not_allowed: 405,
  name_taken: 409,
  in_use: 409,
  stale: 409,
  cursor_expired: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_encoding: 415,
  bad_host: 421,
  rate_limited: 429,
  uri_too_long: 431,
  unavailable: 503,
}

/** Converts anything thrown into a response; everything except a refusal is logged as a failure of the service. */
export function errorResponse(
  thrown: unknown,
  refused: RefusedRequest & { readonly requestId: string },
  log: Log,
): Response {
  const error = asUnavailable(thrown)
  if (error instanceof Refusal) return refusalResponse(error, refused)
  const { requestId } = refused
  log.error('request failed', { request_id: requestId, ...loggable(error) })
  const sentence = `The service failed; include the request id ${requestId} when you report it.`
  return errorIn(refused, { status: 500, code: 'internal', sentence })
}

/** The refusal for paths without an endpoint. */
export const unknownPath = () =>
  new Refusal('not_found', 'This service has no such path; see /docs for its paths.')

/** The response to a method that a path does not support; `allow` lists the supported ones. */
export function methodNotAllowed(request: Request, allow: string): Response {
  const sentence = `This path does not allow ${request.method}; it allows ${allow}.`
  const response = refusalResponse(new Refusal('method_not_allowed', sentence), { request })
  response.headers.set('Allow', allow)
  return response
}

function refusalResponse(refusal: Refusal, refused: RefusedRequest): Response {
  const headers = new Headers()
  if (refusal.retryAfterSeconds !== undefined) headers.set('Retry-After', String(refusal.retryAfterSeconds))
  if (refusal.code === 'unauthorized') headers.set('WWW-Authenticate', 'Bearer realm="daybook"')
  const { code, message: sentence } = refusal
  return errorIn(refused, { status: STATUS_OF[code], code, sentence, refusals: [refusal], headers })
}

/** The error and its stack. */
function loggable(error: unknown): { error: string; stack: string } {
  if (!(error instanceof Error)) return { error: typeof error, stack: '' }
  const { message, stack = '' } = error
  return { error: message, stack: stack.split('\n').filter(isFrame).join('\n') }
}

const isFrame = (line: string) => /^\s+at /.test(line)
