import { useHotkeys } from '../../components/hotkeys.ts'
import { type Key, useKeys } from '../../components/keys.tsx'
import { mayWriteNotes } from '../../data/session.ts'
import { navigate } from '../../router.ts'
import type { Row } from './list-data.ts'
import { list, noteAddress, noteId, TODAY } from './route.ts'
import { endSelection, isSelecting, select, selected } from './selection.ts'

interface ListKeys {
  readonly rows: { scrollToIndex(index: number): void }
  readonly total: number
  readonly find: (index: number) => Row | undefined
}

const LIST_KEYS: readonly Key[] = [
  { keys: ['J'], does: 'next note' },
  { keys: ['K'], does: 'previous note' },
  { keys: ['Enter'], does: 'open the focused note' },
  { keys: ['/'], does: 'search' },
  { keys: ['X'], does: 'select the note, to change several together; Esc ends it' },
  { keys: ['A'], does: 'actions for the selected notes' },
  { keys: ['T'], does: 'today’s note' },
  { keys: ['Alt', '↑ ↓'], does: 'move the focused quick access item' },
]

/** True if the key is typed into a field or is a browser shortcut. */
const isTyping = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select, dialog *')))

/** Index of the focused row. */
export const focusedIndex = (): number | undefined => {
  const row = document.activeElement?.closest<HTMLElement>('.notes-rows > li')
  return row?.dataset.index === undefined ? undefined : Number(row.dataset.index)
}

const openIndex = (): number | undefined => {
  const row = noteId.value && document.querySelector<HTMLElement>('.notes-rows > li.chosen')
  return row ? Number(row.dataset.index) : undefined
}

/** The rows of the list that is shown. */
export const shownRows: { current?: ListKeys } = {}

/** Handles the keys of the list. Enter needs no handler: the focused row is a link. */
export function useListKeys(keys: ListKeys): void {
  useKeys('Notes', LIST_KEYS)
  shownRows.current = keys
  useHotkeys((event) => {
    const keys = shownRows.current
    if (!keys || event.defaultPrevented || isTyping(event)) return
    const key = event.key.toLowerCase()
    if (key === 'j' || key === 'k') move(keys, key === 'j' ? 1 : -1)
    else if (key === '/') document.querySelector<HTMLInputElement>('#list input[type=search]')?.focus()
    else if (key === 'x' && mayWriteNotes.peek()) selectFocused(keys)
    else if (key === 'a' && isSelecting.peek())
      document.querySelector<HTMLElement>('.bulk-bar :enabled')?.focus()
    else if (key === 'escape' && isSelecting.peek()) endSelection()
    else if (key === 't') navigate(noteAddress(TODAY))
    else return
    event.preventDefault()
  })
}

/** Toggles the selection of the focused note, else of the open one. */
function selectFocused({ find }: ListKeys): void {
  const index = focusedIndex() ?? openIndex()
  const row = index === undefined ? undefined : find(index)
  if (row && index !== undefined && list.peek().kind !== 'trash')
    select([row], !selected.peek().has(row.id), index)
}

function move({ rows, total }: Pick<ListKeys, 'rows' | 'total'>, step: 1 | -1): void {
  if (total === 0) return
  const from = focusedIndex() ?? openIndex()
  const to = from === undefined ? 0 : Math.min(total - 1, Math.max(0, from + step))
  rows.scrollToIndex(to)
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`.notes-rows > li[data-index="${to}"] :is(a, button)`)?.focus(),
  )
}
