import type { EntryKey } from '../data/pending-cells.ts'

/* All messages between the tabs of this browser about the offline copy and pending changes. */

/** The messages by kind, with their data. */
interface TabMessages {
  /** The offline copy has changed. Tabs of an earlier version send only this word. */
  readonly changed: undefined
  /** The queue of pending changes has changed. */
  readonly written: undefined
  /** The entry of a note in the outbox has changed. */
  readonly edited: EditedNote
  /** Pending changes are to be discarded, except those of one user. */
  readonly discarded: string | undefined
}

export interface EditedNote extends EntryKey {
  readonly isDiscarded: boolean
}

type Kind = keyof TabMessages
type Listener<K extends Kind> = (data: TabMessages[K]) => void

const channel = new BroadcastChannel('daybook-offline')
const listeners = new Map<Kind, Listener<never>>()

channel.onmessage = ({ data: message }) => {
  const [kind, data] = typeof message === 'string' ? [message as Kind] : message
  listeners.get(kind)?.(data as never)
}

/** Sets the listener for messages of one kind from other tabs. */
export function onTabMessage<K extends Kind>(kind: K, listener: Listener<K>): void {
  listeners.set(kind, listener)
}

export function postToTabs<K extends Kind>(kind: K, data?: TabMessages[K]): void {
  channel.postMessage([kind, data])
}
