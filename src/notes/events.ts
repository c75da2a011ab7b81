import { defineJob, later } from '../kernel/jobs.ts'
import { utcDay } from '../lib/dates.ts'
import { Refusal } from '../lib/refusal.ts'
import { type Difference, differenceOf, oldValues } from '../log/difference.ts'
import { DUE_JOBS, enqueueDue } from '../log/due-jobs.ts'
import { type ChangeAuthor, logChange } from '../log/log.ts'
import { type EventSource, objectPayload } from '../log/message.ts'
import {
  findObjectSubscription,
  newHead,
  type Subscription,
  storeEvent,
  subscriptionsTo,
  wants,
} from '../log/outbox.ts'
import type { Reader } from '../storage/reader.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { matchesTree } from './query/evaluate.ts'
import { checkedTree, readStoredTree } from './query/tree-query.ts'
import { findNote, loadNotes, type NoteRow, presentEdited, presentNote } from './store.ts'
import { type PropertyValues, readProperties } from './writing/properties.ts'

/* Logs and publishes updates of notes. */

/** Must be called for every update of a note. */
function logAndPublish(
  tx: Tx,
  author: ChangeAuthor,
  id: string,
  difference: Difference,
  { revision, before }: { readonly revision?: number | undefined; readonly before?: () => string | null },
): void {
  logChange(tx, author, { kind: 'note', id }, 'updated', {
    difference,
    ...(revision !== undefined && { replaced: revision }),
    ...(before && { before }),
  })
  publishNoteUpdate(tx, author, id, difference, revision)
}

interface NoteUpdate {
  /** Old values of the properties that changed; null for an absent value. */
  readonly previousProperties?: PropertyValues
  /** The pk of the revision with the replaced text. */
  readonly revision?: number
}

/**
 * Logs the differences of a note before and after a change. Of its text it logs only the attribute name, because a
 * revision holds the old text.
 */
export function logNoteUpdate(
  tx: Tx,
  author: ChangeAuthor,
  before: NoteRow,
  after: NoteRow,
  { previousProperties = {}, revision }: NoteUpdate = {},
): void {
  const { changed, previous } = differenceOf(presentNote(before), presentNote(after))
  const { content: _, ...old } = previous
  const hasProperties = Object.keys(previousProperties).length > 0
  const names = hasProperties ? [...changed, 'properties'] : changed
  if (names.length === 0) return
  const all = hasProperties ? { ...old, properties: previousProperties } : old
  logAndPublish(
    tx,
    author,
    before.id,
    { changed: names, previous: all },
    { revision, before: () => noteJson(tx, before, previousProperties) },
  )
}

/** Logs an update of a single attribute; `before` returns the note before it as JSON text. */
export function logAttribute(
  tx: Tx,
  author: ChangeAuthor,
  id: string,
  name: 'tags' | 'properties',
  previous: unknown,
  before?: () => string | null,
): void {
  logAndPublish(
    tx,
    author,
    id,
    { changed: [name], previous: { [name]: previous } },
    { ...(before && { before }) },
  )
}

/** Logs that a note lost a value because of a deletion; `deleted` describes the deleted object. */
export const logLoss = (
  tx: Tx,
  author: ChangeAuthor,
  id: string,
  previous: { readonly tags: readonly string[] } | { readonly properties: PropertyValues },
  deleted: string,
): void => logAndPublish(tx, author, id, { changed: Object.keys(previous), previous, deleted }, {})

/** A note with its fields and property values, and with `edited_at` if requested. */
export const wholeNote = (reader: Reader, note: NoteRow, isEdited = false) => ({
  ...presentNote(note),
  ...(isEdited && presentEdited(note)),
  properties: readProperties(reader, note.pk),
})

/** A note with `edited_at` as JSON text; the values of `previousProperties`, null for none, replace the stored ones. */
function noteJson(reader: Reader, note: NoteRow, previousProperties: PropertyValues = {}): string {
  const whole = wholeNote(reader, note, true)
  const properties = Object.entries({ ...whole.properties, ...previousProperties })
  return JSON.stringify({
    ...whole,
    properties: Object.fromEntries(properties.filter(([, value]) => value !== null)),
  })
}

/** The values that a change of a note replaced. */
interface Replaced {
  readonly columns?: Partial<NoteRow>
  readonly properties?: PropertyValues
}

/** A note, even a trashed one, as JSON text with `edited_at`, before a change; null if there is none. */
export function wholeNoteJson(reader: Reader, pk: number, replaced: Replaced = {}): string | null {
  const [note] = loadNotes(reader, [pk])
  return note ? noteJson(reader, { ...note, ...replaced.columns }, replaced.properties) : null
}

