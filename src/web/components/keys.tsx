import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { mayWriteNotes } from '../data/session.ts'
import { address, navigate } from '../router.ts'
import { areKeysOpen, openKeys, useDialog } from './dialogs.ts'
import { useHotkeys } from './hotkeys.ts'
import { lazy } from './lazy.tsx'

/** A keyboard shortcut. */
export interface Key {
  /** Keys pressed together, as labelled on the keyboard: `['Ctrl', 'K']`. */
  readonly keys: readonly string[]
  readonly does: string
  /** Called when the single key is pressed outside a field. Without it the screen handles the key itself. */
  readonly run?: () => void
}

export interface KeyGroup {
  readonly title: string
  readonly keys: readonly Key[]
}

/** Presses the control of the screen that creates something, else opens a new note. */
function startNew(): void {
  const control = document.querySelector<HTMLElement>('main [aria-keyshortcuts=n]')
  if (control) control.click()
  else if (mayWriteNotes.peek()) navigate(address(['notes', 'new']))
}

/** The keys that work on every screen. The list adds those that are handled elsewhere, so that no screen loads them. */
const EVERYWHERE: KeyGroup = {
  title: 'Everywhere',
  keys: [
    { keys: ['?'], does: 'show keyboard shortcuts', run: openKeys },
    { keys: ['N'], does: 'new note; on a table, new row', run: startNew },
  ],
}

const groups = signal<readonly KeyGroup[]>([EVERYWHERE])

/**
 * Lists keys in the `?` dialog, and handles those with `run`, while the component is mounted. `keys` must keep its
 * identity: a constant, or memoized.
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

/** True where keys type text or belong to an open dialog. */
function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('dialog:modal')) return true
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}

function handleKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target))
    return
  const found = groups
    .peek()
    .flatMap(({ keys }) => keys)
    .find(({ keys, run }) => run && keys.length === 1 && keys[0]?.toLowerCase() === event.key.toLowerCase())
  if (!found) return
  event.preventDefault()
  found.run?.()
}

const close = () => {
  areKeysOpen.value = false
}

const KeyList = lazy(async () => (await import('./key-list.tsx')).KeyList)

/** The dialog with the shortcuts of the screen and those that work everywhere. */
export function KeysDialog() {
  const dialog = useDialog(areKeysOpen)
  useHotkeys(handleKey)
  return (
    <dialog {...dialog} class="dialog keys-dialog" aria-labelledby="keys-h">
      {areKeysOpen.value && <KeyList groups={groups.value} onClose={close} />}
    </dialog>
  )
}
