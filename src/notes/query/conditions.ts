import type { NoteField } from '../../filter/operators.ts'
import type { Bound, CheckedTree, ValueTest } from '../../filter/tree/parse.ts'
import { endOfDay, shiftedDay, startOfDay } from '../../filter/tree/relative-dates.ts'
import { isObject, type JsonObject } from '../../lib/json.ts'
import { scanOf, textScanOf } from '../../lib/scan.ts'
import { fold, isAscii, MAX_NAME_LENGTH } from '../../lib/text.ts'
import type { Reader } from '../../storage/reader.ts'
import { allOf, type SqlPart } from '../../storage/sql.ts'

export type TagsCondition = Extract<CheckedTree, { kind: 'tags' }>
export type ValueCondition = Extract<CheckedTree, { kind: 'value' }>

export interface Scope {
  readonly reader: Reader
  readonly workspace: number
  /** The reference day of relative days, `YYYY-MM-DD`. */
  readonly today: string
  /** Limits the test to these notes: a JSON array of pks. */
  readonly among?: string
}

const CANDIDATES = '(SELECT value FROM json_each(?))'

/** Reads the pks as one JSON text, which is many times faster than one row each. */
const pksFrom = ({ reader }: Scope, { text, values }: SqlPart): number[] =>
  JSON.parse(reader.sql.scalar<string>(text, ...values))

/** The notes with one of the tags. Here and below, they may include trashed notes. */
export function notesTagged(scope: Scope, { tagIds }: TagsCondition): number[] {
  const [only] = tagIds
  const tags: SqlPart =
    tagIds.length === 1 && only !== undefined
      ? { text: 'tag = ?', values: [only] }
      : { text: 'tag IN (SELECT value FROM json_each(?))', values: [JSON.stringify(tagIds)] }
  const { text, values } = allOf([scanOf('note'), tags, ...amongCandidates(scope, 'note')])
  return pksFrom(scope, { text: `SELECT json_group_array(note) FROM note_tags WHERE ${text}`, values })
}

const amongCandidates = ({ among }: Scope, column: string): SqlPart[] =>
  among === undefined ? [] : [{ text: `${column} IN ${CANDIDATES}`, values: [among] }]

/** The notes whose value passes the condition's test; negation is not applied. */
export function notesPassing(scope: Scope, { target, test }: ValueCondition): number[] {
  if ('field' in target) return notesWithField(scope, target.field, test)
  return isColumnTest(test)
    ? notesWithValue(scope, target.property, columnCondition(test, valueColumn(scope), scope.today))
    : notesWithText(scope, target.property, test)
}

/** The unary plus prevents SQLite from scanning the index of values if there are few candidates. */
const valueColumn = ({ among }: Scope) => (among === undefined ? 'value' : '+value')

const valuesOf = (scope: Scope, property: number): SqlPart[] => [
  scanOf('note'),
  { text: 'property = ?', values: [property] },
  ...amongCandidates(scope, 'note'),
]

function notesWithValue(scope: Scope, property: number, condition: SqlPart): number[] {
  const { text, values } = allOf([...valuesOf(scope, property), condition])
  return pksFrom(scope, { text: `SELECT json_group_array(note) FROM note_properties WHERE ${text}`, values })
}

/**
 * Up to `MAX_DISTINCT` different values are tested once each and then looked up. More values are read with their notes.
 */
function notesWithText(scope: Scope, property: number, test: TextTest): number[] {
  const passes = textPredicate(test)
  const distinct = scope.among === undefined ? distinctValues(scope, property) : undefined
  if (distinct) {
    const list: ValueTest = { by: 'list', values: distinct.filter(passes) }
    return list.values.length === 0
      ? []
      : notesWithValue(scope, property, columnCondition(list, 'value', scope.today))
  }
  const prefilter = prefilterOf(test)
  const read = prefilter.decides ? 'iif(octet_length(value) = length(value), NULL, value)' : 'value'
  const { text, values } = allOf([
    ...valuesOf(scope, property),
    textScanOf([{ column: 'value', times: 1 }]),
    prefilter,
  ])
  const rows = scope.reader.sql.rows<[number, string | null]>(
    `SELECT note, ${read} FROM note_properties WHERE ${text}`,
    ...values,
  )
  return rows.filter(([, value]) => value === null || passes(value)).map(([note]) => note)
}

const MAX_DISTINCT = 256

/**
 * Steps through the index from one value to the next; the limit is one more than allowed, to detect too many values.
 */
