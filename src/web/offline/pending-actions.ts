import { effect } from '@preact/signals'
import { invalidate } from '../data/cache.ts'
import { counted } from '../data/formats.ts'
import { newIds } from '../data/new-ids.ts'
import { pendingCount, setNotice } from '../data/pending.ts'
import {
  actionQueue,
  type PendingAction,
  type RowsAction,
  type StoredAction,
} from '../data/pending-actions.ts'
import { type CellName, currentOwner, type EntryKey } from '../data/pending-cells.ts'
import { isRetryable, isSignedOut, retryDelayOf, unreachableSince } from '../data/request.ts'
import { sendInOrder } from '../data/sending.ts'
import { session } from '../data/session.ts'
import { database, notifyCopyChange, onOfflineCopyChange } from './database.ts'
import { saveDocument } from './note-documents.ts'
import { cellEntryOf, entriesOf, keyOf, writing } from './queue.ts'
import { sendAction } from './send-action.ts'

/*
 * Tag changes of notes, and new and changed rows, that wait until the server can be reached. They belong to no tab: one
 * of them sends all, in the order in which they were made.
 */

/** The tab of all entries: they belong to none. */
const NO_TAB = ''

/** The name of an entry. A later change of the same tag of one note replaces an earlier one. */
function nameOf(action: PendingAction): string {
  const [id] = newIds(1)
  if (action.kind === 'rows') return `rows ${id}`
  const [note, ...others] = action.notes
  return `tag ${others.length === 0 ? note?.id : id} ${action.tag.toLowerCase()}`
}

/** The actions of a user in a workspace, oldest first. */
export async function listActions(user: string, workspace: string): Promise<StoredAction[]> {
  const db = await database()
  const found = await Promise.all(
    (['tag', 'rows'] as const).map((kind) => db.getAll('queue', entriesOf(kind, user, workspace))),
  )
  return (found.flat() as StoredAction[]).sort((one, other) => one.at - other.at)
}

const LISTS = new Set(['note', 'tag', 'record'])

/** Has lists and notes refetched from the offline copy, which shows pending actions. */
function showChange(): void {
  notifyCopyChange()
  void invalidate(LISTS)
}

/** Stores an action until it can be sent, in place of edits of cells. */
async function defer(action: PendingAction, replaced: readonly CellName[]): Promise<void> {
  const owner = currentOwner()
  if (!owner) throw new Error('Sign in to save this change.')
  const entry: StoredAction = { ...owner, tab: NO_TAB, name: nameOf(action), action, at: Date.now() }
  await writing((store) => {
    store('queue').put(entry)
    for (const name of replaced) store('queue').delete(keyOf(cellEntryOf(owner, name)))
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
  const transaction = (await database()).transaction('queue', 'readwrite')
  const stored = (await transaction.store.get(keyOf(entry))) as StoredAction | undefined
  if (at === undefined || stored?.at === at)
    void (next ? transaction.store.put(next) : transaction.store.delete(keyOf(entry)))
  await transaction.done
}

/** The actions in this browser, which `pendingCount` includes. */
let known: readonly StoredAction[] = []

async function refresh(): Promise<void> {
  const owner = currentOwner()
  const found = owner ? await listActions(owner.user, owner.workspace).catch(() => []) : []
  pendingCount.value += found.length - known.length
  known = found
  const refused = found.find(({ error }) => error !== undefined)
  setNotice('actions', refused && `Not saved: ${wordsOf(refused.action)}.`, '/app/settings/offline')
  sendKnown()
}

/** An action in words, for display. */
export function wordsOf(action: PendingAction): string {
  if (action.kind === 'rows') return `${rowsInWords(action)} in ${action.structure.name}`
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

/** The names of actions that this tab sends now. A tab that sends the same again changes nothing. */
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
    if (action.kind === 'tag') await Promise.all(action.notes.map(({ id }) => saveDocument(id)))
    const unsent = await sendInOrder(at, () => sendAction(action, at))
    if (unsent) await keep({ ...entry, action: unsent.action }, unsent.error)
    else await discardAction(entry, at)
  } catch (error) {
    await keep(entry, error as Error)
  } finally {
    sending.delete(name)
  }
  await refresh()
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
  onOfflineCopyChange(() => void refresh())
  effect(() => {
    if (session.value && !isSignedOut.value && unreachableSince.value === undefined) sendKnown()
    if (session.value) void refresh()
  })
}
