import type { Surface } from '../kernel/caller.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import type { Reader } from '../storage/reader.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import {
  type ChangeKind,
  type ChangeOperation,
  type Difference,
  differenceOf,
  differenceText,
  endOfKeys,
  hexOf,
  keyOf,
  kindNumber,
  numberOf,
} from './entries.ts'
import { checkLocalChange } from './mirror-guard.ts'

/** A row that another one moved, with its position before. */
export interface Shifted {
  readonly id: string
  readonly before: number
}

/*
 * One row for each changed object, with an index by object, costs about 89 bytes and 4 microseconds a change. One row
 * for each transaction with its changes packed costs about the same, because every change still needs its entry in
 * that index; only a log without history and undo would be smaller.
 */

/** The author of a change, with the workspace. */
export interface ChangeAuthor {
  readonly workspacePk: number
  readonly surface: Surface | 'system'
  /** Empty for the command line, for a source, which has its name as `keyName`, and for the server itself. */
  readonly userId: string
  readonly keyId: string | null
  readonly keyName: string | null
  /** Set for the mirror, which logs the changes of the remote itself (`append-mirrored.ts`); only it may write in a copy. */
  readonly isCopying?: true
}

/** The server itself, as in retention. */
export const systemAuthor = (workspacePk: number): ChangeAuthor & { readonly rights: undefined } => ({
  workspacePk,
  rights: undefined,
  surface: 'system',
  userId: '',
  keyId: null,
  keyName: null,
})

/** The author alone of a caller, as jobs keep it. */
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
  /** Of a record, a webhook, and of the structure itself. */
  readonly structureId?: string
}

interface ChangeDetails {
  readonly difference?: Difference
  /** Data for undoing the change that responses do not show. */
  readonly hidden?: object
  /** The pk of the revision that holds the replaced text, or the `updated_at` that the record had. */
  readonly replaced?: number
}

/** The changes of one workspace in a transaction. */
interface OpenLog {
  readonly author: ChangeAuthor
  readonly actor: number
  /** The numbers of its first and its next change; undefined before the first one. */
  numbers: { readonly first: number; next: number } | undefined
}

const newOpenLogs = () => new Map<number, OpenLog>()

const LAST = 'SELECT key FROM changes WHERE key < ? ORDER BY key DESC LIMIT 1'

/** The number of the last change of a workspace; 0 before the first. Retention always leaves the last one. */
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

const INSERT = 'INSERT INTO changes (key, position, at, actor, kind, object, structure, revision, detail)'
const CONTENT = "?3, ?4, ?5, unhex(?6, '-'), unhex(?7, '-'), ?8, ?9"
/** The first change of a transaction, which has the position 0: the number after the last one, without a query for it. */
const INSERT_FIRST = `${INSERT} VALUES (max(?1, coalesce((${LAST.replace('?', '?2')}), 0)) + 1, 0, ${CONTENT})`
const INSERT_NEXT = `${INSERT} VALUES (?1, ?2, ${CONTENT})`

/**
 * Every write that changes an object of a workspace ends here: appends the change to the log, in the transaction of the
 * write. Numbers are given out under the write lock, so that none ever appears below one that was already read.
 */
export function logChange(
  tx: Tx,
  author: ChangeAuthor,
  object: ChangedObject,
  operation: ChangeOperation,
  { difference, hidden, replaced }: ChangeDetails = {},
): void {
  if (author.isCopying) return
  const { kind, id, structureId } = object
  checkLocalChange(tx, author, operation, object, [id])
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

/** Logs that records were created, in this order, in one statement. */
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

/** Logs that the bodies of notes changed, in this order, in one statement: each by its id, with the pk of the revision. */
export const logTextUpdates = (
  tx: Tx,
  author: ChangeAuthor,
  updates: readonly (readonly [id: string, revision: number])[],
): void => logMany(tx, author, ['note', 'updated'], INSERT_TEXTS, ONLY_TEXT, updates)

/**
 * Logs a change of each of these objects in one statement; `shared` is the value that all of them have: the structure
 * of created ones, which are given by their ids.
 */
function logMany(
  tx: Tx,
  author: ChangeAuthor,
  [kind, operation]: readonly [ChangeKind, ChangeOperation],
  insert: string,
  shared: string | null,
  objects: readonly unknown[],
): void {
  if (author.isCopying || objects.length === 0) return
  const [structureId, ids] = operation === 'created' ? [shared, objects as readonly string[]] : [null, []]
  checkLocalChange(tx, author, operation, { kind, structureId }, ids)
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

/** Logs an update with what differs between the object before and after, as responses show it; nothing if nothing does. */
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

/** Logs that other rows, of one structure if they belong to one, moved by one, in this order, in one statement. */
export const logShifts = (
  tx: Tx,
  author: ChangeAuthor,
  kind: ChangeKind,
  shifted: readonly Shifted[] = [],
  structureId: string | null = null,
): void =>
  logMany(
    tx,
    author,
    [kind, 'updated'],
    INSERT_SHIFTS,
    structureId,
    shifted.map(({ id, before }) => [id, before]),
  )

/** The numbers of the changes that the transaction has logged so far in a workspace; undefined without any. */
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

/** The pk of the author in the table of actors. Cached after the commit only, as a transaction may be rolled back. */
function actorOf(tx: Tx, author: ChangeAuthor): number {
  const cache = tx.sql.state.of(newActors)
  const key = authorKey(author)
  const known = cache.get(key)
  if (known !== undefined) return known
  const actor = actorPk(tx, actorRow(tx, author))
  tx.afterCommit(() => cache.set(key, actor))
  return actor
}

/** An author as the table of actors holds it. */
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

/** The pk of an actor, who is added to the table if needed. */
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
