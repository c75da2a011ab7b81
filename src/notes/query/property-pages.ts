import { type Direction, sqlWay } from '../../db/direction.ts'
import type { ValueKind } from '../../filter/tree/operators.ts'
import type { PageRequest } from '../../http/page.ts'
import { compareCodePoints, fold } from '../../lib/text.ts'
import { complementOf, intersection, isIn, type NoteSet, pksOf, setOf } from './bitset.ts'
import { notesPassing } from './condition-sql.ts'
import type { Evaluation, Matching } from './evaluate.ts'
import { byId, candidatesOf, type Walked, walk } from './filtered-scan.ts'

export interface PropertyOrder {
  readonly by: 'property'
  readonly property: { readonly pk: number; readonly type: ValueKind }
  readonly direction: Direction
}

/** Those that texts are ordered ignoring case: SQLite cannot. */
export const isOrderedByText = ({ property }: PropertyOrder): boolean =>
  property.type === 'text' || property.type === 'select' || property.type === 'json'

/** Notes with a value in the order of the values, then those without one, in both directions (contract, section 10). */
export function pageByProperty(
  evaluation: Evaluation,
  matching: Matching,
  order: PropertyOrder,
  page: PageRequest,
): number[] {
  const candidates = candidatesOf(evaluation, matching)
  const head = isOrderedByText(order)
    ? walkTexts(evaluation, matching, order, candidates, page)
    : walkValues(evaluation, matching, order, candidates, page)
  const limit = page.limit - head.found.length
  if (limit === 0) return head.found
  const offset = Math.max(0, page.offset - head.met)
  const without = notesWithoutValue(evaluation, matching, order, candidates)
  return [...head.found, ...walkById(evaluation, without, order.direction, { limit, offset })]
}

/** `FROM … WHERE …` over the values of the property, of the candidates alone if there are any. */
function valueSource({ property }: PropertyOrder, candidates: string | undefined) {
  const among = candidates === undefined ? '' : ' AND note IN (SELECT value FROM json_each(?))'
  return {
    text: `FROM note_properties WHERE property = ?${among}`,
    values: [property.pk, ...(candidates === undefined ? [] : [candidates])],
  }
}

function walkValues(
  { reader, inOrder, live }: Evaluation,
  { set, total }: Matching,
  order: PropertyOrder,
  candidates: string | undefined,
  page: PageRequest,
): Walked {
  const { text, values } = valueSource(order, candidates)
  const way = sqlWay(order.direction)
  const tie = inOrder ? 'note' : '(SELECT id FROM notes n WHERE n.pk = note)'
  const fetch = (limit: number, offset: number) =>
    reader.sql.column<number>(
      `SELECT note ${text} ORDER BY value ${way}, ${tie} ${way} LIMIT ? OFFSET ?`,
      ...values,
      limit,
      offset,
    )
  return walk(fetch, (pk) => isIn(set, pk), page, candidates === undefined ? live / total : 1)
}

/** Reads every value, as one that differs in case may stand anywhere; notes of one folded value stand together. */
function walkTexts(
  evaluation: Evaluation,
  { set }: Matching,
  order: PropertyOrder,
  candidates: string | undefined,
  page: PageRequest,
): Walked {
  const { text, values } = valueSource(order, candidates)
  const rows = evaluation.reader.sql.rows<[string, number]>(`SELECT value, note ${text}`, ...values)
  const byValue = Map.groupBy(
    rows.filter(([, note]) => isIn(set, note)),
    ([value]) => value,
  )
  const byFold = Map.groupBy(byValue, ([value]) => fold(value))
  const sign = order.direction === 'asc' ? 1 : -1
  const found: number[] = []
  let met = 0
  for (const folded of [...byFold.keys()].sort((left, right) => sign * compareCodePoints(left, right))) {
    const pks = (byFold.get(folded) ?? []).flatMap(([, entries]) => entries.map(([, note]) => note))
    const from = page.offset - met
    if (pks.length > from) {
      const ordered = byId(
        evaluation,
        pks.sort((left, right) => left - right),
        order.direction,
      )
      found.push(...ordered.slice(Math.max(0, from), from + page.limit))
    }
    met += pks.length
    if (found.length >= page.limit || met >= page.offset + page.limit) break
  }
  return { found, met }
}

function notesWithoutValue(
  evaluation: Evaluation,
  { set }: Matching,
  { property }: PropertyOrder,
  candidates: string | undefined,
): NoteSet {
  const pks = notesPassing(
    { ...evaluation, among: candidates },
    { kind: 'value', target: { property: property.pk }, test: { by: 'presence' }, isNegated: false },
  )
  return intersection(set, complementOf(setOf(pks, evaluation.size)))
}

function walkById(
  evaluation: Evaluation,
  set: NoteSet,
  direction: Direction,
  page: PageRequest,
): readonly number[] {
  if (!set.isComplement)
    return byId(evaluation, pksOf(set), direction).slice(page.offset, page.offset + page.limit)
  const text = `SELECT pk FROM notes WHERE workspace = ? ORDER BY ${evaluation.inOrder ? 'pk' : 'id'} ${sqlWay(direction)} LIMIT ? OFFSET ?`
  const fetch = (limit: number, offset: number) =>
    evaluation.reader.sql.column<number>(text, evaluation.workspace, limit, offset)
  return walk(fetch, (pk) => isIn(set, pk), page, 1).found
}
