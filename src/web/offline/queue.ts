import type { IDBPTransaction } from 'idb'
import type { Draft, DraftKey } from '../data/note-text.ts'
import type { CellName, EntryKey, Owner } from '../data/pending-cells.ts'
import { database, notifyCopyChange, onCleared, type Schema } from './database.ts'
import { forget, listLast, untilWritten } from './last-drafts.ts'
import type { ActionName } from './stored-actions.ts'
import { onTabMessage, postToTabs } from './tab-messages.ts'

/*
 * The queue of unacknowledged edits by user. Drafts of notes belong to a tab, which they outlive, and are then adopted by
 * another one. Other edits belong to no tab.
 */

/** The tab of entries that belong to none. */
export const NO_TAB = ''

/** The stored draft of a note. Only the difference between its content and that of its base is stored. */
export interface StoredNote extends EntryKey, Omit<Draft, 'base' | 'text'> {
  readonly base: Omit<Draft['base'], 'content'>
  readonly title: string
  /** The number of characters of the base before and after the inserted text. */
  readonly before: number
  readonly after: number
  readonly inserted: string
}

export interface StoredBase extends EntryKey {
  readonly content: string
}

export const entryKeyOf = ({ user, workspace, note, tab }: DraftKey): EntryKey => ({
  user,
  workspace,
  name: `note ${note}`,
  tab,
})
export const cellEntryOf = ({ user, workspace }: Owner, name: CellName): EntryKey => ({
  user,
  workspace,
  name: `cell ${name.join(' ')}`,
  tab: NO_TAB,
})
export const keyOf = ({ user, workspace, name, tab }: EntryKey) => [user, workspace, name, tab]

/** The length of the common start of two texts, found by comparing halves, which is fast. */
function commonStart(one: string, other: string): number {
  let same = 0
  let most = Math.min(one.length, other.length)
  while (same < most) {
    const middle = Math.ceil((same + most) / 2)
    if (one.slice(same, middle) === other.slice(same, middle)) same = middle
    else most = middle - 1
  }
  return same
}

/** The length of the common end of two different texts. */
function commonEnd(one: string, other: string): number {
  let same = 0
  let most = Math.min(one.length, other.length)
  while (same < most) {
    const middle = Math.ceil((same + most) / 2)
    const [from, to] = [-middle, -same || undefined]
    if (one.slice(from, to) === other.slice(from, to)) same = middle
    else most = middle - 1
  }
  return same
}

function storedOf({ base: { content, ...base }, text, ...draft }: Draft): StoredNote {
  const before = commonStart(content, text.content)
  const after = commonEnd(content.slice(before), text.content.slice(before))
  const inserted = text.content.slice(before, text.content.length - after)
  return { ...draft, ...entryKeyOf(draft), base, title: text.title, before, after, inserted }
}

export function draftOf(
  { base, title, before, after, inserted, name: _, ...draft }: StoredNote,
  { content }: StoredBase,
): Draft {
  const text = content.slice(0, before) + inserted + content.slice(content.length - after)
  return { ...draft, base: { ...base, content }, text: { title, content: text } }
}

/** The version whose base is stored, by draft. */
const storedBases = new Map<string, string>()
onCleared(() => storedBases.clear())

const NOTIFY_MS = 1_000
type Listener = (isElsewhere: boolean) => void
const listeners = new Set<Listener>()

/** Calls the listener after changes of the queue: at once in this tab, within `NOTIFY_MS` in others. */
export function onQueueChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const notifyListeners = (isElsewhere: boolean) => {
  for (const listener of listeners) listener(isElsewhere)
}
onTabMessage('written', () => notifyListeners(true))
let isNotifying = false

function notifyWritten(): void {
  notifyListeners(false)
  if (isNotifying) return
  isNotifying = true
  setTimeout(() => {
    isNotifying = false
    postToTabs('written')
  }, NOTIFY_MS)
}

type Stores = Parameters<Awaited<ReturnType<typeof database>>['put']>[0]

/** Changes the queue in one transaction. */
export async function writing(
  act: (put: (store: 'queue' | 'bases') => IDBObjectStore) => void,
): Promise<void> {
  const transaction = (await database()).transaction(['queue', 'bases'] satisfies Stores[], 'readwrite')
  const raw = transaction as unknown as { db: unknown; commit?: () => void; done: Promise<void> }
  act((store) => transaction.objectStore(store) as unknown as IDBObjectStore)
  // Without this, the browser may delay the write, and a tab closed before it would lose the edit.
  raw.commit?.()
  await raw.done
  notifyWritten()
}

const beginChange = async () => (await database()).transaction('queue', 'readwrite')

export type QueueStore = Awaited<ReturnType<typeof beginChange>>['store']