/*
 * The events of notes. Every change of a note publishes it here, in its transaction. Updates are stored in the database
 * until the note has been quiet for the time that a subscription sets. They then become one event, or none if the
 * result equals the original.
 */

type State = ReturnType<typeof presentNote> & { readonly properties: PropertyValues }

/** The old values. Properties have the format of the log: only those that changed, null for an absent value. */
function differenceBetween(before: Omit<State, 'content'>, after: Omit<State, 'content'>): Difference {
  const { properties: _, ...attributes } = differenceOf(before, after).previous
  const properties = oldValues(before.properties, after.properties)
  const previous = Object.keys(properties).length > 0 ? { ...attributes, properties } : attributes
  return { changed: Object.keys(previous), previous }
}

interface NoteEvent {
  readonly type: string
  readonly at: number
  readonly source: EventSource
  readonly difference?: Difference
}

const NO_DIFFERENCE: Difference = { changed: [], previous: {} }

/** The content and its old value are sent only to subscriptions that include them. */
function dataOf(
  { id, title, content, tags, alias, aliases, properties, created_at, updated_at }: State,
  { changed, previous }: Difference,
  withContent: boolean,
) {
  const { content: _, ...others } = previous
  return {
    note: {
      ...{ id, title, ...(withContent && { content }), tags, alias },
      ...(aliases && { aliases }),
      properties,
      ...{ created_at, updated_at },
    },
    changed,
    previous: withContent ? previous : others,
  }
}

