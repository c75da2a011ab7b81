import { effect, type Signal, signal } from '@preact/signals'
import { sessionKey } from './session-key.ts'
import { readStored, store } from './stored.ts'

interface Stored {
  readonly name: string
  /** Session storage belongs to the tab, and local storage to all tabs. */
  readonly storage: 'localStorage' | 'sessionStorage'
}

/**
 * State that belongs to a user and workspace: it returns to its initial value when another session is shown. Stored
 * state survives a reload, and returns with its session.
 */
export function sessionState<Value>(initial: Value, stored?: Stored): Signal<Value> {
  const state = signal(initial)
  const nameFor = (key: string) => `${stored?.name} ${key}`
  effect(() => {
    const key = sessionKey.value
    const found = stored && key !== undefined ? readStored<Value>(stored.storage, nameFor(key)) : undefined
    state.value = found ?? initial
  })
  effect(() => {
    const value = state.value
    const key = sessionKey.peek()
    if (stored && key !== undefined)
      store(stored.storage, nameFor(key), value === initial ? undefined : value)
  })
  return state
}
