import type { Surface } from '../kernel/caller.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { type Bus, createBus } from '../lib/bus.ts'
import type { Reader } from '../storage/reader.ts'
import {
  CHANGE_KINDS,
  CHANGE_OPERATIONS,
  CHANGES_PER_WORKSPACE,
  type ChangeKind,
  type ChangeOperation,
  UPPER,
  UPPER_UNIT,
} from '../storage/schema/changes.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { type Difference, differenceOf, differenceText } from './difference.ts'
import { checkLocalChange, type StateBefore } from './mirror-guard.ts'

/**
 * Logged for the deletion of a file without a note, or of a subscription to notes, because only its row showed that.
 */
export const ALONE = { hidden: { alone: true } }

/* The stored format of a change: its key, its kind and operation, and the ids that it names. */

/** The key just before the first change of the workspace. */
export const startOfKeys = (workspace: number): number =>
  (workspace % UPPER) * UPPER_UNIT + Math.floor(workspace / UPPER) * CHANGES_PER_WORKSPACE

/** The changes of a workspace are numbered from 1; its keys are a range. */
export const keyOf = (workspace: number, number: number): number => startOfKeys(workspace) + number

/** The number of a change in its workspace. */
export const numberOf = (key: number): number => key % CHANGES_PER_WORKSPACE

/** Greater than every key of the workspace. */
export const endOfKeys = (workspace: number): number => startOfKeys(workspace) + CHANGES_PER_WORKSPACE

const OPERATIONS_PER_KIND = 8

/** Stored numbers: new kinds and operations must be appended to their lists. */
export const kindNumber = (kind: ChangeKind, operation: ChangeOperation): number =>
  CHANGE_KINDS.indexOf(kind) * OPERATIONS_PER_KIND + CHANGE_OPERATIONS.indexOf(operation)

export const kindOf = (stored: number): ChangeKind =>
  CHANGE_KINDS[Math.floor(stored / OPERATIONS_PER_KIND)] ?? 'note'

export const operationOf = (stored: number): ChangeOperation =>
  CHANGE_OPERATIONS[stored % OPERATIONS_PER_KIND] ?? 'updated'

/** The stored numbers of a kind, as a range of integers. */
export const kindRange = (kind: ChangeKind): [first: number, last: number] => {
  const first = CHANGE_KINDS.indexOf(kind) * OPERATIONS_PER_KIND
  return [first, first + OPERATIONS_PER_KIND - 1]
}

const UUID_BYTES = 16

/** The stored form of an id: a UUID as its bytes, the number of a tag as its digits. */
export const storedId = (id: string | number): Buffer => Buffer.from(hexOf(id).replaceAll('-', ''), 'hex')

/** The same in hexadecimal, possibly with hyphens, for `unhex`: binding bytes takes longer. */
export const hexOf = (id: string | number): string =>
  typeof id === 'number' ? Buffer.from(String(id)).toString('hex') : id

