import type { ValueKind } from '../../filter/operators.ts'
import { type Page, type PageRequest, presentPage } from '../../lib/pagination.ts'
import { scanOf } from '../../lib/scan.ts'
import { compareCodePoints, fold } from '../../lib/text.ts'
import type { Phrase } from '../../lib/words.ts'
import { noteSnippet } from '../../search/note-snippet.ts'
import type { Reader } from '../../storage/reader.ts'
import { type Direction, sqlDirection } from '../../storage/sql.ts'
import { EXCERPT_SOURCE, excerptOf } from '../excerpt.ts'
import {
  aliasesOf,
  loadBeginnings,
  loadNoteHeads,
  loadNotes,
  type NoteRow,
  presentEdited,
  presentNote,
  presentNoteHead,
  tagNamesOf,
} from '../store.ts'
import { type Bitset, bitsetOf, complementOf, intersection, isIn, pksOf } from './bitset.ts'
import { FIELD_INDEXES, notesPassing } from './conditions.ts'
import type { Evaluation, Matching } from './evaluate.ts'

/*
 * Lists, searches, tree queries and views return a page of notes with at most 8 MiB of text. The thread that reads the
 * notes also builds the JSON.
 */

/**
 * A page ends before the note that would exceed this limit; it always contains its first note. Omitted bodies do not
 * count, unless a search makes snippets of them.
 */
const MAX_PAGE_TEXT_BYTES = 8 * 1024 * 1024

export interface ShownParts {
  /** Whether to include bodies; by default true. */
  readonly content?: boolean | undefined
  readonly excerpt?: boolean | undefined
}

export interface NotePage {
  readonly page: PageRequest
  readonly shown: ShownParts
  /** Whether the notes are sorted by their last edit, and include it. */
  readonly isByEdit: boolean
  /** For a search: each note gets a snippet. */
  readonly phrases?: readonly Phrase[] | undefined
  find(): Page<number>
}

/** The response `{notes, total, has_more}`. */
export function notePageJson(reader: Reader, { find, page, ...wanted }: NotePage): string {
  const { items, total } = find()
  const notes = presentedNotes(reader, items, wanted)
  return JSON.stringify({ notes, ...presentPage(page, { items: notes, total }) })
}

type Presentation = Pick<NotePage, 'shown' | 'isByEdit' | 'phrases'>

/** The notes of a page; fewer if their texts are very long. */
export function presentedNotes(reader: Reader, items: readonly number[], wanted: Presentation): object[] {
  if (items.length === 0) return []
  const { shown, phrases } = wanted
  return presented(reader, fitting(reader, items, shown.content !== false || phrases !== undefined), wanted)
}

function presented(
  reader: Reader,
  pks: readonly number[],
  { shown: { content = true, excerpt = false }, isByEdit, phrases }: Presentation,
): object[] {
  const present = content ? presentNote : presentNoteHead
  const rows = content || phrases ? loadNotes(reader, pks) : loadNoteHeads(reader, pks)
  if (!isByEdit && !excerpt && !phrases) return (rows as NoteRow[]).map(present)
  const beginnings = excerpt ? loadBeginnings(reader, pks, EXCERPT_SOURCE) : []
  return (rows as NoteRow[]).map((row, at) => ({
    ...present(row),
    ...(isByEdit && presentEdited(row)),
    ...(excerpt && { excerpt: excerptOf(beginnings[at] ?? '') }),
    ...(phrases && {
      snippet: noteSnippet(row.content, [row.title, ...aliasesOf(row), ...tagNamesOf(row)], phrases),
    }),
  }))
}

/** The assumed length of one tag of a note, in bytes, in the total of a page's texts. */
const BYTES_PER_TAG = 80

const TAG_BYTES = `${BYTES_PER_TAG} * (SELECT count(*) FROM note_tags nt WHERE nt.note = page.value)`
/** Reads no text: SQLite takes the length of a body from its header. */
const BODY_BYTES = '(SELECT octet_length(content) FROM note_bodies b WHERE b.note = page.value)'
const lengthsOf = (bytes: string) => `SELECT ${bytes} FROM json_each(?) AS page ORDER BY page.key`
const HEAD_LENGTHS = lengthsOf(TAG_BYTES)
const LENGTHS = lengthsOf(`${BODY_BYTES} + ${TAG_BYTES}`)

