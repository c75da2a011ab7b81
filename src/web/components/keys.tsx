import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { areKeysOpen, openKeys, useDialog } from './dialogs.ts'
import { lazy } from './lazy.tsx'

/** A key, or keys pressed together, and what they do. */
export interface Key {
  /** As written on the keyboard: `['Ctrl', 'K']`. */
  readonly keys: readonly string[]
  readonly does: string
  /** Called when the one key is pressed anywhere but in a field; without it the screen listens by itself. */
  readonly run?: () => void
}

export interface KeyGroup {
  readonly title: string
  readonly keys: readonly Key[]
}

const EVERYWHERE: KeyGroup = {
  title: 'Everywhere',
  keys: [
    { keys: ['Ctrl', 'K'], does: 'find notes, rows, files and commands' },
    { keys: ['?'], does: 'these keys', run: openKeys },
    { keys: ['Tab'], does: 'next control' },
    { keys: ['Esc'], does: 'close what is open' },
  ],
}

const groups = signal<readonly KeyGroup[]>([EVERYWHERE])

/**
 * Adds keys to those that `?` shows, and obeys those with `run`, while the component is there. `keys` is a list that
 * stays the same: a constant, or memoized.
 */
export function useKeys(title: string, keys: readonly Key[]): void {
  useEffect(() => {
    const group = { title, keys }
    groups.value = [group, ...groups.peek()]
    return () => {
      groups.value = groups.peek().filter((other) => other !== group)
    }
  }, [title, keys])
}

/** Whether keys are text here, or belong to an open dialog. */
function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector('dialog:modal')) return true
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}

function obey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event.target))
    return
  const found = groups
    .peek()
    .flatMap(({ keys }) => keys)
    .find(({ keys, run }) => run && keys.length === 1 && keys[0] === event.key)
  if (!found) return
  event.preventDefault()
  found.run?.()
}

const close = () => {
  areKeysOpen.value = false
}

const KeyList = lazy(async () => (await import('./key-list.tsx')).KeyList)

/** The dialog with all keys of the screen and those that work everywhere. */
export function KeysDialog() {
  const dialog = useDialog(areKeysOpen)
  // Before anything is painted: a key that is pressed at once is not lost.
  useLayoutEffect(() => {
    addEventListener('keydown', obey)
    return () => removeEventListener('keydown', obey)
  }, [])
  return (
    <dialog {...dialog} class="dialog keys-dialog" aria-labelledby="keys-h">
      {areKeysOpen.value && <KeyList groups={groups.value} onClose={close} />}
    </dialog>
  )
}
