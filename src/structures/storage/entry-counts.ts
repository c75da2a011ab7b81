import { type RecordState, valueIn } from '../../changes/record-data.ts'
import type { AppContext } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { WorkerQuery } from '../../db/worker/client.ts'
import { columnValue } from '../../filter/record/values.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { compareCodePoints, fold } from '../../lib/text.ts'
import { definitionOf, findDefinitionTexts } from '../store.ts'
import {
  ABSENT,
  autoIndexTable,
  type IndexPlace,
  type IndexTarget,
  indexTargets,
  isFolded,
  keyColumn,
  writtenColumn,
} from './auto-index.ts'
import type { IndexTable } from './index-table.ts'

/*
 * How many entries of an index lie in a range, without passing over them: the entries are divided into parts of some
 * hundred, of which the first entry and the number are known. The number before a place is that of the parts before
 * it, and of the entries of its own part up to it, which are counted.
 *
 * The parts are in memory, valid for one value of the structure's change counter, and brought up to date by the rows
 * that are written (`records/query/index-totals.ts`). They are made in a worker thread once reads have counted for so
 * long that it is worth it (`index-policy.ts`).
 */

const ENTRIES_PER_PART = 256
/** A part with more entries is divided again before some of them are counted. */
const MAX_ENTRIES = 4 * ENTRIES_PER_PART
/** The number of distinct texts in the first column up to which their spellings are known. */
const MAX_SPELLINGS = 200
const MAX_INDEXES = 64

/** A value of an index column; a row without one has the lowest. */
export type KeyValue = number | string
export const LOWEST = Number.NEGATIVE_INFINITY

/** Between two entries: before or after all that begin with these values, which every entry does without any. */
export interface Place {
  readonly values: readonly KeyValue[]
  readonly isAfter: boolean
}

/** Sorts as SQLite does: numbers before texts. */
function compareValues(left: KeyValue, right: KeyValue): number {
  if (typeof left === 'number') return typeof right === 'number' ? left - right || 0 : -1
  return typeof right === 'number' ? 1 : compareCodePoints(left, right)
}

/** Negative if the entry is before the place. */
function compareToPlace(key: readonly KeyValue[], { values, isAfter }: Place): number {
  for (const [at, value] of values.entries()) {
    const key_ = key[at] as KeyValue
    if (key_ === value) continue
    return compareValues(key_, value)
  }
  return isAfter ? -1 : 1
}

/** The texts of the first column by their folded form: how all rows write it, or null where they differ. */
type Spellings = Map<KeyValue, string | null>

/** What is sent from the thread that counts. */
interface Counted {
  readonly changes: number
  /** The first entry of each part except the first, which begins before all. */
  readonly firsts: KeyValue[][]
  readonly numbers: number[]
  /** Undefined if the first column is not one of texts, or has too many. */
  readonly spellings: Spellings | undefined
}

const marks = (values: readonly unknown[]) => values.map(() => '?').join(', ')

export class EntryCounts {
  /** The value of the structure's change counter at which they were counted. */
  changes: number
  readonly #table: string
  readonly #targets: readonly IndexTarget[]
  readonly #columns: readonly string[]
  readonly #firsts: KeyValue[][]
  readonly #numbers: number[]
  #spellings: Spellings | undefined

  constructor({ name, key }: IndexTable, targets: readonly IndexTarget[], counted: Counted) {
    this.#table = name
    this.#columns = key.map((column) => column.name)
    this.#targets = targets
    this.changes = counted.changes
    this.#firsts = counted.firsts
    this.#numbers = counted.numbers
    this.#spellings = counted.spellings
  }

