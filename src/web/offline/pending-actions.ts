import { effect } from '@preact/signals'
import { invalidate } from '../data/cache.ts'
import { counted } from '../data/formats.ts'
import { newIds } from '../data/new-ids.ts'
import { setPending } from '../data/pending.ts'
import {
  actionQueue,
  type PendingAction,
  type RowsAction,
  type StoredAction,
  type TagAction,
} from '../data/pending-actions.ts'
import { type CellName, currentOwner, type EntryKey } from '../data/pending-cells.ts'
import { isRetryable, isSignedOut, retryDelayOf, unreachableSince } from '../data/request.ts'
import { sendAction } from '../data/send-action.ts'
import { NotSent, sendInOrder } from '../data/sending.ts'
import { session } from '../data/session.ts'
import { database, notifyCopyChange, onOfflineCopyChange } from './database.ts'
import { draftsLoaded, findDocument } from './note-documents.ts'
import { cellEntryOf, changingQueue, entriesOf, keyOf, NO_TAB } from './queue.ts'
import { ACTION_NAMES, type ActionName, currentForm } from './stored-actions.ts'

/*
 * Changes of tags, pins and properties of notes, and new and changed rows, that wait until the server can be reached. They
 * belong to no tab: the first tab whose turn it is sends them.
 */

/** The objects that an action changes. Actions on the same subject are sent in order. */
function subjectsOf(action: PendingAction): string[] {
  if (action.kind === 'rows') return [...action.created, ...action.changed].map(({ id }) => `row ${id}`)
  if (action.kind === 'tag') return action.notes.map(({ id }) => `tags ${id} ${action.tag.toLowerCase()}`)
  return [`value ${action.note.id} ${action.property ? `property ${action.property.key}` : 'pinned'}`]
}

/** The name of an entry. A later action on the same single note replaces an earlier one. */
function nameOf(action: PendingAction): string {
  const [subject, ...others] = action.kind === 'rows' ? [] : subjectsOf(action)
  if (subject !== undefined && others.length === 0) return subject
  const name: ActionName = action.kind === 'tag' ? 'tags' : action.kind
  return `${name} ${newIds(1)[0]}`
}

/** An action that replaces a pending one. It may change what the earlier one was to change, unless that was refused. */
function merged(earlier: StoredAction | undefined, action: PendingAction): PendingAction {
  const replaced = earlier?.error === undefined ? earlier?.action : undefined
  if (replaced?.kind !== 'value' || action.kind !== 'value') return action
  return { ...action, before: replaced.before, between: [...(replaced.between ?? []), replaced.value] }
}

/** Whether one of the entries changes the same object. */
function sharesSubject(action: PendingAction, entries: readonly StoredAction[]): boolean {
  const subjects = new Set(subjectsOf(action))
  return entries.some((entry) => subjectsOf(entry.action).some((subject) => subjects.has(subject)))
}

const isBehind = (action: PendingAction): boolean => sharesSubject(action, known)

/** The actions of a user in a workspace, oldest first. */
export async function listActions(user: string, workspace: string): Promise<StoredAction[]> {
  const db = await database()
  const found = await Promise.all(
    ACTION_NAMES.map((name) => db.getAll('queue', entriesOf(name, user, workspace))),
  )
  return (found.flat() as StoredAction[]).map(currentForm).sort((one, other) => one.at - other.at)
}

const LISTS = new Set(['note', 'tag', 'record', 'property'])

/** Has lists and notes refetched from the offline copy, which shows pending actions. */
function showChange(): void {
  notifyCopyChange()
  void invalidate(LISTS)
}

/** Stores an action until it can be sent, in place of edits of cells, unless a later one on its note is stored. */
async function defer(
  action: PendingAction,
  replaced: readonly CellName[],
  at: number = Date.now(),
): Promise<void> {
  const owner = currentOwner()
  if (!owner) throw new Error('Sign in to save this change.')
  const entry = { ...owner, tab: NO_TAB, name: nameOf(action), at }
  await changingQueue(async (queue) => {
    const earlier = (await queue.get(keyOf(entry))) as StoredAction | undefined
    if (earlier && earlier.at > at) return
    void queue.put({ ...entry, action: merged(earlier, action) })
    for (const name of replaced) void queue.delete(keyOf(cellEntryOf(owner, name)))
  })
  showChange()
}

/** Removes an action, unless a later one has replaced it. */
export async function discardAction(entry: EntryKey, at?: number): Promise<void> {
  await change(entry, at)
  showChange()
}

/** Replaces or removes an entry; with a time, only the entry of that time. */
async function change(entry: EntryKey, at?: number, next?: StoredAction): Promise<void> {
  await changingQueue(async (queue) => {
    const stored = (await queue.get(keyOf(entry))) as StoredAction | undefined
    if (at === undefined || stored?.at === at) void (next ? queue.put(next) : queue.delete(keyOf(entry)))
  })
}

