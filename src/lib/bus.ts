/** Notifies listeners in this process, after the commit, that data changed. New listeners get no past changes. */
export interface Bus {
  /**
   * Reports that anything in the structure may have changed. Without an id it reports that anything at all may have
   * changed, as after a write of another process.
   */
  notify(structureId?: string): void
  /**
   * Calls the listener whenever anything in this structure may have changed. Each `on…` function returns one that
   * removes the listener.
   */
  onChange(structureId: string, listener: () => void): () => void
  /** Calls the listener when anything may have changed, including keys and users. */
  onAnyChange(listener: () => void): () => void
}

export function createBus(): Bus {
  const listenersById = new Map<string, Set<() => void>>()
  const allListeners = new Set<() => void>()
  const callAll = (listeners: Iterable<() => void>) => {
    for (const listener of [...listeners]) listener()
  }
  const notify = (structureId?: string) => {
    if (structureId !== undefined) return callAll(listenersById.get(structureId) ?? [])
    callAll([...listenersById.values()].flatMap((listeners) => [...listeners]))
    callAll(allListeners)
  }
  return {
    notify,
    onChange: (structureId, listener) => {
      const listeners = listenersById.get(structureId) ?? new Set()
      listenersById.set(structureId, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && listenersById.get(structureId) === listeners)
          listenersById.delete(structureId)
      }
    },
    onAnyChange: (listener) => {
      allListeners.add(listener)
      return () => void allListeners.delete(listener)
    },
  }
}
