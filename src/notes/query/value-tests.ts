import { allOf, type SqlPart } from '../../db/sql-part.ts'
import type { Bound, ValueTest } from '../../filter/tree/check.ts'
import { endOfDay, shiftedDay, startOfDay } from '../../filter/tree/relative-dates.ts'
import { fold, isAscii } from '../../lib/text.ts'

/** A test that SQL alone can judge, through an index. */
export type ColumnTest = Extract<ValueTest, { by: 'presence' | 'list' | 'range' }>
/** A test of texts, which SQL can only narrow down. */
export type TextTest = Extract<ValueTest, { by: 'text' | 'key' | 'content' }>

export const isColumnTest = (test: ValueTest): test is ColumnTest =>
  test.by === 'presence' || test.by === 'list' || test.by === 'range'

const dayOf = ({ at }: Bound, today: string) => (typeof at === 'object' ? shiftedDay(today, at) : at)

/** Where a bound of days lies among instants: the whole day is inside, or outside of an open bound. */
function instantOf(bound: Bound, side: 'low' | 'high', today: string): number {
  const day = String(dayOf(bound, today))
  return (side === 'low') === bound.isOpen ? endOfDay(day) : startOfDay(day)
}

/** The test as a condition on a column, of days as text or of instants; `today` is what relative days start from. */
export function columnCondition(
  test: ColumnTest,
  column: string,
  today: string,
  holds: 'values' | 'instants' = 'values',
): SqlPart {
  if (test.by === 'presence') return { text: '1', values: [] }
  if (test.by === 'list') return amongValues(column, test.values)
  const place = (bound: Bound, side: 'low' | 'high') =>
    holds === 'instants' ? instantOf(bound, side, today) : dayOf(bound, today)
  const { low, high } = test
  return allOf([
    ...(low ? [{ text: `${column} ${low.isOpen ? '>' : '>='} ?`, values: [place(low, 'low')] }] : []),
    ...(high ? [{ text: `${column} ${high.isOpen ? '<' : '<='} ?`, values: [place(high, 'high')] }] : []),
  ])
}

/** One value is bound as it is: a number may not come back from its text as the same one. */
function amongValues(column: string, values: readonly (string | number)[]): SqlPart {
  const [only] = values
  return values.length === 1 && only !== undefined
    ? { text: `${column} = ?`, values: [only] }
    : { text: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] }
}

/** What narrows the values of a text test down in SQL; where `decides`, values of plain ASCII need no second look. */
export interface Prefilter extends SqlPart {
  readonly decides: boolean
}

const HAS_OTHER_THAN_ASCII = 'octet_length(value) <> length(value)'

/** SQLite compares a passage anew at every place of a value: of a longer one only the first characters are sought. */
const LONGEST_PASSAGE = 40

const NO_PREFILTER: Prefilter = { text: '1', values: [], decides: false }

export function prefilterOf(test: TextTest): Prefilter {
  if (test.by === 'text') return textPrefilter(test)
  const passage = test.by === 'key' ? `${JSON.stringify(test.key)}:` : passageOf(test.content)
  return passage === undefined
    ? NO_PREFILTER
    : { text: 'instr(value, ?) > 0', values: [beginning(passage)], decides: false }
}

/** SQLite folds ASCII alone: it decides on values of ASCII, and all others are looked at again. */
function textPrefilter({ part, folded }: Extract<TextTest, { by: 'text' }>): Prefilter {
  if (!isAscii(folded)) return { text: HAS_OTHER_THAN_ASCII, values: [], decides: false }
  const sought = part === 'end' ? folded.slice(-LONGEST_PASSAGE) : folded.slice(0, LONGEST_PASSAGE)
  const literal = sought.replace(/[\\%_]/g, '\\$&')
  const pattern = `${part === 'start' ? '' : '%'}${literal}${part === 'end' ? '' : '%'}`
  return {
    text: `(value LIKE ? ESCAPE '\\' OR ${HAS_OTHER_THAN_ASCII})`,
    values: [pattern],
    decides: sought === folded,
  }
}

/** The first characters, and no half of one. */
const beginning = (passage: string) => passage.slice(0, LONGEST_PASSAGE).replace(/[\uD800-\uDBFF]$/, '')

/** A passage that stands in the JSON text of every value that holds `content`, if there is a sure one. */
function passageOf(content: unknown): string | undefined {
  if (typeof content !== 'object' || content === null) return JSON.stringify(content)
  const [pair] = Array.isArray(content) ? [] : Object.entries(content)
  if (!pair) return undefined
  const [key, value] = pair
  return `${JSON.stringify(key)}:${typeof value === 'object' && value !== null ? '' : JSON.stringify(value)}`
}

/** The test on a value as it is kept: a text, or the text of a JSON value. */
export function textJudge(test: TextTest): (kept: string) => boolean {
  if (test.by === 'key') return (kept) => hasKey(JSON.parse(kept), test.key)
  if (test.by === 'content') return (kept) => holdsContent(JSON.parse(kept), test.content)
  const { part, folded } = test
  if (part === 'start') return (kept) => fold(kept).startsWith(folded)
  return part === 'end' ? (kept) => fold(kept).endsWith(folded) : (kept) => fold(kept).includes(folded)
}

type Members = Record<string, unknown>

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const hasKey = (held: unknown, key: string) => isObject(held) && Object.hasOwn(held, key)

/** An array holds the value; an object holds every given pair; anything else equals it (contract, section 4). */
function holdsContent(held: unknown, content: unknown): boolean {
  if (Array.isArray(held)) return held.some((member) => isEqual(member, content))
  if (isObject(held)) return isObject(content) && holdsPairs(held, content)
  return isEqual(held, content)
}

const holdsPairs = (held: Members, pairs: Members) =>
  Object.entries(pairs).every(([key, value]) => Object.hasOwn(held, key) && isEqual(held[key], value))

/** Whether two JSON values are the same, whatever the order of their keys. */
function isEqual(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((member, at) => isEqual(member, right[at]))
  if (isObject(left) && isObject(right))
    return Object.keys(left).length === Object.keys(right).length && holdsPairs(left, right)
  return left === right
}