/** The id from its stored form in hexadecimal. */
export function idOf(digits: string): string | number {
  if (digits.length !== 2 * UUID_BYTES) return Number(Buffer.from(digits, 'hex').toString())
  const hex = digits.toLowerCase()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** A row that moved because of another one, with its previous position. */
export interface Shifted {
  readonly id: string
  readonly before: number
}

/*
 * One row per changed object, with an index by object, costs about 89 bytes and 4 microseconds a change. One row per
 * transaction with packed changes costs about the same, because every change still needs its entry in that index. Only
 * a log without history and undo would be smaller.
 */

/** The author of a change, and the workspace. */
export interface ChangeAuthor {
  readonly workspacePk: number
  readonly surface: Surface | 'system'
  /** Empty for the command line, the server itself, and sources, which have their name in `keyName`. */
  readonly userId: string
  readonly keyId: string | null
  readonly keyName: string | null
  /**
   * Set for the mirror, which logs the changes of the remote itself (`append-mirrored.ts`). Only the mirror may write
   * in a copy.
   */
  readonly isCopying?: true
}

/** The server itself as an author, for example in retention. */
export const systemAuthor = (workspacePk: number): ChangeAuthor & { readonly rights: undefined } => ({
  workspacePk,
  rights: undefined,
  surface: 'system',
  userId: '',
  keyId: null,
  keyName: null,
})

/** The author of a caller without its other members, for storage in jobs. */
export const authorOf = ({ workspacePk, surface, userId, keyId, keyName }: ChangeAuthor): ChangeAuthor => ({
  workspacePk,
  surface,
  userId,
  keyId,
  keyName,
})

export interface ChangedObject {
  readonly kind: ChangeKind
  readonly id: string | number
  /** Set for records, webhooks, and structures themselves. */
  readonly structureId?: string
}

interface ChangeDetails {
  readonly difference?: Difference
  /** Data for undo that responses do not show. */
  readonly hidden?: object
  /** The pk of the revision with the replaced text, or the previous `updated_at` of the record. */
  readonly replaced?: number
  /** The object before its update or deletion as JSON text, for a writable copy (`mirror-guard.ts`). */
  readonly before?: () => string | null
}

/** The changes of a transaction in one workspace. */
export interface OpenLog {
  readonly author: ChangeAuthor
  readonly actor: number
  /** The numbers of its first and its next change; undefined before the first change. */
  numbers: { readonly first: number; next: number } | undefined
}

export const newOpenLogs = () => new Map<number, OpenLog>()

const LAST = 'SELECT key FROM changes WHERE key < ? ORDER BY key DESC LIMIT 1'

/** The number of the last change of a workspace; 0 before the first. Retention always keeps the last change. */
export function lastChange({ sql }: Reader, workspace: number): number {
  const key = sql.get<{ key: number }>(LAST, endOfKeys(workspace))?.key ?? 0
  return key > keyOf(workspace, 0) ? numberOf(key) : 0
}

function openLog(tx: Tx, author: ChangeAuthor): OpenLog {
  const logs = tx.transaction.state.of(newOpenLogs)
  const known = logs.get(author.workspacePk)
  if (known && isSameAuthor(known.author, author)) return known
  const log = { author, actor: actorOf(tx, author), numbers: known?.numbers }
  logs.set(author.workspacePk, log)
  return log
}

const isSameAuthor = (one: ChangeAuthor, other: ChangeAuthor): boolean =>
  one === other || authorKey(one) === authorKey(other)

const newCopyMark = (): { isCopy?: boolean } => ({})

/** Whether the database is a copy of a remote; looked up at the first write of a connection. */
export function isCopy(reader: Reader): boolean {
  const mark = reader.sql.state.of(newCopyMark)
  mark.isCopy ??= reader.sql.get('SELECT 1 FROM mirrors LIMIT 1') !== undefined
  return mark.isCopy
}

const INSERT = 'INSERT INTO changes (key, position, at, actor, kind, object, structure, revision, detail)'
const CONTENT = "?3, ?4, ?5, unhex(?6, '-'), unhex(?7, '-'), ?8, ?9"
/**
 * Inserts the first change of a transaction, which has the position 0. Its number follows the last one without a
 * separate query.
 */
const INSERT_FIRST = `${INSERT} VALUES (max(?1, coalesce((${LAST.replace('?', '?2')}), 0)) + 1, 0, ${CONTENT})`
const INSERT_NEXT = `${INSERT} VALUES (?1, ?2, ${CONTENT})`

/**
 * Appends a change to the log in the transaction of the write. Every write that changes an object of a workspace must
 * call it. Numbers are assigned under the write lock, so no number ever appears below one that was already read.
 */
export function logChange(
  tx: Tx,
  author: ChangeAuthor,
  object: ChangedObject,
  operation: ChangeOperation,
  { difference, hidden, replaced, before }: ChangeDetails = {},
): void {
  if (author.isCopying) return
  const { kind, id, structureId } = object
  if (isCopy(tx)) checkLocalChange(tx, operation, object, [id], before)
  const log = openLog(tx, author)
  const { numbers } = log
  const { workspacePk } = author
  const { lastInsertRowid } = tx.sql.run(
    numbers ? INSERT_NEXT : INSERT_FIRST,
    keyOf(workspacePk, numbers?.next ?? 0),
    numbers ? numbers.next - numbers.first : endOfKeys(workspacePk),
    tx.transaction.startedAt,
    log.actor,
    kindNumber(kind, operation),
    hexOf(id),
    structureId ?? null,
    replaced ?? null,
    difference ? differenceText(difference) : hidden ? JSON.stringify(hidden) : null,
  )
  if (numbers) numbers.next += 1
  else log.numbers = startingAt(numberOf(lastInsertRowid), 1)
}

/** The numbers of a transaction after its first `count` changes. */
const startingAt = (first: number, count: number) => ({ first, next: first + count })

const INSERT_CREATED = `INSERT INTO changes (key, position, at, actor, kind, object, structure)
  SELECT ?1 + key, ?2 + key, ?3, ?4, ?5, unhex(value, '-'), unhex(?6, '-') FROM json_each(?7)`

/** Logs the creation of records in this order, in one statement. */
export function logCreatedRecords(
  tx: Tx,
  author: ChangeAuthor,
  structureId: string,
  ids: readonly string[],
): void {
  const [id] = ids
  if (id !== undefined && ids.length === 1)
    logChange(tx, author, { kind: 'record', id, structureId }, 'created')
  else logMany(tx, author, ['record', 'created'], INSERT_CREATED, structureId, ids)
}

const INSERT_TEXTS = `INSERT INTO changes (key, position, at, actor, kind, object, revision, detail)
  SELECT ?1 + key, ?2 + key, ?3, ?4, ?5, unhex(value ->> 0, '-'), value ->> 1, ?6 FROM json_each(?7)`
const ONLY_TEXT = differenceText({ changed: ['content'], previous: {} })

/**
 * Logs body changes of notes in this order, in one statement. Each entry has the note's id and the pk of the revision;
 * `before` returns the note of an entry as it was.
 */
export const logTextUpdates = (
  tx: Tx,
  author: ChangeAuthor,
  updates: readonly (readonly [id: string, revision: number])[],
  before: StateBefore,
): void => logMany(tx, author, ['note', 'updated'], INSERT_TEXTS, ONLY_TEXT, updates, before)

/**
 * Logs a change of each of these objects in one statement. Each is its id, or a list that begins with its id. All share
 * the value `shared`: for created objects it is the structure.
 */
function logMany(
  tx: Tx,
  author: ChangeAuthor,
  [kind, operation]: readonly [ChangeKind, ChangeOperation],
  insert: string,
  shared: string | null,
  objects: readonly (string | readonly [id: string, value: unknown])[],
  before?: StateBefore,
): void {
  if (author.isCopying || objects.length === 0) return
  if (isCopy(tx)) {
    const ids = objects.map((object) => (typeof object === 'string' ? object : object[0]))
    checkLocalChange(
      tx,
      operation,
      { kind, structureId: operation === 'created' ? shared : null },
      ids,
      before,
    )
  }
  const log = openLog(tx, author)
  log.numbers ??= startingAt(lastChange(tx, author.workspacePk) + 1, 0)
  const { numbers } = log
  tx.sql.run(
    insert,
    keyOf(author.workspacePk, numbers.next),
    numbers.next - numbers.first,
    tx.transaction.startedAt,
    log.actor,
    kindNumber(kind, operation),
    shared,
    JSON.stringify(objects),
  )
  numbers.next += objects.length
}

/**
 * Logs an update with the differences of the object before and after, as responses show them. Logs nothing without a
 * difference.
 */
export function logUpdate(
  tx: Tx,
  author: ChangeAuthor,
  object: ChangedObject,
  before: object,
  after: object,
  derived: readonly string[] = [],
  texts: readonly string[] = [],
): void {
  const { changed, previous } = differenceOf({ ...before }, { ...after }, derived)
  if (changed.length === 0) return
  const old = Object.fromEntries(Object.entries(previous).filter(([name]) => !texts.includes(name)))
  logChange(tx, author, object, 'updated', { difference: { changed, previous: old } })
}

const INSERT_SHIFTS = `INSERT INTO changes (key, position, at, actor, kind, object, structure, detail)
  SELECT ?1 + key, ?2 + key, ?3, ?4, ?5, unhex(value ->> 0, '-'), unhex(?6, '-'),
    json_object('position', value ->> 1) FROM json_each(?7)`

/** Logs in one statement that other rows moved by one, in this order. All belong to one structure, if to any. */
export const logShifts = (
  tx: Tx,
  author: ChangeAuthor,
  kind: ChangeKind,
  shifted: readonly Shifted[],
  structureId: string | null,
  before: StateBefore,
): void =>
  logMany(
    tx,
    author,
    [kind, 'updated'],
    INSERT_SHIFTS,
    structureId,
    shifted.map(({ id, before }) => [id, before] as const),
    before,
  )

/** The numbers of the changes that the transaction has logged in a workspace so far; undefined if none. */
export function loggedRange(
  { transaction }: Tx,
  workspace: number,
): { readonly first: number; readonly last: number } | undefined {
  const numbers = transaction.state.of(newOpenLogs).get(workspace)?.numbers
  return numbers && { first: numbers.first, last: numbers.next - 1 }
}

const MAX_ACTORS = 1_000
const newActors = () => new BoundedCache<string, number>(MAX_ACTORS)

const authorKey = ({ surface, userId, keyId, keyName }: ChangeAuthor): string =>
  JSON.stringify([surface, userId, keyId, keyName])

/** The author's pk in the table of actors. Cached only after the commit, because the transaction may be rolled back. */
function actorOf(tx: Tx, author: ChangeAuthor): number {
  const cache = tx.sql.state.of(newActors)
  const key = authorKey(author)
  const known = cache.get(key)
  if (known !== undefined) return known
  const actor = actorPk(tx, actorRow(tx, author))
  tx.afterCommit(() => cache.set(key, actor))
  return actor
}

/** An author as stored in the table of actors. */
export interface ActorRow {
  readonly surface: string
  readonly userId: string | null
  readonly keyId: string | null
  readonly name: string | null
}

function actorRow({ sql }: Reader, { surface, userId, keyId, keyName }: ChangeAuthor): ActorRow {
  if (userId === '')
    return { surface, userId: null, keyId, name: surface === 'system' ? null : (keyName ?? 'command line') }
  const userName = () =>
    sql.get<{ name: string }>('SELECT name FROM users WHERE id = ?', userId)?.name ?? null
  return { surface, userId, keyId, name: keyName ?? userName() }
}

/** The pk of an actor, which is added to the table if needed. */
export const actorPk = ({ sql }: Tx, { surface, userId, keyId, name }: ActorRow): number =>
  sql.get<{ pk: number }>(
    'SELECT pk FROM change_actors WHERE surface = ? AND user_id IS ? AND key_id IS ? AND name IS ?',
    surface,
    userId,
    keyId,
    name,
  )?.pk ??
  sql.run(
    'INSERT INTO change_actors (surface, user_id, key_id, name) VALUES (?, ?, ?, ?)',
    surface,
    userId,
    keyId,
    name,
  ).lastInsertRowid

/** The bus of a database, shared by all connections of this thread. */
export const busOf = ({ sql }: Reader): Bus => sql.state.of(createBus)

/** Reports after the commit that anything in the structure may have changed; without an id, anything at all. */
export const notifyAfterCommit = (tx: Tx, structureId?: string): void =>
  tx.afterCommit(() => busOf(tx).notify(structureId))