/** Changes the queue in one transaction, which may read before it writes. */
export async function changingQueue<Result>(act: (queue: QueueStore) => Promise<Result>): Promise<Result> {
  const transaction = await beginChange()
  const change = async () => {
    const acted = await act(transaction.store)
    transaction.commit()
    return acted
  }
  const [result] = await Promise.all([change(), transaction.done])
  notifyWritten()
  return result
}

export function putDraft(draft: Draft): Promise<void> {
  const place = entryKeyOf(draft)
  const name = keyOf(place).join(' ')
  return untilWritten(name, draft, writeDraft(draft, place, name))
}

async function writeDraft(draft: Draft, place: EntryKey, name: string): Promise<void> {
  const { content, updated_at } = draft.base
  const isStored = storedBases.get(name) === updated_at
  storedBases.set(name, updated_at)
  try {
    await writing((store) => {
      store('queue').put(storedOf(draft))
      if (!isStored) store('bases').put({ ...place, content } satisfies StoredBase)
    })
  } catch (error) {
    storedBases.delete(name)
    throw error
  }
}

export function removeDraft(key: DraftKey): Promise<void> {
  const place = entryKeyOf(key)
  const name = keyOf(place).join(' ')
  forget(name)
  return writing((store) => {
    storedBases.delete(name)
    store('queue').delete(keyOf(place))
    store('bases').delete(keyOf(place))
  })
}

/** The key range of all entries of one kind, or of the cells of a table, of a user in a workspace. */
export const entriesOf = (
  kind: 'note' | 'cell' | `cell ${string}` | ActionName,
  user: string,
  workspace: string,
): IDBKeyRange => IDBKeyRange.bound([user, workspace, `${kind} `], [user, workspace, `${kind}!`])

type DraftStores<Mode extends IDBTransactionMode> = IDBPTransaction<Schema, ['queue', 'bases'], Mode>

async function readDrafts<Mode extends IDBTransactionMode>(
  stores: DraftStores<Mode>,
  { user, workspace }: Owner,
): Promise<Draft[]> {
  const range = entriesOf('note', user, workspace)
  const [entries, bases] = await Promise.all([
    stores.objectStore('queue').getAll(range) as Promise<StoredNote[]>,
    stores.objectStore('bases').getAll(range),
  ])
  const contents = new Map(bases.map((base) => [keyOf(base).join(' '), base]))
  return entries
    .flatMap((entry) => {
      const base = contents.get(keyOf(entry).join(' '))
      return base ? [draftOf(entry, base)] : []
    })
    .sort((one, other) => one.at - other.at)
}

/** The drafts of a user in a workspace, oldest first. */
export async function listDrafts(owner: Owner): Promise<Draft[]> {
  for (const draft of listLast(owner)) await putDraft(draft)
  return readDrafts((await database()).transaction(['queue', 'bases']), owner)
}

/** Assigns drafts to a tab, in one transaction. Returns them as they were, oldest first. */
export async function moveDrafts(
  owner: Owner,
  tab: string,
  isMoved: (draft: Draft) => boolean,
): Promise<Draft[]> {
  for (const draft of listLast(owner)) await putDraft(draft)
  const stores = (await database()).transaction(['queue', 'bases'], 'readwrite')
  const moved = (await readDrafts(stores, owner)).filter(isMoved)
  for (const draft of moved) {
    const [earlier, next] = [entryKeyOf(draft), entryKeyOf({ ...draft, tab })]
    void stores.objectStore('queue').delete(keyOf(earlier))
    void stores.objectStore('bases').delete(keyOf(earlier))
    void stores.objectStore('queue').put(storedOf({ ...draft, tab }))
    void stores.objectStore('bases').put({ ...next, content: draft.base.content })
    storedBases.delete(keyOf(earlier).join(' '))
    storedBases.set(keyOf(next).join(' '), draft.base.updated_at)
  }
  stores.commit()
  await stores.done
  if (moved.length > 0) notifyWritten()
  return moved
}

/** The number of entries of all tabs. */
export const countAll = async (): Promise<number> => (await database()).count('queue')

/** The number of drafts of other tabs. */
export async function countOthers(own: string): Promise<number> {
  const keys = await (await database()).getAllKeys('queue')
  return keys.filter(([, , , tab]) => tab !== own && tab !== NO_TAB).length
}

/** Removes all entries, except those of one user. */
export async function emptyQueue(except?: string): Promise<void> {
  storedBases.clear()
  const transaction = (await database()).transaction(['queue', 'bases'], 'readwrite')
  for (const name of ['queue', 'bases'] as const)
    for (const key of await transaction.objectStore(name).getAllKeys())
      if (key[0] !== except) void transaction.objectStore(name).delete(key)
  await transaction.done
  notifyCopyChange()
}
