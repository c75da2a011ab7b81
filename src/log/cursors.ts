import { atPlace, cursorExpired, invalid } from '../lib/refusal.ts'
import type { Reader } from '../storage/reader.ts'
import { BEGIN_EPOCHS } from '../storage/schema/changes.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { endOfKeys, keyOf, lastChange, loggedRange, numberOf } from './log.ts'
import { refuseNewLog } from './mirror-guard.ts'

/*
 * A cursor is an epoch and the number of a change. When a copy of the database replaces the original, the server that
 * starts with it begins a new epoch. A cursor of an earlier epoch is then valid up to the change at which that epoch
 * ended here. Later changes of that epoch belong to a history that is gone.
 */

const EPOCH_BYTES = 6

/** Maximum number of stored epochs; older ones are removed. */
const MAX_EPOCHS = 1_000

const newEpoch = (): string => crypto.getRandomValues(Buffer.alloc(EPOCH_BYTES)).toString('hex')

/** Begins the first epoch of a new workspace. Refused in a copy, which has the workspace of its remote only. */
export function beginEpoch(reader: Reader, workspace: number): void {
  refuseNewLog(reader)
  const insert = 'INSERT INTO change_epochs (workspace, epoch, since) VALUES (?, ?, ?)'
  reader.sql.run(insert, workspace, newEpoch(), lastChange(reader, workspace))
}

const REMOVE_OLD_EPOCHS = `DELETE FROM change_epochs WHERE pk IN
  (SELECT old.pk FROM workspaces w CROSS JOIN change_epochs old ON old.workspace = w.pk AND old.pk <=
    (SELECT pk FROM change_epochs WHERE workspace = w.pk ORDER BY pk DESC LIMIT 1 OFFSET ?))`

/**
 * Begins an epoch in every workspace. Must be called when a server starts, and on every copy of a database. Two
 * statements for all workspaces, because a file may have thousands.
 */
export function beginEpochs({ sql }: Reader): void {
  sql.run(BEGIN_EPOCHS)
  sql.run(REMOVE_OLD_EPOCHS, MAX_EPOCHS)
}

interface Epoch {
  readonly epoch: string
  readonly since: number
}

/** In order. */
const epochsOf = ({ sql }: Reader, workspace: number): readonly Epoch[] =>
  sql.memoize(`change epochs ${workspace}`, () =>
    sql.all<Epoch>('SELECT epoch, since FROM change_epochs WHERE workspace = ? ORDER BY pk', workspace),
  )

const BASE = 36

/**
 * Returns a function from the number of a change to its cursor. A cursor is URL-safe, has at most 64 characters, and is
 * always the same for one change.
 */
export function cursorFormatter(reader: Reader, workspace: number): (number: number) => string {
  const epochs = epochsOf(reader, workspace)
  let last: Epoch | undefined
  let end = Number.POSITIVE_INFINITY
  return (number) => {
    if (!last || number <= last.since || number > end) {
      const at = Math.max(
        0,
        epochs.findLastIndex(({ since }) => since < number),
      )
      last = epochs[at]
      end = epochs[at + 1]?.since ?? Number.POSITIVE_INFINITY
    }
    return `${last?.epoch}-${number.toString(BASE)}`
  }
}

const FORM = /^([0-9a-f]{12})-(0|[1-9a-z][0-9a-z]{0,7})$/

interface Cursor {
  readonly epoch: string
  readonly number: number
}

/** Undefined if the text is not a cursor. */
function parseCursor(text: string): Cursor | undefined {
  const [, epoch, digits] = FORM.exec(text) ?? []
  if (epoch === undefined || digits === undefined) return undefined
  const number = Number.parseInt(digits, BASE)
  return number === numberOf(number) ? { epoch, number } : undefined
}

/** The number of the oldest stored change; one more than the last number if none is stored. */
export function oldestChange(reader: Reader, workspace: number): number {
  const key = reader.sql.get<{ key: number }>(
    'SELECT key FROM changes WHERE key > ? AND key < ? ORDER BY key LIMIT 1',
    keyOf(workspace, 0),
    endOfKeys(workspace),
  )?.key
  return key === undefined ? 1 : numberOf(key)
}

