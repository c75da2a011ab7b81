import type { Static } from '@sinclair/typebox'
import { undoComment } from '../comments/undo.ts'
import type { Caller } from '../context.ts'
import { long, write } from '../kernel/operation.ts'
import { notFound, Refusal, refused } from '../lib/refusal.ts'
import { quoteList, withCommas } from '../lib/text.ts'
import { findPosition, transactionCursor } from '../log/cursors.ts'
import { differenceText, parseDifference } from '../log/difference.ts'
import { loggedRange } from '../log/log.ts'
import { type Change, changesAfter, changesOfTransaction } from '../log/read.ts'
import { saveUndo, touchedAfter } from '../log/transactions.ts'
import { insertItem, type RemovedItem } from '../notes/pinned/service.ts'
import { findTrashedNote, getNote, type NoteRow } from '../notes/store.ts'
import type { PropertyValues } from '../notes/writing/properties.ts'
import { type NoteText, replaceEach } from '../notes/writing/replace-content.ts'
import type { HiddenAliases } from '../notes/writing/trash.ts'
import { ObjectWriter } from '../objects/writer.ts'
import { revertChange } from '../records/rows/writing/one-record.ts'
import type { Reader } from '../storage/reader.ts'
import type { ChangeKind, ChangeOperation } from '../storage/schema/changes.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import type { UndoBody } from './schema.ts'
import { checkUndoable, seenOf } from './visible.ts'

type Body = Static<typeof UndoBody>

/** Undoing more in one transaction would delay other writes for long. */
const MAX_UNDONE = 20_000

export interface Undone {
  readonly undone: readonly {
    readonly kind: UndoableKind
    readonly id: string
    readonly op: ChangeOperation
  }[]
  readonly transaction: string | null
}

/** Undoes all changes of notes, records and comments of a transaction in one new transaction, or refuses. */
export const undo = long(
  write({
    name: 'change-feed.undo',
    covers: 'several',
    run: (tx, caller, { body: { transaction, dry_run: isDryRun = false } }: { body: Body }): Undone => {
      const undone = undoTransaction(tx, caller, transaction)
      return isDryRun ? { ...undone, transaction: null } : undone
    },
    isTrial: ({ body }) => body.dry_run === true,
  }),
)

function undoTransaction(tx: Tx, caller: Caller, transaction: string): Undone {
  const { workspacePk } = caller
  const changes = findTransaction(tx, workspacePk, transaction)
  const seen = seenOf(tx, caller, changes)
  if (seen.length === 0) throw notFound('transaction')
  checkUndoable(tx, caller, changes, seen)
  const objects = changedObjects(changes)
  refuseOthers(changes, seen)
  const comments = changedComments(changes)
  refuseTouched(tx, workspacePk, [...objects, ...comments], changes.at(-1)?.number ?? 0)
  const undone = undoTexts(tx, caller, objects.toReversed())
  const takenItems = takenItemsByNote(changes)
  const writer = new ObjectWriter({ tx, caller, mode: 'logged' })
  const others = objects.filter(({ id }) => !undone.has(id)).toReversed()
  for (const object of others) release(writer, object)
  for (const object of others) {
    if (object.kind === 'record') undoRecord(writer, object)
    else undoNote(writer, tx, caller, object, takenItems)
  }
  writer.finish()
  for (const { id, changes } of comments.toReversed()) undoComment(tx, caller, id, changes)
  const range = loggedRange(tx, workspacePk)
  if (range) saveUndo(tx, workspacePk, range.first, changes[0]?.first ?? 0)
  return outcomeOf(tx, workspacePk)
}

function findTransaction(reader: Reader, workspace: number, transaction: string): Change[] {
  const first = findPosition(reader, workspace, transaction)
  if (first === undefined) throw notFound('transaction')
  const changes = changesOfTransaction(reader, workspace, first, MAX_UNDONE + 1)
  // If the first changes are no longer stored, the rest is not the whole transaction.
  if (changes[0]?.number !== first) throw notFound('transaction')
  if (changes.length <= MAX_UNDONE) return changes
  throw refused(
    `This transaction has more than ${withCommas(MAX_UNDONE)} changes, too many to be undone at once.`,
  )
}

const changedObjects = (changes: readonly Change[]) => changedOf(changes, ['note', 'record'])