/** The page without the notes that exceed its limit. */
function fitting(reader: Reader, items: readonly number[], readsBodies: boolean): readonly number[] {
  const lengths = reader.sql.column<number>(readsBodies ? LENGTHS : HEAD_LENGTHS, JSON.stringify(items))
  let bytes = 0
  for (const [at, length] of lengths.entries()) {
    if (at > 0 && bytes + length > MAX_PAGE_TEXT_BYTES) return items.slice(0, at)
    bytes += length
  }
  return items
}

/* Finds which matching notes are on a page, in an order. */

interface FieldOrder {
  readonly by: keyof typeof FIELD_INDEXES
  readonly direction: Direction
}

interface PropertyOrder {
  readonly by: 'property'
  readonly property: { readonly pk: number; readonly type: ValueKind }
  readonly direction: Direction
}

/** Whether the order ignores case. SQLite cannot do this for all of Unicode. */
const isOrderedByText = ({ property }: PropertyOrder): boolean =>
  property.type === 'text' || property.type === 'select' || property.type === 'json'

/** The order of matching notes; equal notes are ordered by id in the same direction. */
export type MatchOrder = FieldOrder | PropertyOrder

export const NEWEST_FIRST: MatchOrder = { by: 'updated_at', direction: 'desc' }

/** The pks of one page of the matching notes. */
export function matchingPage(
  evaluation: Evaluation,
  matching: Matching,
  order: MatchOrder,
  page: PageRequest,
): number[] {
  if (page.offset >= matching.total) return []
  return order.by === 'property'
    ? pageByProperty(evaluation, matching, order, page)
    : pageByField(evaluation, matching, order, page)
}

/** Few notes are fetched and sorted; many are found by a scan of the index in the requested order. */
function pageByField(
  evaluation: Evaluation,
  matching: Matching,
  { by, direction }: FieldOrder,
  page: PageRequest,
): number[] {
  const { sql } = evaluation.reader
  const { column, index } = FIELD_INDEXES[by]
  const way = sqlDirection(direction)
  const order = `ORDER BY ${column} ${way}, id ${way} LIMIT ? OFFSET ?`
  const candidates = candidatesOf(evaluation, matching)
  if (candidates !== undefined)
    return sql.column(
      `SELECT pk FROM notes NOT INDEXED WHERE pk IN (SELECT value FROM json_each(?)) ${order}`,
      candidates,
      page.limit,
      page.offset,
    )
  const active = `SELECT pk FROM notes INDEXED BY ${index}
    WHERE ${scanOf('pk').text} AND workspace = ? AND deleted_at IS NULL ${order}`
  const fetch = (limit: number, offset: number) =>
    sql.column<number>(active, evaluation.workspace, limit, offset)
  if (matching.total === evaluation.live) return fetch(page.limit, page.offset)
  return filteredScan(fetch, (pk) => isIn(matching.set, pk), page, evaluation.live / matching.total).found
}

/** Notes with a value in value order, then those without a value, in both directions. */
function pageByProperty(
  evaluation: Evaluation,
  matching: Matching,
  order: PropertyOrder,
  page: PageRequest,
): number[] {
  const candidates = candidatesOf(evaluation, matching)
  const withValue = isOrderedByText(order)
    ? scanTexts(evaluation, matching, order, candidates, page)
    : scanValues(evaluation, matching, order, candidates, page)
  const limit = page.limit - withValue.found.length
  if (limit === 0) return withValue.found
  const offset = Math.max(0, page.offset - withValue.passed)
  const without = notesWithoutValue(evaluation, matching, order, candidates)
  return [...withValue.found, ...pageById(evaluation, without, order.direction, { limit, offset })]
}

/** `FROM … WHERE …` over the values of the property; with `candidates`, limited to these notes. */
function valueSource({ property }: PropertyOrder, candidates: string | undefined) {
  const among = candidates === undefined ? '' : ' AND note IN (SELECT value FROM json_each(?))'
  return {
    text: `FROM note_properties WHERE ${scanOf('note').text} AND property = ?${among}`,
    values: [property.pk, ...(candidates === undefined ? [] : [candidates])],
  }
}

function scanValues(
  { reader, inOrder, live }: Evaluation,
  { set, total }: Matching,
  order: PropertyOrder,
  candidates: string | undefined,
  page: PageRequest,
): ScanResult {
  const { text, values } = valueSource(order, candidates)
  const way = sqlDirection(order.direction)
  const tie = inOrder ? 'note' : '(SELECT id FROM notes n WHERE n.pk = note)'
  const fetch = (limit: number, offset: number) =>
    reader.sql.column<number>(
      `SELECT note ${text} ORDER BY value ${way}, ${tie} ${way} LIMIT ? OFFSET ?`,
      ...values,
      limit,
      offset,
    )
  return filteredScan(fetch, (pk) => isIn(set, pk), page, candidates === undefined ? live / total : 1)
}

