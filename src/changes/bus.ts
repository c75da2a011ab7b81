import type { RecordChange } from './record-change.ts'

/** Tells, within this process and after the commit, that records changed. Nothing is kept for latecomers. */
export interface Bus {
  /** Hands the change to every listener and wakes those of its structure. */
  publish(change: RecordChange): void
  /** Something about the structure may have changed; with no id, anything may have, as when another process wrote. */
  wake(structureId?: string): void
  /** Calls the listener for every change; answers how to stop. */
  onChange(listener: (change: RecordChange) => void): () => void
  /** Calls the listener whenever this structure may answer differently; answers how to stop. */
  onWake(structureId: string, listener: () => void): () => void
  /** Calls the listener when anything may have changed, keys and users too; answers how to stop. */
  onWakeAll(listener: () => void): () => void
  /** Deliveries wait for these subscriptions, given by pk. */
  wakeDeliveries(webhooks: readonly number[]): void
  onWakeDeliveries(listener: (webhooks: readonly number[]) => void): () => void
}

export function createBus(): Bus {
  const changeListeners = new Set<(change: RecordChange) => void>()
  const wakers = new Map<string, Set<() => void>>()
  const allWakers = new Set<() => void>()
  const deliveryWakers = new Set<(webhooks: readonly number[]) => void>()
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
    publish: (change) => {
      for (const listener of changeListeners) listener(change)
      wake(change.structure.id)
    },
    onChange: (listener) => {
      changeListeners.add(listener)
      return () => changeListeners.delete(listener)
    },
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
    wakeDeliveries: (webhooks) => {
      for (const listener of deliveryWakers) listener(webhooks)
    },
    onWakeDeliveries: (listener) => {
      deliveryWakers.add(listener)
      return () => void deliveryWakers.delete(listener)
    },
  }
}