  /** The number of entries between two places, which may be in the wrong order. */
  between(reader: Reader, from: Place, to: Place): number {
    return Math.max(0, this.#before(reader, to) - this.#before(reader, from))
  }

  /** Whether all rows with this text in the first column, ignoring case, write it like this. */
  isSpelled(text: string): boolean {
    const spelling = this.#spellings?.get(fold(text))
    return this.#spellings !== undefined && (spelling === undefined || spelling === text)
  }

  add(pk: number, row: RecordState, difference: 1 | -1): void {
    const key = [...this.#targets.map((target) => keyValue(target, row)), pk]
    const part = this.#partOf((first) => compareToPlace(first, { values: key, isAfter: true }) < 0)
    this.#numbers[part] = (this.#numbers[part] ?? 0) + difference
    const [target] = this.#targets
    if (!this.#spellings || difference < 0 || typeof target !== 'object') return
    const text = valueIn(row.data, target.key)
    if (text === undefined) return
    const [folded = LOWEST] = key
    const known = this.#spellings.get(folded)
    if (known !== text) this.#spellings.set(folded, known === undefined ? String(text) : null)
    if (this.#spellings.size > MAX_SPELLINGS) this.#spellings = undefined
  }

  /** Divides what has many entries; counts as many. */
  divide(reader: Reader, part: number): void {
    const step = `SELECT ${this.#columns.join(', ')} FROM ${this.#table}`
    const order = `ORDER BY ${this.#columns.join(', ')} LIMIT 1 OFFSET ${ENTRIES_PER_PART}`
    let at = part
    let left = this.#numbers[part] ?? 0
    while (left > 2 * ENTRIES_PER_PART) {
      const from = this.#from(at)
      const [first] = reader.sql.rows<KeyValue[]>(`${step} WHERE ${from.text} ${order}`, ...from.values)
      if (!first) break
      left -= ENTRIES_PER_PART
      this.#firsts.splice(at, 0, first)
      this.#numbers.splice(at, 1, ENTRIES_PER_PART, left)
      at += 1
    }
  }

  #before(reader: Reader, place: Place): number {
    if (place.values.length === 0) return place.isAfter ? this.#inParts(this.#numbers.length) : 0
    let part = this.#partBefore(place)
    if ((this.#numbers[part] ?? 0) > MAX_ENTRIES) {
      this.divide(reader, part)
      part = this.#partBefore(place)
    }
    return this.#inParts(part) + this.#within(reader, part, place)
  }

  #inParts(part: number): number {
    let count = 0
    for (let at = 0; at < part; at++) count += this.#numbers[at] ?? 0
    return count
  }

  /** The number of entries of the part that are before the place. */
  #within({ sql }: Reader, part: number, { values, isAfter }: Place): number {
    const columns = this.#columns.slice(0, values.length).join(', ')
    const from = this.#from(part)
    return sql.scalar<number>(
      `SELECT count(*) FROM ${this.#table} WHERE ${from.text} AND (${columns}) ${isAfter ? '<=' : '<'} (${marks(values)})`,
      ...from.values,
      ...values,
    )
  }

  /** Tests for the entries from the beginning of the part. */
  #from(part: number): { text: string; values: readonly KeyValue[] } {
    const first = this.#firsts[part - 1]
    if (!first) return { text: 'TRUE', values: [] }
    return { text: `(${this.#columns.join(', ')}) >= (${marks(first)})`, values: first }
  }

  #partBefore = (place: Place) => this.#partOf((first) => compareToPlace(first, place) < 0)

  /** The last part whose first entry passes the test, which the later ones do not. */
  #partOf(test: (first: readonly KeyValue[]) => boolean): number {
    let [low, high] = [0, this.#firsts.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (test(this.#firsts[middle] ?? [])) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The value that the entry of a row has in the column of the target. */
function keyValue(target: IndexTarget, row: RecordState): KeyValue {
  if (target === 'created_at') return row.createdAt
  if (target === 'updated_at') return row.updatedAt
  const value = valueIn(row.data, target.key)
  if (value === undefined) return LOWEST
  return isFolded(target.type) ? fold(String(value)) : columnValue(value)
}

/** Counts the entries of an index that is ready. */
export const entryCount: WorkerQuery<IndexPlace, Counted | undefined> = {
  name: 'structures.countEntries',
  isLong: true,
  run: (reader, { structurePk, column }) => {
    const found = findIndex(reader, structurePk, column)
    if (!found) return undefined
    const { table, targets } = found
    const [[total, changes] = [0, 0]] = reader.sql.rows<[number, number]>(
      'SELECT live, changes FROM structure_stats WHERE structure = ?',
      structurePk,
    )
    const counted = {
      changes,
      firsts: [],
      numbers: [total],
      spellings: findSpellings(reader, table, targets),
    }
    new EntryCounts(table, targets, counted).divide(reader, 0)
    return counted
  },
}

function findIndex(reader: Reader, structurePk: number, column: string) {
  const texts = findDefinitionTexts(reader, structurePk)
  const targets = texts && indexTargets(definitionOf(texts), column)
  return targets && { targets, table: autoIndexTable(structurePk, targets) }
}

function findSpellings(
  { sql }: Reader,
  { name }: IndexTable,
  [target]: readonly IndexTarget[],
): Spellings | undefined {
  if (typeof target !== 'object' || !isFolded(target.type)) return undefined
  const [key, written] = [keyColumn(target), writtenColumn(target)]
  const spelling = `SELECT ${key}, coalesce(${written}, ${key}) FROM ${name}`
  const spellings: Spellings = new Map()
  let at: KeyValue = LOWEST
  for (;;) {
    const [next]: [string, string][] = sql.rows(
      `${spelling} WHERE ${key} > ${at === LOWEST ? ABSENT : '?'} ORDER BY ${key} LIMIT 1`,
      ...(at === LOWEST ? [] : [at]),
    )
    if (!next) return spellings
    if (spellings.size === MAX_SPELLINGS) return undefined
    const differs = `SELECT 1 FROM ${name} WHERE ${sql.stopCondition('pk').text} AND ${key} = ? AND coalesce(${written}, ${key}) <> ? LIMIT 1`
    spellings.set(next[0], sql.get(differs, ...next) ? null : next[1])
    at = next[0]
  }
}

const newCounts = () => new BoundedCache<string, EntryCounts | undefined>(MAX_INDEXES)

/** What this process has counted, by the name of the table. */
export const entryCountsOf = ({ sql }: Reader) => sql.state.of(newCounts)

const COUNTING = { userId: '', keyId: null, surface: 'entry counts', isBackground: true }

/** Counts the entries of an index in a worker thread, for later reads. */
export async function countEntries({ db, worker }: AppContext, place: IndexPlace): Promise<boolean> {
  const counted = await worker.run(entryCount, place, COUNTING)
  const found = findIndex(db, place.structurePk, place.column)
  if (!counted || !found) return false
  entryCountsOf(db).set(found.table.name, new EntryCounts(found.table, found.targets, counted))
  return true
}
