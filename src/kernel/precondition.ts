import { entityTag, isListed, isTaggedJson, tagOfObject } from '../lib/entity-tags.ts'
import { Refusal, type RefusalCode } from '../lib/refusal.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import type { Caller } from './caller.ts'
import type { Operation, Snapshot } from './operation.ts'

/* The condition of `If-Match`, checked in the transaction of the write. */

type AnyOperation = Operation<unknown, unknown>

/** Refusals that take precedence over a condition that is not met: form, access and existence. */
const EARLIER: ReadonlySet<RefusalCode> = new Set(['invalid_request', 'no_access', 'not_found', 'mirror'])

/**
 * Runs an operation unless its object has a tag that `tags` omits. In this case it is refused with
 * `precondition_failed`, or with the refusal that takes precedence; the thrown error rolls the transaction back.
 */
export function runIfMatch(
  operation: AnyOperation,
  place: Snapshot | Tx,
  caller: Caller,
  input: unknown,
  tags: readonly string[],
): unknown {
  const run = () => operation.run(place as Tx, caller, input)
  if (isMet(operation, place, caller, input, tags)) return run()
  try {
    run()
  } catch (error) {
    if (!(error instanceof Refusal) || EARLIER.has(error.code)) throw error
  }
  throw new Refusal(
    'precondition_failed',
    'The object has changed, so "If-Match" names another state; read it again and send its new "ETag".',
  )
}

function isMet(
  { name, object }: AnyOperation,
  place: Snapshot | Tx,
  caller: Caller,
  input: unknown,
  tags: readonly string[],
): boolean {
  if (!object) throw new Error(`${name} has no object for If-Match`)
  try {
    const output = object.run(place, caller, input as never)
    return isListed(tags.map(tagOfObject), tagOf(output))
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

const tagOf = (output: object | string): string => {
  if (isTaggedJson(output)) return output.tag
  return entityTag(typeof output === 'string' ? output : JSON.stringify(output))
}