/** The actions in this browser. */
let known: readonly StoredAction[] = []

async function refresh(): Promise<void> {
  const owner = currentOwner()
  const found = owner ? await listActions(owner.user, owner.workspace).catch(() => []) : []
  // The user or the workspace has changed meanwhile; another call lists its actions.
  if (owner?.user !== currentOwner()?.user || owner?.workspace !== currentOwner()?.workspace) return
  known = found
  const refused = found.find(({ error }) => error !== undefined)
  setPending('actions', {
    count: found.length,
    ...(refused && { problem: `Not saved: ${wordsOf(refused.action)}.`, address: '/app/settings/offline' }),
  })
  sendKnown()
}

/** The notes that an action changes. */
export function notesOf(action: PendingAction): TagAction['notes'] {
  if (action.kind === 'rows') return []
  return action.kind === 'tag' ? action.notes : [action.note]
}

/** An action in words, for display. */
export function wordsOf(action: PendingAction): string {
  if (action.kind === 'rows') return `${rowsInWords(action)} in ${action.structure.name}`
  if (action.kind === 'value') return `${action.property?.label ?? 'Pin'} of ${action.note.title}`
  const { notes, tag, isAdded } = action
  const of = notes.length === 1 ? notes[0]?.title : counted(notes.length, 'note')
  return `${isAdded ? 'Tag' : 'Removed tag'} ${tag} of ${of}`
}

function rowsInWords({ created, changed }: RowsAction): string {
  if (created.length === 1 && changed.length === 0) return 'New row'
  const part = (kind: string, { length }: readonly unknown[]) =>
    length === 0 ? [] : [counted(length, `${kind} row`)]
  return [...part('changed', changed), ...part('new', created)].join(' and ')
}

/** The names of actions that this tab is about to send. */
const sending = new Set<string>()

/** Called at once when the server is back, so that `sendInOrder` sorts actions among edits of cells and notes. */
function sendKnown(): void {
  for (const entry of known)
    if (entry.error === undefined && !sending.has(entry.name) && isSendable(entry)) void send(entry)
}

function isSendable({ user, workspace }: EntryKey): boolean {
  const owner = currentOwner()
  const isOwn = owner?.user === user && owner.workspace === workspace
  return isOwn && unreachableSince.peek() === undefined && !isSignedOut.peek()
}

async function send(entry: StoredAction): Promise<void> {
  const { action, at, name } = entry
  sending.add(name)
  try {
    // The notes may be new, too.
    await draftsLoaded()
    await Promise.all(notesOf(action).map(({ id }) => findDocument(id)?.draft.flush()))
    const unsent = await sendInOrder(at, () => sendStored(entry))
    if (unsent) await keep({ ...entry, action: unsent.action }, unsent.error)
  } catch (error) {
    await keep(entry, error as Error)
  } finally {
    sending.delete(name)
  }
  await refresh()
}

/**
 * Sends an action, unless another tab has sent it, replaced it or signed in as another user, or the server has refused it.
 * An action waits behind an earlier one on the same subject that will be sent again: otherwise an older value would replace
 * a newer one.
 */
async function sendStored(entry: StoredAction) {
  const entries = await listActions(entry.user, entry.workspace)
  const stored = entries.find(({ name }) => name === entry.name)
  if (stored?.at !== entry.at || stored.error !== undefined || !isSendable(entry)) return undefined
  const earlier = entries.filter(({ at, error }) => at < entry.at && error === undefined)
  const { action, at } = stored
  if (sharesSubject(action, earlier)) return { action, error: new NotSent() }
  const unsent = await sendAction(action, at)
  if (!unsent) await discardAction(entry, at)
  return unsent
}

/** Keeps an action that was not sent, or that the server refused. */
async function keep(entry: StoredAction, error: Error): Promise<void> {
  // Sent again when the server or the session is back.
  if (unreachableSince.peek() !== undefined || isSignedOut.peek()) return
  const isLater = isRetryable(error)
  await change(entry, entry.at, isLater ? entry : { ...entry, error: error.message })
  if (isLater) await new Promise((resolve) => setTimeout(resolve, retryDelayOf(error)))
  else notifyCopyChange()
}

/** Sends the actions of this browser whenever the server can be reached. */
export function startActions(): void {
  actionQueue.defer = defer
  actionQueue.isBehind = isBehind
  onOfflineCopyChange(() => void refresh())
  effect(() => {
    if (session.value && !isSignedOut.value && unreachableSince.value === undefined) sendKnown()
    if (session.value) void refresh()
  })
}