const DISTINCT = `WITH RECURSIVE distinct_values (value) AS (
    SELECT min(value) FROM note_properties WHERE property = ?1
    UNION ALL SELECT (SELECT min(p.value) FROM note_properties p WHERE p.property = ?1 AND p.value > distinct_values.value)
    FROM distinct_values WHERE distinct_values.value IS NOT NULL)
  SELECT value FROM distinct_values WHERE value IS NOT NULL LIMIT ${MAX_DISTINCT + 1}`

/** The different values of a text property; undefined if there are too many. */
function distinctValues({ reader }: Scope, property: number): string[] | undefined {
  const values = reader.sql.column<string>(DISTINCT, property)
  return values.length > MAX_DISTINCT ? undefined : values
}

/** The column of each field for filters and sorting, and the index in its order. */
export const FIELD_INDEXES: Record<NoteField | 'edited_at', { column: string; index: string }> = {
  title: { column: 'title_fold', index: 'notes_title' },
  alias: { column: 'alias_fold', index: 'notes_alias' },
  created_at: { column: 'created_at', index: 'notes_created' },
  updated_at: { column: 'updated_at', index: 'notes_updated' },
  edited_at: { column: 'edited_at', index: 'notes_edited' },
}

function notesWithField(scope: Scope, field: NoteField, test: ValueTest): number[] {
  const { text, values } = fieldSource(scope, field, test)
  return pksFrom(scope, { text: `SELECT json_group_array(pk) ${text}`, values })
}

/** `FROM … WHERE …` over the active notes whose field passes the test. */
export function fieldSource(scope: Scope, field: NoteField, test: ValueTest): SqlPart {
  const { column, index } = FIELD_INDEXES[field]
  const active: SqlPart = { text: 'workspace = ? AND deleted_at IS NULL', values: [scope.workspace] }
  const condition =
    field === 'title' || field === 'alias'
      ? nameCondition(test, field)
      : instantCondition(test, column, scope.today)
  const { text, values } = allOf([
    scanOf('pk'),
    active,
    ...amongCandidates(scope, 'pk'),
    condition,
    // The index of aliases contains only notes with an alias.
    ...(field === 'alias' ? [{ text: 'alias_fold IS NOT NULL', values: [] }] : []),
  ])
  const entry = scope.among === undefined ? `INDEXED BY ${index}` : 'NOT INDEXED'
  return { text: `FROM notes ${entry} WHERE ${text}`, values }
}

function instantCondition(test: ValueTest, column: string, today: string): SqlPart {
  if (!isColumnTest(test)) throw new Error(`an instant cannot be tested by ${test.by}`)
  return columnCondition(test, column, today, 'instants')
}

type NameColumn = 'title' | 'alias'

const NAME_PARTS: Record<'anywhere' | 'start' | 'end', (name: NameColumn, needle: string) => SqlPart> = {
  anywhere: (name, needle) => ({ text: `instr(${name}_fold, ?) > 0`, values: [needle] }),
  start: (name, needle) => ({
    text: `substr(${name}_fold, 1, length(?)) = ?`,
    values: [needle, needle],
  }),
  end: (name, needle) => ({ text: `substr(${name}_fold, -length(?)) = ?`, values: [needle, needle] }),
}

/** Names are also stored folded, so SQL alone decides these tests. */
function nameCondition(test: ValueTest, name: NameColumn): SqlPart {
  if (test.by === 'text') return NAME_PARTS[test.part](name, test.folded)
  if (test.by !== 'list') return { text: '1', values: [] }
  // No name is longer, and folding long texts takes time.
  const values = test.values.filter((value) => String(value).length <= 2 * MAX_NAME_LENGTH)
  const folds = JSON.stringify(values.map((value) => fold(String(value))))
  return {
    text: `${name}_fold IN (SELECT value FROM json_each(?)) AND ${name} IN (SELECT value FROM json_each(?))`,
    values: [folds, JSON.stringify(values)],
  }
}

/** A test that SQL alone decides, with an index. */
type ColumnTest = Extract<ValueTest, { by: 'presence' | 'list' | 'range' }>
/** A test of texts for which SQL can only exclude candidates. */
type TextTest = Extract<ValueTest, { by: 'text' | 'key' | 'content' }>

export const isColumnTest = (test: ValueTest): test is ColumnTest =>
  test.by === 'presence' || test.by === 'list' || test.by === 'range'

const dayOf = ({ at }: Bound, today: string) => (typeof at === 'object' ? shiftedDay(today, at) : at)

/** A bound in days as an instant: it includes the whole day, or excludes it for an open bound. */
function instantOf(bound: Bound, side: 'low' | 'high', today: string): number {
  const day = String(dayOf(bound, today))
  return (side === 'low') === bound.isOpen ? endOfDay(day) : startOfDay(day)
}

