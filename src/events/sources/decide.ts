import { runByLength } from '../../kernel/fair-share.ts'
import { fail, isOfContent, notFound, refused, unavailable } from '../../lib/refusal.ts'
import { definitionOf, findStructureByPk, type StructureRow } from '../../records/structures/store.ts'
import type { Reader } from '../../storage/reader.ts'
import { holdsFor, mappedData } from './map.ts'
import { providerOf } from './providers.ts'
import type { Reading } from './read-call.ts'
import { forwardsIn, mapOf, type SourceRow, whenOf } from './store.ts'

/*
 * Calls are parsed and mapped before their transaction begins, so that a large body delays no other write. The
 * transaction only checks that the source and structure have not changed since the decision.
 */

/** The part of a call's outcome that is known before its transaction. */
export interface Decision {
  readonly externalId: string | null
  readonly event: string | null
  /** The values of the row; undefined when the event creates no row. */
  readonly data: Record<string, unknown> | undefined
  /** The reason for refusing the row. */
  readonly refusal: string | undefined
  /** The pks of the targets that the call is passed on to. */
  readonly targets: readonly number[]
  /** The versions of the source and of its structure. */
  readonly basis: readonly [source: number, structure: number]
}

export const structureOf = (reader: Reader, { workspace, structure }: SourceRow): StructureRow =>
  findStructureByPk(reader, { workspacePk: workspace, rights: undefined }, structure) ??
  fail(notFound('source'))

/** Whether a decision is still valid for the current source and structure. */
export const isCurrent = ({ basis }: Decision, source: SourceRow, structure: StructureRow): boolean =>
  basis[0] === source.updatedAt && basis[1] === structure.updatedAt

const isPing = ({ provider }: SourceRow, { event }: Reading) =>
  event !== null && providerOf(provider).ping === event

/**
 * A call to decide: `size` is the size of its body in bytes, and `read` parses it. `sender` identifies its caller, or
 * its source.
 */
interface Undecided {
  readonly sender: string
  readonly size: number
  readonly read: () => Reading
}

export function decideCall(
  reader: Reader,
  source: SourceRow,
  { sender, size, read }: Undecided,
): Promise<Decision> {
  const structure = structureOf(reader, source)
  return runByLength(sender, size, () => {
    const reading = read()
    return {
      externalId: reading.externalId,
      event: reading.event,
      basis: [source.updatedAt, structure.updatedAt],
      ...rowOf(source, structure, reading),
      targets: targetsOf(source, reading),
    }
  })
}

/** The targets of a verified call: also one that creates no row is passed on. */
function targetsOf(source: SourceRow, { call, event, headers }: Reading): number[] {
  if (source.enabled === 0 || source.forwards === null) return []
  const tested = call ?? { headers, body: undefined, event }
  const targets = forwardsIn(source.forwards)
  return targets.filter(({ when = [] }) => holdsFor(when, tested)).map(({ target }) => target)
}

function rowOf(
  source: SourceRow,
  structure: StructureRow,
  reading: Reading,
): Pick<Decision, 'data' | 'refusal'> {
  const none = { data: undefined, refusal: undefined }
  if (source.enabled === 0 || isPing(source, reading)) return none
  try {
    return { ...none, data: dataFor(source, structure, reading) }
  } catch (error) {
    return { ...none, refusal: rowRefusal(error) }
  }
}

/** The values of the row for a call; undefined when the conditions in `when` do not match. */
function dataFor(source: SourceRow, structure: StructureRow, { call, error }: Reading) {
  if (!call) throw refused(error ?? '')
  if (!holdsFor(whenOf(source), call)) return undefined
  return mappedData(mapOf(source), definitionOf(structure), call)
}

/** The sentence stored with an event whose row is refused; rethrows any other error. */
function rowRefusal(error: unknown): string {
  if (isOfContent(error)) return error.message
  throw error
}

/** More changes than users make while one call is written. */
const MAX_DECISIONS = 5

/**
 * Writes the decision, and decides again when `write` returns undefined because the source changed in between. A
 * refused row is written once more, with the sentence in place of the row.
 */
export async function writeDecided<Result>(
  decide: () => Promise<Decision>,
  write: (decision: Decision) => Result | undefined | Promise<Result | undefined>,
): Promise<Result> {
  for (let left = MAX_DECISIONS; left > 0; left--) {
    const decision = await decide()
    const result = await Promise.try(() => write(decision)).catch((error) =>
      write({ ...decision, data: undefined, refusal: rowRefusal(error) }),
    )
    if (result !== undefined) return result
  }
  throw unavailable('The source is being changed; nothing was kept. Try again.')
}
