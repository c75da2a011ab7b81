import type { InWorkspace } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { parseFilter, type RawCondition } from '../../filter/record/parse.ts'
import { type ListRequest, listRead } from '../query/list.ts'

/** What a client asks to watch. */
export type WatchRequest = Omit<ListRequest, 'offset'> & { changes?: boolean }

/** A question as its room asks it; those that mean the same have the same key. */
export interface Question {
  readonly workspacePk: number
  readonly structureId: string
  /** The structure by its id, which outlives its name. */
  readonly request: ListRequest
  readonly key: string
}

/** Judges the request as the list would, and finds the question in it. */
export function questionOf(
  reader: Reader,
  { workspacePk }: InWorkspace,
  { changes: _, ...request }: WatchRequest,
): Question {
  const { query, direction, page } = listRead.plan(reader, { caller: { workspacePk }, request })
  const structureId = query.structure.id
  const { filter, sort = 'created_at' } = request
  const asked = {
    structure: structureId,
    ...(filter !== undefined && { filter: canonicalFilter(filter) }),
    sort,
    direction,
    limit: page.limit,
  }
  return { workspacePk, structureId, request: asked, key: JSON.stringify([workspacePk, asked]) }
}

/** All conditions must hold, so neither their order nor a repetition means anything; nor does it in a list of values. */
const canonicalFilter = (text: string): string => {
  const conditions = parseFilter(text).map(canonicalCondition)
  return `[${[...new Set(conditions)].sort().join(',')}]`
}

const canonicalCondition = ({ field, op, value }: RawCondition): string =>
  JSON.stringify({ field, op, value: Array.isArray(value) ? canonicalValues(value) : (value ?? undefined) })

const canonicalValues = (values: readonly unknown[]): unknown[] =>
  [...new Set(values.map((value) => JSON.stringify(value)))].sort().map((text) => JSON.parse(text) as unknown)