/** Whether this database has the history up to the cursor. */
function isOfThisHistory(reader: Reader, workspace: number, { epoch, number }: Cursor): boolean {
  if (number > lastChange(reader, workspace)) return false
  const epochs = epochsOf(reader, workspace)
  const at = epochs.findIndex((one) => one.epoch === epoch)
  const next = epochs[at + 1]
  return at !== -1 && (next === undefined || number <= next.since)
}

/** The number of the change at a cursor of this database; undefined for any other text. */
export function findPosition(reader: Reader, workspace: number, text: string): number | undefined {
  const cursor = parseCursor(text)
  return cursor && isOfThisHistory(reader, workspace, cursor) ? cursor.number : undefined
}

/** Refuses a text that is not a cursor. */
export function checkCursor(text: string, name: string): void {
  if (!parseCursor(text))
    throw invalid(`"${name}" must be a cursor that this service has returned.`, atPlace(name))
}

/**
 * The number of the last change that a reader with this cursor has seen. Refuses malformed cursors, and cursors whose
 * later changes are not all stored.
 */
export function getPosition(reader: Reader, workspace: number, text: string, name: string): number {
  checkCursor(text, name)
  const number = findPosition(reader, workspace, text)
  if (number === undefined) throw expired()
  refuseExpired(reader, workspace, number)
  return number
}

/** Whether all changes after a position are stored. */
export const hasAllAfter = (reader: Reader, workspace: number, number: number): boolean =>
  number >= oldestChange(reader, workspace) - 1

/** Refuses a position after which retention removed changes. */
export function refuseExpired(reader: Reader, workspace: number, number: number): void {
  if (!hasAllAfter(reader, workspace, number)) throw expired()
}

/** The cursor of the transaction's first change, which identifies it; null before its first change in the workspace. */
export function transactionCursor(tx: Tx, workspace: number): string | null {
  const range = loggedRange(tx, workspace)
  return range ? cursorFormatter(tx, workspace)(range.first) : null
}

const expired = () =>
  cursorExpired(
    'The cursor is older than the changes that are kept, or comes from another state of the database; begin again with GET /v1/changes/snapshot.',
  )

/** The number of workspaces to look at at once, about a millisecond of work if nothing is old. */
const WORKSPACES_AT_ONCE = 200

/**
 * Removes up to `limit` changes that are older than an instant, from some workspaces after a pk. Returns the pk of the
 * last workspace that is done; undefined if all are.
 */
export function removeChangesBefore(tx: Tx, before: number, limit: number, after = 0): number | undefined {
  const workspaces = tx.sql.column<number>(
    'SELECT pk FROM workspaces WHERE pk > ? ORDER BY pk LIMIT ?',
    after,
    WORKSPACES_AT_ONCE,
  )
  let [left, done] = [limit, after]
  for (const workspace of workspaces) {
    left -= removeIn(tx, workspace, before, left)
    if (left === 0) return done
    done = workspace
  }
  return workspaces.length < WORKSPACES_AT_ONCE ? undefined : done
}

/** Removes only from the beginning of the log, and never the last change: its number determines the next one. */
function removeIn(tx: Tx, workspace: number, before: number, limit: number): number {
  const [first] = tx.sql.column<number>(
    'SELECT at FROM changes WHERE key > ? ORDER BY key LIMIT 1',
    keyOf(workspace, 0),
  )
  if (first === undefined || first >= before) return 0
  const oldest = tx.sql.rows<[key: number, at: number]>(
    'SELECT key, at FROM changes WHERE key > ? AND key < ? ORDER BY key LIMIT ?',
    keyOf(workspace, 0),
    keyOf(workspace, lastChange(tx, workspace)),
    limit,
  )
  const end = oldest.findIndex(([, at]) => at >= before)
  const removed = end === -1 ? oldest : oldest.slice(0, end)
  const last = removed.at(-1)
  if (last) {
    tx.sql.run('DELETE FROM private_changes WHERE last BETWEEN ? AND ?', keyOf(workspace, 0), last[0])
    for (const table of ['changes', 'change_undos'])
      tx.sql.run(`DELETE FROM ${table} WHERE key > ? AND key <= ?`, keyOf(workspace, 0), last[0])
  }
  return removed.length
}