/** Comments that come back with their note or row also go away with it. */
const changedComments = (changes: readonly Change[]) =>
  changedOf(
    changes.filter(({ operation }) => operation !== 'restored'),
    ['comment'],
  )

function changedOf<Kind extends ChangeKind>(
  changes: readonly Change[],
  kinds: readonly Kind[],
): Changed<Kind>[] {
  const objects = new Map<string, Changed<Kind>>()
  for (const change of changes) {
    const id = String(change.id)
    const kind = kinds.find((one) => one === change.kind)
    if (kind === undefined) continue
    const object = objects.get(id) ?? { kind, id, changes: [] }
    object.changes.push(change)
    objects.set(id, object)
  }
  return [...objects.values()]
}

/** The note of a Quick Access item; the log stores it for added and removed items. */
const noteOf = ({ detail }: Change): string | undefined =>
  detail === null ? undefined : (JSON.parse(detail) as { note_id?: string }).note_id

/**
 * Refuses other changes. Tags that the transaction created do not prevent an undo, nor do Quick Access changes caused
 * by those of a note.
 */
function refuseOthers(changes: readonly Change[], seen: readonly Change[]): void {
  const deleted = deletedBy(changes)
  if (deleted !== undefined)
    throw refused(`This transaction is part of the deletion of ${deleted}, which cannot be undone.`)
  const notes = new Set(changes.filter(({ kind }) => kind === 'note').map(({ id }) => id))
  const items = changes.filter(({ kind }) => kind === 'quick_access_item')
  const comesOrGoes = ({ operation }: Change) => operation === 'created' || operation === 'deleted'
  const goesAlong = (item: Change) => comesOrGoes(item) && notes.has(noteOf(item) ?? '')
  const mayShift = items.some(goesAlong)
  const isAllowed = (change: Change): boolean => {
    const { kind, operation } = change
    if (kind === 'record' || kind === 'comment' || (kind === 'tag' && operation === 'created')) return true
    if (kind === 'note') return operation !== 'purged'
    if (kind !== 'quick_access_item') return false
    return operation === 'updated' ? mayShift && isShift(change) : goesAlong(change)
  }
  const others = changes.filter((change) => !isAllowed(change))
  if (others.length === 0) return
  const named = others.filter((change) => seen.includes(change))
  const names = [...new Set(named.map(({ kind, id }) => `${wordOf(kind)} ${id}`))].slice(0, MAX_NAMED)
  const also = names.join(', ') || 'something else'
  throw refused(
    `Only changes of notes, records and comments can be undone; this transaction also changed ${also}.`,
  )
}

/** Describes the tag or property whose deletion, in one or several transactions, made the changes. */
function deletedBy(changes: readonly Change[]): string | undefined {
  for (const { kind, operation, detail } of changes) {
    if (detail === null) continue
    if (operation === 'deleted' && (kind === 'tag' || kind === 'property'))
      return `the ${kind} "${(JSON.parse(detail) as { name: string }).name}"`
    if (operation === 'updated' && detail.startsWith('[')) {
      const { deleted } = parseDifference(detail)
      if (deleted !== undefined) return deleted
    }
  }
  return undefined
}

const MAX_NAMED = 10

const WORDS: Partial<Record<ChangeKind, string>> = {
  quick_access_item: 'Quick Access item',
  row_view: 'view of rows',
}
const wordOf = (kind: ChangeKind) => `the ${WORDS[kind] ?? kind}`

const isShift = ({ detail }: Change): boolean =>
  detail !== null && parseDifference(detail).changed.every((name) => name === 'position')

/** Refuses if any of the objects has a later change that was not undone. */
function refuseTouched(tx: Tx, workspace: number, objects: readonly Changed[], last: number): void {
  const touched = touchedAfter(tx, workspace, objects, last)
  const gone = objects.filter((object) => isGone(tx, object))
  const names = [...new Set([...touched, ...gone])]
    .slice(0, MAX_NAMED)
    .map(({ kind, id }) => nameOf(tx, kind, id))
  if (names.length === 0) return
  throw new Refusal('stale', `Changed since then: ${names.join(', ')}; nothing was undone.`)
}