/** The test as a condition on a column of values, with days as text, or of instants. */
export function columnCondition(
  test: ColumnTest,
  column: string,
  today: string,
  unit: 'values' | 'instants' = 'values',
): SqlPart {
  if (test.by === 'presence') return { text: '1', values: [] }
  if (test.by === 'list') return amongValues(column, test.values)
  const place = (bound: Bound, side: 'low' | 'high') =>
    unit === 'instants' ? instantOf(bound, side, today) : dayOf(bound, today)
  const { low, high } = test
  return allOf([
    ...(low ? [{ text: `${column} ${low.isOpen ? '>' : '>='} ?`, values: [place(low, 'low')] }] : []),
    ...(high ? [{ text: `${column} ${high.isOpen ? '<' : '<='} ?`, values: [place(high, 'high')] }] : []),
  ])
}

/** Binds a single value directly, because a number may change when it passes through JSON. */
function amongValues(column: string, values: readonly (string | number)[]): SqlPart {
  const [only] = values
  return values.length === 1 && only !== undefined
    ? { text: `${column} = ?`, values: [only] }
    : { text: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] }
}

/** Reduces the candidates of a text test in SQL. With `decides`, values of plain ASCII need no further test. */
interface Prefilter extends SqlPart {
  readonly decides: boolean
}

const HAS_NON_ASCII = 'octet_length(value) <> length(value)'

/** SQLite searches in quadratic time, so only this many characters of a longer passage are searched for. */
const MAX_PASSAGE = 40

const NO_PREFILTER: Prefilter = { text: '1', values: [], decides: false }

function prefilterOf(test: TextTest): Prefilter {
  if (test.by === 'text') return textPrefilter(test)
  const passage = test.by === 'key' ? `${JSON.stringify(test.key)}:` : passageOf(test.content)
  return passage === undefined
    ? NO_PREFILTER
    : { text: 'instr(value, ?) > 0', values: [beginning(passage)], decides: false }
}

/** SQLite folds only ASCII. It decides for ASCII values; the others are tested again. */
function textPrefilter({ part, folded }: Extract<TextTest, { by: 'text' }>): Prefilter {
  if (!isAscii(folded)) return { text: HAS_NON_ASCII, values: [], decides: false }
  const sought = part === 'end' ? folded.slice(-MAX_PASSAGE) : folded.slice(0, MAX_PASSAGE)
  const literal = sought.replace(/[\\%_]/g, '\\$&')
  const pattern = `${part === 'start' ? '' : '%'}${literal}${part === 'end' ? '' : '%'}`
  return {
    text: `(value LIKE ? ESCAPE '\\' OR ${HAS_NON_ASCII})`,
    values: [pattern],
    decides: sought === folded,
  }
}

/** The first characters, without cutting a surrogate pair in half. */
const beginning = (passage: string) => passage.slice(0, MAX_PASSAGE).replace(/[\uD800-\uDBFF]$/, '')

/** A passage in the JSON text of every value that contains `content`; undefined if none is certain. */
function passageOf(content: unknown): string | undefined {
  if (typeof content !== 'object' || content === null) return JSON.stringify(content)
  const [pair] = Array.isArray(content) ? [] : Object.entries(content)
  if (!pair) return undefined
  const [key, value] = pair
  return `${JSON.stringify(key)}:${typeof value === 'object' && value !== null ? '' : JSON.stringify(value)}`
}

/** Tests a stored value: a text, or the text of a JSON value. */
function textPredicate(test: TextTest): (stored: string) => boolean {
  if (test.by === 'key') return (stored) => hasKey(JSON.parse(stored), test.key)
  if (test.by === 'content') return (stored) => containsValue(JSON.parse(stored), test.content)
  const { part, folded } = test
  if (part === 'start') return (stored) => fold(stored).startsWith(folded)
  return part === 'end'
    ? (stored) => fold(stored).endsWith(folded)
    : (stored) => fold(stored).includes(folded)
}

const hasKey = (value: unknown, key: string) => isObject(value) && Object.hasOwn(value, key)

/** An array contains the value as a member; an object contains every given pair; any other value must be equal. */
function containsValue(value: unknown, content: unknown): boolean {
  if (Array.isArray(value)) return value.some((member) => isEqual(member, content))
  if (isObject(value)) return isObject(content) && containsPairs(value, content)
  return isEqual(value, content)
}

const containsPairs = (object: JsonObject, pairs: JsonObject) =>
  Object.entries(pairs).every(([key, value]) => Object.hasOwn(object, key) && isEqual(object[key], value))

/** Whether two JSON values are equal, regardless of key order. */
function isEqual(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((member, at) => isEqual(member, right[at]))
  if (isObject(left) && isObject(right))
    return Object.keys(left).length === Object.keys(right).length && containsPairs(left, right)
  return left === right
}
