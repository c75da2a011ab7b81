import type { Reader } from '../storage/reader.ts'
import type { Tx } from '../storage/writes/transaction.ts'

/** Notifies listeners in this process, after the commit, that data changed. New listeners get no past changes. */
export interface Bus {
  /**
   * Reports that anything in the structure may have changed. Without an id it reports that anything at all may have
   * changed, as after a write of another process.
   */
  wake(structureId?: string): void
  /**
   * Calls the listener whenever anything in this structure may have changed. Each `on…` function returns one that
   * removes the listener.
   */
  onWake(structureId: string, listener: () => void): () => void
  /** Calls the listener when anything may have changed, including keys and users. */
  onWakeAll(listener: () => void): () => void
}

export function createBus(): Bus {
  const wakers = new Map<string, Set<() => void>>()
  const allWakers = new Set<() => void>()
  const wakeAll = (listeners: Iterable<() => void>) => {
    for (const listener of [...listeners]) listener()
  }
  const wake = (structureId?: string) => {
    if (structureId !== undefined) return wakeAll(wakers.get(structureId) ?? [])
    wakeAll([...wakers.values()].flatMap((listeners) => [...listeners]))
    wakeAll(allWakers)
  }
  return {
    wake,
    onWake: (structureId, listener) => {
      const listeners = wakers.get(structureId) ?? new Set()
      wakers.set(structureId, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && wakers.get(structureId) === listeners) wakers.delete(structureId)
      }
    },
    onWakeAll: (listener) => {
      allWakers.add(listener)
      return () => void allWakers.delete(listener)
    },
  }
}

/** The bus of a database, shared by all connections of this thread. */
export const busOf = ({ sql }: Reader): Bus => sql.state.of(createBus)

/** Reports after the commit that anything in the structure may have changed; without an id, anything at all. */
export const wakeAfterCommit = (tx: Tx, structureId?: string): void =>
  tx.afterCommit(() => busOf(tx).wake(structureId))