/** Rows of a deleted structure disappear without their own changes. */
const isGone = ({ sql }: Tx, { kind, changes }: Changed): boolean =>
  kind === 'record' &&
  sql.get('SELECT 1 FROM structures WHERE id = ?', changes[0]?.structureId ?? '') === undefined

function nameOf({ sql }: Tx, kind: string, id: string): string {
  const title =
    kind === 'note'
      ? sql.get<{ title: string }>('SELECT title FROM notes WHERE id = ?', id)?.title
      : undefined
  return title === undefined ? `the ${kind} ${id}` : `the note ${quoteList([title])}`
}

/** Whether the object existed and was not deleted, before and after the transaction. */
function presence({ changes }: ChangedObject): { readonly before: boolean; readonly after: boolean } {
  const first = changes[0]?.operation
  return {
    before: first === 'updated' || first === 'deleted',
    after: changes.at(-1)?.operation !== 'deleted',
  }
}

/** Clears the values that a remaining object will get back, so that objects can exchange them. */
function release(writer: ObjectWriter, object: ChangedObject): void {
  const { before, after } = presence(object)
  if (!before || !after) return
  const { kind, id, changes } = object
  if (kind === 'record') writer.release({ kind, id, data: valuesBefore(object) })
  for (const { operation, detail } of kind === 'note' ? changes : []) {
    const { alias, aliases } = operation === 'updated' && detail ? parseDifference(detail).previous : {}
    if (alias === undefined && aliases === undefined) continue
    writer.release({ kind, id, data: { alias, aliases } })
    break
  }
}

function valuesBefore({ changes }: ChangedObject): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const change of changes.toReversed()) revertChange(values, change)
  return values
}

function undoRecord(writer: ObjectWriter, object: ChangedObject): void {
  const { before, after } = presence(object)
  const about = { kind: 'record', id: object.id } as const
  if (!before) {
    if (after) writer.write({ ...about, op: 'deleted' })
    return
  }
  if (!after) writer.write({ ...about, op: 'restored' })
  const data = valuesBefore(object)
  if (Object.keys(data).length > 0) writer.write({ ...about, op: 'updated', data })
}

/** `takenItems` maps notes to the deletions of their Quick Access items. */
function undoNote(
  writer: ObjectWriter,
  tx: Tx,
  caller: Caller,
  object: ChangedObject,
  takenItems: ReadonlyMap<string, Change>,
): void {
  const { before, after } = presence(object)
  const { id, changes } = object
  const about = { kind: 'note', id } as const
  if (!before) {
    if (after) writer.write({ ...about, op: 'deleted', hidden: hiddenAliases(changes[0]) })
    return
  }
  if (!after) {
    writer.write({ ...about, op: 'restored', hidden: hiddenAliases(changes.at(-1)) })
    const item = takenItems.get(id)
    if (item) restoreItem(tx, caller, item)
  }
  const updates = changes.filter(({ operation }) => operation === 'updated')
  const [first] = updates
  if (!first) return
  const trashed = findTrashedNote(tx, caller.workspacePk, id)
  // While a note is in the trash, only the links in its body can change.
  if (trashed) undoBodies(tx, caller, new Map([[trashed.pk, first]]))
  else writer.write({ ...about, op: 'updated', data: partsBefore(tx, getNote(tx, caller, id), updates) })
}

/** The aliases that a trashed note had before it was restored, or before it was trashed, if it did not keep them. */
const hiddenAliases = (change: Change | undefined): HiddenAliases =>
  change === undefined || change.operation === 'updated' || change.detail === null
    ? {}
    : (JSON.parse(change.detail) as HiddenAliases)

function takenItemsByNote(changes: readonly Change[]): Map<string, Change> {
  const items = new Map<string, Change>()
  for (const change of changes) {
    if (change.kind !== 'quick_access_item' || change.operation !== 'deleted') continue
    const note = noteOf(change)
    if (note !== undefined && !items.has(note)) items.set(note, change)
  }
  return items
}

function restoreItem(tx: Tx, caller: Caller, taken: Change): void {
  if (taken.detail === null) return
  const { createdAt, ...item } = JSON.parse(taken.detail) as RemovedItem
  insertItem({ ...tx, now: createdAt, newId: () => String(taken.id) }, caller, item)
}