/**
 * Reads every value and groups them by folded value, because values that differ only in case are far apart in the
 * index.
 */
function scanTexts(
  evaluation: Evaluation,
  { set }: Matching,
  order: PropertyOrder,
  candidates: string | undefined,
  page: PageRequest,
): ScanResult {
  const { text, values } = valueSource(order, candidates)
  const rows = evaluation.reader.sql.rows<[string, number]>(`SELECT value, note ${text}`, ...values)
  const byValue = Map.groupBy(
    rows.filter(([, note]) => isIn(set, note)),
    ([value]) => value,
  )
  const byFold = Map.groupBy(byValue, ([value]) => fold(value))
  const sign = order.direction === 'asc' ? 1 : -1
  const found: number[] = []
  let passed = 0
  for (const folded of [...byFold.keys()].sort((left, right) => sign * compareCodePoints(left, right))) {
    const pks = (byFold.get(folded) ?? []).flatMap(([, entries]) => entries.map(([, note]) => note))
    const from = page.offset - passed
    if (pks.length > from) {
      const ordered = byId(
        evaluation,
        pks.sort((left, right) => left - right),
        order.direction,
      )
      found.push(...ordered.slice(Math.max(0, from), from + page.limit))
    }
    passed += pks.length
    if (found.length >= page.limit || passed >= page.offset + page.limit) break
  }
  return { found, passed }
}

function notesWithoutValue(
  evaluation: Evaluation,
  { set }: Matching,
  { property }: PropertyOrder,
  candidates: string | undefined,
): Bitset {
  const pks = notesPassing(
    { ...evaluation, among: candidates },
    { kind: 'value', target: { property: property.pk }, test: { by: 'presence' }, isNegated: false },
  )
  return intersection(set, complementOf(bitsetOf(pks, evaluation.size)))
}

function pageById(
  evaluation: Evaluation,
  set: Bitset,
  direction: Direction,
  page: PageRequest,
): readonly number[] {
  if (!set.isComplement)
    return byId(evaluation, pksOf(set), direction).slice(page.offset, page.offset + page.limit)
  const stop = scanOf('pk').text
  const text = `SELECT pk FROM notes WHERE ${stop} AND workspace = ? ORDER BY ${evaluation.inOrder ? 'pk' : 'id'} ${sqlDirection(direction)} LIMIT ? OFFSET ?`
  const fetch = (limit: number, offset: number) =>
    evaluation.reader.sql.column<number>(text, evaluation.workspace, limit, offset)
  return filteredScan(fetch, (pk) => isIn(set, pk), page, 1).found
}

/** The matching notes as a JSON array, if they are few enough to sort. */
const candidatesOf = ({ candidateLimit }: Evaluation, { set, total }: Matching): string | undefined =>
  !set.isComplement && total <= candidateLimit ? JSON.stringify(pksOf(set)) : undefined

interface ScanResult {
  readonly found: number[]
  /** The number of notes that passed the filter, including those before the page; the total if the page is not full. */
  readonly passed: number
}

const MIN_STEP = 200

/**
 * Scans notes in order and returns a page of those that pass the filter. `sparsity` estimates the number of scanned
 * notes per passing note. Steps grow, so a wrong estimate costs little.
 */
function filteredScan(
  fetch: (limit: number, offset: number) => readonly number[],
  passes: (pk: number) => boolean,
  { limit, offset }: PageRequest,
  sparsity: number,
): ScanResult {
  const found: number[] = []
  let passed = 0
  let step = MIN_STEP + Math.ceil((offset + limit) * sparsity)
  for (let from = 0; ; from += step, step *= 2) {
    const pks = fetch(step, from)
    for (const pk of pks) {
      if (!passes(pk)) continue
      passed += 1
      if (passed > offset) found.push(pk)
      if (found.length === limit) return { found, passed }
    }
    if (pks.length < step) return { found, passed }
  }
}

/** Orders pks by id; the given pks must be ascending. */
export function byId(
  { reader, inOrder }: Evaluation,
  pks: readonly number[],
  direction: Direction,
): number[] {
  if (inOrder) return direction === 'asc' ? [...pks] : pks.toReversed()
  return reader.sql.column(
    `SELECT pk FROM notes NOT INDEXED WHERE pk IN (SELECT value FROM json_each(?)) ORDER BY id ${sqlDirection(direction)}`,
    JSON.stringify(pks),
  )
}
