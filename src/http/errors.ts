import { ValidationError } from 'elysia'
import { asUnavailable } from '../db/errors.ts'
import type { Log } from '../lib/log.ts'
import { Refusal, type RefusalCode } from '../refusal.ts'

/** The one table from rules to statuses (contract, section 1). */
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
  not_found: 404,
  method_not_allowed: 405,
  name_taken: 409,
  in_use: 409,
  stale: 409,
  too_large: 413,
  rate_limited: 429,
  uri_too_long: 431,
  unavailable: 503,
}

/** Turns whatever was thrown into an answer of exactly `{error, code}`; what is not a rule is logged as ours. */
export function errorResponse(thrown: unknown, requestId: string, log: Log): Response {
  const error = asUnavailable(thrown)
  if (error instanceof Refusal) return refusalResponse(error)
  log.error('request failed', { request_id: requestId, ...loggable(error) })
  const sentence = `Something failed on the side of the service; quote request ${requestId} when you report it.`
  return Response.json({ error: sentence, code: 'internal' }, { status: 500 })
}

function refusalResponse(refusal: Refusal): Response {
  const headers = new Headers()
  if (refusal.retryAfterSeconds !== undefined) headers.set('Retry-After', String(refusal.retryAfterSeconds))
  if (refusal.code === 'unauthorized') headers.set('WWW-Authenticate', 'Bearer realm="daybook"')
  return Response.json(
    { error: refusal.message, code: refusal.code },
    { status: STATUS_OF[refusal.code], headers },
  )
}

/** What failed and where, without what Elysia and drizzle put into their messages: bodies and bound values. */
function loggable(error: unknown): { error: string; stack: string } {
  if (error instanceof ValidationError)
    return { error: `an answer breaks its schema: ${error.type}`, stack: '' }
  if (!(error instanceof Error)) return { error: typeof error, stack: '' }
  const { message, stack = '' } = error.cause instanceof Error ? error.cause : error
  return { error: message, stack: stack.split('\n').filter(isFrame).join('\n') }
}

const isFrame = (line: string) => /^\s+at /.test(line)
