import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'

/** Told after a commit of this process what there is to deliver. */
export interface WakeListener {
  /** Deliveries are waiting for these subscriptions, given by pk. */
  deliveries(webhooks: readonly number[]): void
  /** Something that is kept in the database falls due at this instant. */
  moment(at: number): void
}

const newListeners = () => new Set<WakeListener>()

export function onWake({ sql }: Reader, listener: WakeListener): () => void {
  const listeners = sql.state.of(newListeners)
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const tell = (tx: Tx, what: (listener: WakeListener) => void): void =>
  tx.afterCommit(() => tx.sql.state.of(newListeners).forEach(what))

const newWoken = () => ({ isTold: false, webhooks: new Set<number>() })

/** Reports after the commit that deliveries wait for these subscriptions, together with those of other calls before it. */
export function wakeDeliveries(tx: Tx, webhooks: readonly number[]): void {
  const woken = tx.transaction.state.of(newWoken)
  if (!woken.isTold) tell(tx, (listener) => listener.deliveries([...woken.webhooks]))
  woken.isTold = true
  for (const webhook of webhooks) woken.webhooks.add(webhook)
}

const newEarliest = () => ({ at: Number.POSITIVE_INFINITY })

/** Reports after the commit the earliest of the instants of a transaction at which something falls due. */
export function wakeAt(tx: Tx, at: number): void {
  const earliest = tx.transaction.state.of(newEarliest)
  if (earliest.at === Number.POSITIVE_INFINITY) tell(tx, (listener) => listener.moment(earliest.at))
  earliest.at = Math.min(earliest.at, at)
}

/** What is kept in the database until its instant, and then becomes an event. */
export interface Moments {
  /** When the next of them falls due; undefined without any. */
  nextAt(reader: Reader): number | undefined
  /** Takes one or a few that are due; returns whether there were any. `startedAt` is when the server began to watch them. */
  step(tx: Tx, startedAt: number): boolean
}
