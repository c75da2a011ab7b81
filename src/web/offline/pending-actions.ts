import { effect } from '@preact/signals'
import { api } from '../data/api.ts'
import { invalidate } from '../data/cache.ts'
import { saveDocument } from '../data/note-documents.ts'
import { keyOfChange } from '../data/note-text.ts'
import { pendingCount, setNotice } from '../data/pending.ts'
import {
  actionQueue,
  type PendingAction,
  type RowAction,
  type StoredAction,
  type TagAction,
} from '../data/pending-actions.ts'
import { currentOwner, type EntryKey } from '../data/pending-cells.ts'
import { isRetryable, isSignedOut, Refused, retryDelayOf, unreachableSince } from '../data/request.ts'
import { sendInOrder } from '../data/sending.ts'
import { session } from '../data/session.ts'
import { database, notifyCopyChange, onOfflineCopyChange } from './database.ts'
import { entriesOf, keyOf, writing } from './queue.ts'

/*
 * Tag changes of notes and new rows that wait until the server can be reached. They belong to no tab: one of them sends
 * all, in the order in which they were made.
 */

/** The tab of all entries: they belong to none. */
const NO_TAB = ''

const nameOf = (action: PendingAction): string =>
  action.kind === 'tag'
    ? `tag ${action.note} ${action.tag.toLowerCase()}`
    : `row ${action.structure.id} ${action.row.id}`

/** The actions of a user in a workspace, oldest first. */
export async function listActions(user: string, workspace: string): Promise<StoredAction[]> {
  const db = await database()
  const found = await Promise.all(
    (['tag', 'row'] as const).map((kind) => db.getAll('queue', entriesOf(kind, user, workspace))),
  )
  return (found.flat() as StoredAction[]).sort((one, other) => one.at - other.at)
}

const LISTS = new Set(['note', 'tag', 'record'])

/** Has lists and notes refetched from the offline copy, which shows pending actions. */
function showChange(): void {
  notifyCopyChange()
  void invalidate(LISTS)
}

/** Stores an action until it can be sent. A later change of the same tag replaces an earlier one. */
async function defer(action: PendingAction): Promise<void> {
  const owner = currentOwner()
  if (!owner) throw new Error('Sign in to save this change.')
  const entry: StoredAction = { ...owner, tab: NO_TAB, name: nameOf(action), action, at: Date.now() }
  await writing((store) => store('queue').put(entry))
  showChange()
}

/** Removes an action, unless a later one has replaced it. */
export async function discardAction(entry: EntryKey, at?: number): Promise<void> {
  const transaction = (await database()).transaction('queue', 'readwrite')
  const stored = (await transaction.store.get(keyOf(entry))) as StoredAction | undefined
  if (at === undefined || stored?.at === at) void transaction.store.delete(keyOf(entry))
  await transaction.done
  showChange()
}

/** Adds and removes the tags of pending actions. */
export const withPendingTags = (tags: readonly string[], actions: readonly TagAction[]): string[] =>
  actions.reduce<string[]>(
    (before, { tag, isAdded }) => {
      const others = before.filter((one) => one.toLowerCase() !== tag.toLowerCase())
      return isAdded ? [...others, tag].sort() : others
    },
    [...tags],
  )

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
export const wordsOf = (action: PendingAction): string =>
  action.kind === 'row'
    ? `New row in ${action.structure.name}`
    : `${action.isAdded ? 'Tag' : 'Removed tag'} ${action.tag} of ${action.title}`

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
    // The note may be new, too.
    if (action.kind === 'tag') await saveDocument(action.note)
    await sendInOrder(at, () => (action.kind === 'tag' ? sendTag(action, at) : sendRow(action)))
    await discardAction(entry, at)
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
  if (isRetryable(error)) return await new Promise((resolve) => setTimeout(resolve, retryDelayOf(error)))
  await writing((store) => store('queue').put({ ...entry, error: error.message }))
  notifyCopyChange()
}

async function sendTag({ note: id, tag, isAdded }: TagAction, at: number): Promise<void> {
  const headers = keyOfChange({ id, tag, isAdded, at })
  if (isAdded) await api.post('/v1/notes/{id}/tags', { params: { id }, body: { tags: [tag] }, headers })
  else
    await api
      .delete('/v1/notes/{id}/tags/{name}', { params: { id, name: tag }, headers })
      .catch(ignoreMissing)
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Refused && error.status === 404)) throw error
}

async function sendRow({ structure, row: { id, data }, sentWith }: RowAction): Promise<void> {
  if (sentWith !== undefined) {
    const body = { structure: structure.id, rows: [{ data }], on_conflict: 'refuse' }
    await api.post('/v1/records', { body: body as never, headers: { 'Idempotency-Key': sentWith } })
    return
  }
  const change = { kind: 'record' as const, op: 'created' as const, id, structure: structure.id, data }
  const body = { changes: [change] }
  try {
    await api.post('/v1/changes/apply', { body: body as never, headers: keyOfChange(body) })
  } catch (error) {
    // An earlier request without a response created the row.
    if (!(error instanceof Refused && error.code === 'name_taken')) throw error
  }
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
