import { BoundedCache } from '../lib/bounded-cache.ts'
import { scanOf } from '../lib/scan.ts'
import type { Reader } from '../storage/reader.ts'
import type { ChangeKind, ChangeOperation } from '../storage/schema/changes.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { idOf, keyOf, kindOf, lastChange, numberOf, operationOf } from './log.ts'
import {
  type Change,
  type ChangeFilter,
  changesAfter,
  changesOfObject,
  filterSql,
  headsOf,
  selectBefore,
} from './read.ts'

/** A transaction by the numbers of its changes, which are consecutive. */
export interface LoggedTransaction {
  readonly first: number
  readonly last: number
  readonly at: number
  readonly actor: number
}

/**
 * The transactions with a change that passes the filter, newest first. The last change of each is before one number and
 * not before another.
 */
export function* transactionsBefore(
  reader: Reader,
  workspace: number,
  { before, downTo }: { readonly before: number; readonly downTo: number },
  filter: ChangeFilter,
): Generator<LoggedTransaction> {
  let end = firstAround(reader, workspace, before)
  for (;;) {
    const [found] = headsOf(reader, selectBefore(workspace, { before: end, downTo, limit: 1 }, filter))
    if (!found) return
    const { first, at, actor } = found
    yield { first, last: lastOf(reader, workspace, found, end), at, actor }
    end = first
  }
}

const changeAt = (reader: Reader, workspace: number, number: number): Change | undefined =>
  headsOf(reader, selectBefore(workspace, { before: number + 1, downTo: number, limit: 1 }))[0]

/** The number of the first change in the transaction of a change; the number itself if there is no such change. */
export const firstAround = (reader: Reader, workspace: number, number: number): number =>
  changeAt(reader, workspace, number)?.first ?? number

/** The number of the last change in the transaction of a change; it is below `end`. */
function lastOf(reader: Reader, workspace: number, { number, first }: Change, end: number): number {
  let [low, high] = [number, end - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (changeAt(reader, workspace, middle)?.first === first) low = middle
    else high = middle - 1
  }
  return low
}

/** The number of changes of one kind in a transaction. */
interface ChangeCount {
  readonly kind: ChangeKind
  readonly op: ChangeOperation
  readonly structure_id: string | null
  readonly n: number
}

/** Counting more changes takes so long that it is done only once. */
const MANY = 5_000
const MAX_CACHED = 1_000
const newCounts = () => new BoundedCache<string, readonly ChangeCount[]>(MAX_CACHED)

/**
 * Counts the changes in a range of numbers that a user may see, ordered by the first change of each kind. The counts
 * are exact.
 */
export function countChanges(
  { sql }: Reader,
  workspace: number,
  { first, last }: { readonly first: number; readonly last: number },
  filter: Pick<ChangeFilter, 'visible' | 'userId'> = {},
): readonly ChangeCount[] {
  const { text, values } = filterSql(filter)
  const bound = [keyOf(workspace, first), keyOf(workspace, last), ...values]
  const cache = sql.state.of(newCounts)
  const name = JSON.stringify([text, ...bound])
  const known = cache.get(name)
  if (known) return known
  const rows = sql.rows<[kind: number, structure: string, n: number]>(
    `SELECT kind, hex(structure), count(*) FROM changes
     WHERE ${scanOf('key').text} AND key BETWEEN ? AND ? ${text}
     GROUP BY kind, structure ORDER BY min(key)`,
    ...bound,
  )
  const counts = rows.map(([kind, structure, n]) => ({
    kind: kindOf(kind),
    op: operationOf(kind),
    structure_id: structure === '' ? null : String(idOf(structure)),
    n,
  }))
  if (last - first >= MANY) cache.set(name, counts)
  return counts
}

/** The pks of the actors for a key, or for a user with or without a key. */
export const actorsNamed = ({ sql }: Reader, id: string): number[] =>
  sql.column<number>('SELECT pk FROM change_actors WHERE key_id = ?1 OR user_id = ?1', id)

/** Records that a transaction undid another; both are given by the number of their first change. */
export function saveUndo({ sql }: Tx, workspace: number, first: number, undone: number): void {
  sql.run(
    'INSERT INTO change_undos (key, undone) VALUES (?, ?)',
    keyOf(workspace, first),
    keyOf(workspace, undone),
  )
}

/** The key of the transaction that a transaction undid. */
const undoneOf = ({ sql }: Reader, workspace: number, first: number): number | undefined =>
  sql.get<{ undone: number }>('SELECT undone FROM change_undos WHERE key = ?', keyOf(workspace, first))
    ?.undone

/**
 * The number of the first change of the transaction that undid this one and was not undone itself; undefined if none.
 */
export function undoneBy(reader: Reader, workspace: number, first: number): number | undefined {
  const undoing = reader.sql.column<number>(
    'SELECT key FROM change_undos WHERE undone = ? ORDER BY key DESC',
    keyOf(workspace, first),
  )
  return undoing.map(numberOf).find((number) => undoneBy(reader, workspace, number) === undefined)
}

/**
 * Whether an object has changes after a number of the log. Undone changes, and the changes that undid them, do not
 * count.
 */
function isTouchedAfter(reader: Reader, workspace: number, id: string, number: number): boolean {
  const [newest] = changesOfObject(reader, workspace, id, { limit: 1 })
  if (!newest || newest.number <= number) return false
  const takenBack = new Set<number>()
  for (const first of transactionsAfter(reader, workspace, id, number)) {
    const key = keyOf(workspace, first)
    if (takenBack.has(key)) continue
    const undone = undoneOf(reader, workspace, first)
    if (undone === undefined || undone <= keyOf(workspace, number)) return true
    takenBack.add(undone)
  }
  return false
}

/** The objects with such changes. */
export function touchedAfter<Of extends { readonly id: string }>(
  reader: Reader,
  workspace: number,
  objects: readonly Of[],
  number: number,
): Of[] {
  const isTouched = ({ id }: Of) => isTouchedAfter(reader, workspace, id, number)
  const upTo = lastChange(reader, workspace)
  // Usually few changes were made since, and only their objects need a check.
  if (upTo - number > objects.length) return objects.filter(isTouched)
  const later = changesAfter(reader, workspace, { after: number, upTo, limit: upTo - number })
  const ids = new Set(later.map(({ id }) => String(id)))
  return objects.filter((object) => ids.has(object.id) && isTouched(object))
}

const CHANGES_AT_ONCE = 100

/** A comment that comes back with its note or row is as it was. */
const isUnchanged = ({ kind, operation }: Change): boolean => kind === 'comment' && operation === 'restored'

/** The transactions that changed an object after a number, newest first. */
function* transactionsAfter(
  reader: Reader,
  workspace: number,
  id: string,
  number: number,
): Generator<number> {
  let last: Change | undefined
  for (;;) {
    const changes = changesOfObject(reader, workspace, id, { before: last?.number, limit: CHANGES_AT_ONCE })
    for (const change of changes) {
      if (change.number <= number) return
      if (change.first !== last?.first && !isUnchanged(change)) yield change.first
      last = change
    }
    if (changes.length < CHANGES_AT_ONCE) return
  }
}
