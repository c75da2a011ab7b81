import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { keyOf, numberOf } from './entries.ts'
import { lastChange } from './log.ts'
import { type Change, changesAfter, changesOfObject } from './read.ts'

/** Records that a transaction undid another; both are given by the number of their first change. */
export function saveUndo({ sql }: Tx, workspace: number, first: number, undone: number): void {
  sql.run(
    'INSERT INTO change_undos (key, undone) VALUES (?, ?)',
    keyOf(workspace, first),
    keyOf(workspace, undone),
  )
}

/** The key of the transaction that one undid. */
const undoneOf = ({ sql }: Reader, workspace: number, first: number): number | undefined =>
  sql.get<{ undone: number }>('SELECT undone FROM change_undos WHERE key = ?', keyOf(workspace, first))
    ?.undone

/** The number of the first change of the transaction that undid one and was not undone itself; undefined if there is none. */
export function undoneBy(reader: Reader, workspace: number, first: number): number | undefined {
  const undoing = reader.sql.column<number>(
    'SELECT key FROM change_undos WHERE undone = ? ORDER BY key DESC',
    keyOf(workspace, first),
  )
  return undoing.map(numberOf).find((number) => undoneBy(reader, workspace, number) === undefined)
}

/**
 * Whether an object has changes after a number of the log. Undone changes do not count, nor do those that undid them.
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

/** Those of the objects that have such changes. */
export function touchedAfter<Of extends { readonly id: string }>(
  reader: Reader,
  workspace: number,
  objects: readonly Of[],
  number: number,
): Of[] {
  const isTouched = ({ id }: Of) => isTouchedAfter(reader, workspace, id, number)
  const upTo = lastChange(reader, workspace)
  // Usually few changes were made since, and their objects are the only ones to look at.
  if (upTo - number > objects.length) return objects.filter(isTouched)
  const later = changesAfter(reader, workspace, { after: number, upTo, limit: upTo - number })
  const ids = new Set(later.map(({ id }) => String(id)))
  return objects.filter((object) => ids.has(object.id) && isTouched(object))
}

const CHANGES_AT_ONCE = 100

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
      if (change.first !== last?.first) yield change.first
      last = change
    }
    if (changes.length < CHANGES_AT_ONCE) return
  }
}
