import type { CellName, EntryKey, Owner } from '../data/pending-cells.ts'
import { database, notifyCopyChange } from './database.ts'
import type { ActionName } from './stored-actions.ts'
import { onTabMessage, postToTabs } from './tab-messages.ts'

/* The outbox: unacknowledged edits by user. Entries belong to no tab, and all tabs show and send them. */

/** The tab of entries. Edits that are not yet part of their entry have the tab that made them. */
export const NO_TAB = ''

export const cellEntryOf = ({ user, workspace }: Owner, name: CellName): EntryKey => ({
  user,
  workspace,
  name: `cell ${name.join(' ')}`,
  tab: NO_TAB,
})
export const keyOf = ({ user, workspace, name, tab }: EntryKey) => [user, workspace, name, tab]

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

export function notifyWritten(): void {
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

/** The key range of all entries of one kind, or of the cells of a table, of a user in a workspace. */
export const entriesOf = (
  kind: 'text' | 'lost' | 'note' | 'cell' | `cell ${string}` | ActionName,
  user: string,
  workspace: string,
): IDBKeyRange => IDBKeyRange.bound([user, workspace, `${kind} `], [user, workspace, `${kind}!`])

/** The number of entries of all tabs. */
export const countAll = async (): Promise<number> => (await database()).count('queue')

/** Removes all entries, except those of one user. */
export async function emptyQueue(except?: string): Promise<void> {
  const transaction = (await database()).transaction(['queue', 'bases'], 'readwrite')
  for (const name of ['queue', 'bases'] as const)
    for (const key of await transaction.objectStore(name).getAllKeys())
      if (key[0] !== except) void transaction.objectStore(name).delete(key)
  await transaction.done
  notifyCopyChange()
}