/** A filter that references a deleted object matches nothing. */
function meets(tx: Tx, workspace: number, { filter }: Subscription, pk: number): boolean {
  if (filter === null) return true
  try {
    const tree = checkedTree(tx, workspace, readStoredTree(filter), 'filter')
    return matchesTree(tx, workspace, tree, utcDay(tx.now), pk)
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

function send(
  tx: Tx,
  workspace: number,
  note: NoteRow,
  { type, at: occurredAt, source, difference = NO_DIFFERENCE }: NoteEvent,
  subscriptions: readonly Subscription[],
): void {
  const receivers = subscriptions.filter((subscription) => meets(tx, workspace, subscription, note.pk))
  if (receivers.length === 0) return
  const state = wholeNote(tx, note)
  const head = newHead(tx, { workspace, source, occurredAt })
  for (const alike of Map.groupBy(receivers, ({ includeContent }) => includeContent).values()) {
    const payload = objectPayload(head, type, dataOf(state, difference, alike[0]?.includeContent === true))
    storeEvent(tx, { payload, objectId: note.id }, alike)
  }
}

const sourceOf = ({ surface, keyId }: ChangeAuthor): EventSource => ({ surface, keyId })

/** Publishes that an active note was created or restored, or that it is about to be trashed. */
export function publishNote(
  tx: Tx,
  author: ChangeAuthor,
  type: 'note.created' | 'note.deleted' | 'note.restored',
  id: string,
): void {
  const { workspacePk, keyId, isCopying } = author
  const subscriptions = isCopying ? [] : subscriptionsTo(tx, workspacePk, 'note')
  const note = subscriptions.length > 0 ? findNote(tx, workspacePk, id) : undefined
  if (!note) return
  if (type === 'note.deleted') sendPendingOf(tx, note.pk)
  const event = { type, at: tx.now, source: sourceOf(author) }
  const concerned = subscriptions.filter((subscription) => wants(subscription, type, keyId))
  send(tx, workspacePk, note, event, concerned)
}

const UPDATED = 'note.updated'

/**
 * Publishes an update of a note in the logged form; `revision` is the pk of the revision with the replaced text. Notes
 * in the trash publish no updates.
 */
export function publishNoteUpdate(
  tx: Tx,
  author: ChangeAuthor,
  id: string,
  { changed, previous }: Difference,
  revision: number | undefined,
): void {
  const { workspacePk, keyId, isCopying } = author
  const concerned = isCopying
    ? []
    : subscriptionsTo(tx, workspacePk, 'note').filter((each) => wants(each, UPDATED, keyId))
  const note = concerned.length > 0 ? findNote(tx, workspacePk, id) : undefined
  if (!note) return
  const after = wholeNote(tx, note)
  const content: string =
    changed.includes('content') && revision !== undefined
      ? tx.sql.scalar('SELECT content FROM revisions WHERE pk = ?', revision)
      : after.content
  const properties = withoutNull({ ...after.properties, ...(previous.properties as PropertyValues) })
  const before: State = { ...after, ...previous, content, properties }
  const source = sourceOf(author)
  const [quick, slow] = [true, false].map((isQuick) =>
    concerned.filter(({ quietSeconds }) => (quietSeconds === 0) === isQuick),
  )
  const difference = differenceBetween(before, after)
  if (difference.changed.length > 0)
    send(tx, workspacePk, note, { type: UPDATED, at: tx.now, source, difference }, quick ?? [])
  for (const subscription of slow ?? []) wait(tx, note.pk, subscription, before, source)
}

const withoutNull = (values: PropertyValues): PropertyValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

/** The earlier state of a note. It always has the hash of the content, which detects a change. */
interface StateBefore extends Omit<State, 'content'> {
  readonly content?: string
  readonly hash: string
}

const hashOf = (content: string): string => Bun.hash(content).toString(36)

const SECOND_MS = 1000
/** A note that never becomes quiet is sent after this multiple of the quiet time. */
const MAX_QUIET_TIMES = 10

/** Starts or restarts the quiet time of a note. */
function wait(
  tx: Tx,
  note: number,
  { pk, quietSeconds, includeContent }: Subscription,
  { content, ...before }: State,
  { surface, keyId }: EventSource,
): void {
  const quietMs = quietSeconds * SECOND_MS
  const dueAt = tx.now + quietMs
  const { changes } = tx.sql.run(
    `UPDATE webhook_waiting SET due_at = min(?1, first_at + ?2), changed_at = ?3, surface = ?4, key_id = ?5
     WHERE note = ?6 AND webhook = ?7`,
    dueAt,
    MAX_QUIET_TIMES * quietMs,
    tx.now,
    surface,
    keyId,
    note,
    pk,
  )
  enqueueDue(tx, 'notes', dueAt)
  if (changes > 0) return
  const state: StateBefore = { ...before, hash: hashOf(content), ...(includeContent && { content }) }
  tx.sql.run(
    `INSERT INTO webhook_waiting (note, webhook, first_at, due_at, changed_at, surface, key_id, before)
     VALUES (?1, ?2, ?3, ?4, ?3, ?5, ?6, ?7)`,
    note,
    pk,
    tx.now,
    dueAt,
    surface,
    keyId,
    JSON.stringify(state),
  )
}

interface QuietNote {
  readonly note: number
  readonly webhook: number
  readonly dueAt: number
  readonly changedAt: number
  readonly surface: EventSource['surface']
  readonly keyId: string | null
  readonly before: string
}

const WAITING =
  'SELECT note, webhook, due_at AS dueAt, changed_at AS changedAt, surface, key_id AS keyId, before FROM webhook_waiting'

function sendPendingOf(tx: Tx, note: number): void {
  for (const waiting of tx.sql.all<QuietNote>(`${WAITING} WHERE note = ?`, note)) sendPending(tx, waiting)
}

/** Ends the quiet time with an event, unless the result equals the original. */
function sendPending(tx: Tx, { note: pk, webhook, changedAt, surface, keyId, before }: QuietNote): void {
  tx.sql.run('DELETE FROM webhook_waiting WHERE note = ? AND webhook = ?', pk, webhook)
  const subscription = findObjectSubscription(tx, webhook)
  const found = tx.sql.get<{ id: string; workspace: number }>(
    'SELECT id, workspace FROM notes WHERE pk = ?',
    pk,
  )
  const note = found && findNote(tx, found.workspace, found.id)
  if (!subscription?.events.has(UPDATED) || !found || !note) return
  const { hash, content, ...head }: StateBefore = JSON.parse(before)
  const { content: text, ...now } = wholeNote(tx, note)
  const { changed, previous } = differenceBetween(head, now)
  const isRewritten = hashOf(text) !== hash
  const difference = {
    changed: isRewritten ? [...changed, 'content'] : changed,
    previous: isRewritten && content !== undefined ? { ...previous, content } : previous,
  }
  if (difference.changed.length === 0) return
  const event = { type: UPDATED, at: changedAt, source: { surface, keyId }, difference }
  send(tx, found.workspace, note, event, [subscription])
}

/** Sends the updates of notes whose quiet time has ended. */
export const quietNoteEvents = defineJob<number, null>(DUE_JOBS.notes, (tx) => {
  const waiting = tx.sql.get<QuietNote>(`${WAITING} ORDER BY due_at LIMIT 1`)
  if (!waiting) return 'done'
  if (waiting.dueAt > tx.now) return later(waiting.dueAt, null)
  sendPending(tx, waiting)
  return null
})
