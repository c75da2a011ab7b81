import type { Reader } from '../../db/reader.ts'
import { allOf, type SqlPart } from '../../db/sql-part.ts'
import type { CheckedTree, ValueTest } from '../../filter/tree/check.ts'
import type { TreeField } from '../../filter/tree/operators.ts'
import { fold } from '../../lib/text.ts'
import { columnCondition, isColumnTest, prefilterOf, type TextTest, textJudge } from './value-tests.ts'

export type TagsLeaf = Extract<CheckedTree, { kind: 'tags' }>
export type ValueLeaf = Extract<CheckedTree, { kind: 'value' }>

/** Where leaves are looked up. */
export interface Scope {
  readonly reader: Reader
  readonly workspace: number
  /** `YYYY-MM-DD`; what relative days start from. */
  readonly today: string
  /** When given, nothing but these notes is in question: a JSON list of pks. */
  readonly among?: string
}

const CANDIDATES = '(SELECT value FROM json_each(?))'

/** One text is many times faster to hand over than a row for each pk. */
const pksFrom = ({ reader }: Scope, { text, values }: SqlPart): number[] =>
  JSON.parse(reader.sql.scalar<string>(text, ...values))

/** The notes that carry one of the tags; trashed ones may be among them, here and below. */
export function notesTagged(scope: Scope, { tagIds }: TagsLeaf): number[] {
  const [only] = tagIds
  const tags: SqlPart =
    tagIds.length === 1 && only !== undefined
      ? { text: 'tag = ?', values: [only] }
      : { text: 'tag IN (SELECT value FROM json_each(?))', values: [JSON.stringify(tagIds)] }
  const { text, values } = allOf([tags, ...amongCandidates(scope, 'note')])
  return pksFrom(scope, { text: `SELECT json_group_array(note) FROM note_tags WHERE ${text}`, values })
}

const amongCandidates = ({ among }: Scope, column: string): SqlPart[] =>
  among === undefined ? [] : [{ text: `${column} IN ${CANDIDATES}`, values: [among] }]

/** The notes whose value passes the leaf's test, before it is negated. */
export function notesPassing(scope: Scope, { target, test }: ValueLeaf): number[] {
  if ('field' in target) return notesWithField(scope, target.field, test)
  return isColumnTest(test)
    ? notesWithValue(scope, target.property, columnCondition(test, valueColumn(scope), scope.today))
    : notesWithText(scope, target.property, test)
}

/** The plus keeps SQLite from looking through the index of values when the candidates are few. */
const valueColumn = ({ among }: Scope) => (among === undefined ? 'value' : '+value')

const ofProperty = (property: number): SqlPart => ({ text: 'property = ?', values: [property] })

function notesWithValue(scope: Scope, property: number, condition: SqlPart): number[] {
  const { text, values } = allOf([ofProperty(property), ...amongCandidates(scope, 'note'), condition])
  return pksFrom(scope, { text: `SELECT json_group_array(note) FROM note_properties WHERE ${text}`, values })
}

/** Few different values are judged once each, and then looked up; many are read with their notes. */
function notesWithText(scope: Scope, property: number, test: TextTest): number[] {
  const judge = textJudge(test)
  const distinct = scope.among === undefined ? distinctValues(scope, property) : undefined
  if (distinct) {
    const list: ValueTest = { by: 'list', values: distinct.filter(judge) }
    return list.values.length === 0
      ? []
      : notesWithValue(scope, property, columnCondition(list, 'value', scope.today))
  }
  const prefilter = prefilterOf(test)
  const looked = prefilter.decides ? 'iif(octet_length(value) = length(value), NULL, value)' : 'value'
  const { text, values } = allOf([ofProperty(property), ...amongCandidates(scope, 'note'), prefilter])
  const rows = scope.reader.sql.rows<[number, string | null]>(
    `SELECT note, ${looked} FROM note_properties WHERE ${text}`,
    ...values,
  )
  return rows.filter(([, value]) => value === null || judge(value)).map(([note]) => note)
}

const MOST_DISTINCT = 256

/** Steps through the index from one value to the next; the extra one tells that there are too many. */
const DISTINCT = `WITH RECURSIVE held (value) AS (
    SELECT min(value) FROM note_properties WHERE property = ?1
    UNION ALL SELECT (SELECT min(p.value) FROM note_properties p WHERE p.property = ?1 AND p.value > held.value)
    FROM held WHERE held.value IS NOT NULL)
  SELECT value FROM held WHERE value IS NOT NULL LIMIT ${MOST_DISTINCT + 1}`

/** The different values that notes hold of a text property; undefined when there are too many. */
function distinctValues({ reader }: Scope, property: number): string[] | undefined {
  const values = reader.sql.column<string>(DISTINCT, property)
  return values.length > MOST_DISTINCT ? undefined : values
}

/** Each is read from the index that is sorted by it. */
export const FIELD_INDEXES: Record<TreeField, { column: string; index: string }> = {
  title: { column: 'title_fold', index: 'notes_title' },
  created_at: { column: 'created_at', index: 'notes_created' },
  updated_at: { column: 'updated_at', index: 'notes_updated' },
}

function notesWithField(scope: Scope, field: TreeField, test: ValueTest): number[] {
  const { text, values } = fieldSource(scope, field, test)
  return pksFrom(scope, { text: `SELECT json_group_array(pk) ${text}`, values })
}

/** `FROM … WHERE …` over the active notes whose field passes the test. */
export function fieldSource(scope: Scope, field: TreeField, test: ValueTest): SqlPart {
  const { column, index } = FIELD_INDEXES[field]
  const active: SqlPart = { text: 'workspace = ? AND deleted_at IS NULL', values: [scope.workspace] }
  const condition = field === 'title' ? titleCondition(test) : instantCondition(test, column, scope.today)
  const { text, values } = allOf([active, ...amongCandidates(scope, 'pk'), condition])
  const entry = scope.among === undefined ? `INDEXED BY ${index}` : 'NOT INDEXED'
  return { text: `FROM notes ${entry} WHERE ${text}`, values }
}

function instantCondition(test: ValueTest, column: string, today: string): SqlPart {
  if (!isColumnTest(test)) throw new Error(`an instant cannot be tested by ${test.by}`)
  return columnCondition(test, column, today, 'instants')
}

const TITLE_PARTS: Record<'anywhere' | 'start' | 'end', (needle: string) => SqlPart> = {
  anywhere: (needle) => ({ text: 'instr(title_fold, ?) > 0', values: [needle] }),
  start: (needle) => ({ text: 'substr(title_fold, 1, length(?)) = ?', values: [needle, needle] }),
  end: (needle) => ({ text: 'substr(title_fold, -length(?)) = ?', values: [needle, needle] }),
}

/** Titles are kept folded too, so that SQL can judge all of it. */
function titleCondition(test: ValueTest): SqlPart {
  if (test.by === 'list') {
    const folds = JSON.stringify(test.values.map((value) => fold(String(value))))
    return {
      text: `title_fold IN (SELECT value FROM json_each(?)) AND title IN (SELECT value FROM json_each(?))`,
      values: [folds, JSON.stringify(test.values)],
    }
  }
  return test.by === 'text' ? TITLE_PARTS[test.part](test.folded) : { text: '1', values: [] }
}