/** The attributes, property values and body that these updates of a note replaced. */
function partsBefore(tx: Tx, note: NoteRow, updates: readonly Change[]): Record<string, unknown> {
  const old: Record<string, unknown> = {}
  const properties: PropertyValues = {}
  let content: string | undefined
  for (const change of updates.toReversed()) {
    const { changed, previous } = parseDifference(change.detail ?? '{}')
    Object.assign(old, previous)
    Object.assign(properties, previous.properties)
    if (changed.includes('content')) content = getOldContent(tx, note, change)
  }
  return { ...old, properties, ...(content !== undefined && { content }) }
}

function outcomeOf(tx: Tx, workspace: number): Undone {
  const range = loggedRange(tx, workspace)
  if (!range) return { undone: [], transaction: null }
  const changes = changesAfter(tx, workspace, {
    after: range.first - 1,
    upTo: range.last,
    limit: range.last - range.first + 1,
  })
  const undone = changes.flatMap(({ kind, id, operation: op }) =>
    isUndoable(kind) ? [{ kind, id: String(id), op }] : [],
  )
  return { undone, transaction: transactionCursor(tx, workspace) }
}

/*
 * Notes whose bodies alone a transaction changed, as when it rewrites links, are undone together in few statements.
 */

/** All changes of one object in the transaction being undone, in order. */
interface Changed<Kind extends ChangeKind = UndoableKind> {
  readonly kind: Kind
  readonly id: string
  readonly changes: Change[]
}

export type ChangedObject = Changed<'note' | 'record'>

export type UndoableKind = 'note' | 'record' | 'comment'

const isUndoable = (kind: ChangeKind): kind is UndoableKind =>
  kind === 'note' || kind === 'record' || kind === 'comment'

const BODY_ALONE = differenceText({ changed: ['content'], previous: {} })

const changedBodyAlone = ({ kind, changes }: ChangedObject): boolean =>
  kind === 'note' &&
  changes.every(({ operation, detail }) => operation === 'updated' && detail === BODY_ALONE)

/**
 * The body that a change replaced. It is in a revision, unless retention removed that revision and its pk was reused.
 */
function getOldContent(
  { sql }: Reader,
  { pk, title }: Pick<NoteText, 'pk' | 'title'>,
  { replaced, at }: Change,
): string {
  const select = 'SELECT content FROM revisions WHERE pk = ? AND note = ? AND created_at = ?'
  const [content] = sql.column<string>(select, replaced, pk, at)
  if (content !== undefined) return content
  throw refused(
    `The text that the note ${quoteList([title])} had is no longer kept; revisions are kept 7 days.`,
  )
}

/** Restores the bodies of notes, by pk, that these changes replaced. */
function undoBodies(tx: Tx, caller: Caller, changes: ReadonlyMap<number, Change>, isEdit = false): void {
  const restored = (note: NoteText) => {
    const change = changes.get(note.pk)
    const content = change ? getOldContent(tx, note, change) : note.content
    return content === note.content ? undefined : { content, links: 0 }
  }
  replaceEach(tx, caller, [...changes.keys()], restored, isEdit)
}

const RENAMING = ['title', 'alias', 'aliases']

/** Whether the transaction renamed a note. Its changes of other bodies are then rewritten links. */
const isRenaming = ({ changes }: ChangedObject): boolean =>
  changes.some(({ operation, detail }) => {
    const { changed } = parseDifference(operation === 'updated' && detail !== null ? detail : '{}')
    return RENAMING.some((name) => changed.includes(name))
  })

/** Undoes the changes of notes whose bodies alone changed; returns the ids of these notes. */
function undoTexts(tx: Tx, caller: Caller, objects: readonly ChangedObject[]): Set<string> {
  const firsts = new Map(objects.filter(changedBodyAlone).map(({ id, changes }) => [id, changes[0]]))
  const notes = tx.sql.rows<[id: string, pk: number]>(
    'SELECT id, pk FROM notes WHERE workspace = ? AND id IN (SELECT value FROM json_each(?))',
    caller.workspacePk,
    JSON.stringify([...firsts.keys()]),
  )
  const pks = new Map(notes)
  const changes = new Map<number, Change>()
  for (const [id, first] of firsts) {
    const pk = pks.get(id)
    if (pk !== undefined && first) changes.set(pk, first)
  }
  undoBodies(tx, caller, changes, !objects.some(isRenaming))
  return new Set(pks.keys())
}
