import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Key, useKeys } from '../../components/keys.tsx'
import { mayWrite } from '../../data/session.ts'
import { navigate } from '../../router.ts'
import type { Row } from './list-data.ts'
import { endPicking, isPicking, pick, picked } from './picks.ts'
import { list, noteAddress, noteId, TODAY } from './place.ts'

interface ListKeys {
  readonly rows: { scrollToIndex(index: number): void }
  readonly total: number
  readonly onCreate: () => void
  readonly find: (index: number) => Row | undefined
}

const LIST_KEYS: readonly Key[] = [
  { keys: ['J'], does: 'next note' },
  { keys: ['K'], does: 'note before' },
  { keys: ['Enter'], does: 'open the chosen note' },
  { keys: ['/'], does: 'search' },
  { keys: ['X'], does: 'choose the note, to change several together; Esc ends it' },
  { keys: ['A'], does: 'what can be done with the chosen notes' },
  { keys: ['N'], does: 'new note' },
  { keys: ['T'], does: 'the note of today' },
  { keys: ['Alt', '↑ ↓'], does: 'move the chosen note of quick access' },
]

/** Whether a key goes to what is typed into. */
const isTyping = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select, dialog *')))

/** The index of the row that has the focus. */
export const focusedIndex = (): number | undefined => {
  const row = document.activeElement?.closest<HTMLElement>('.notes-rows > li')
  return row?.dataset.index === undefined ? undefined : Number(row.dataset.index)
}

const openIndex = (): number | undefined => {
  const row = noteId.value && document.querySelector<HTMLElement>('.notes-rows > li.chosen')
  return row ? Number(row.dataset.index) : undefined
}

/** J and K move through the list, / searches, N makes a note; Enter opens, as the row with the focus is a link. */
export function useListKeys(given: ListKeys): void {
  useKeys('Notes', LIST_KEYS)
  const latest = useRef(given)
  latest.current = given
  // Before anything is painted: a key that is pressed at once is not lost.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event)) return
      const key = event.key.toLowerCase()
      if (key === 'j' || key === 'k') move(latest.current, key === 'j' ? 1 : -1)
      else if (key === '/') document.querySelector<HTMLInputElement>('#list input[type=search]')?.focus()
      else if (key === 'x' && mayWrite.peek()) pickFocused(latest.current)
      else if (key === 'a' && isPicking.peek())
        document.querySelector<HTMLElement>('.bulk-bar :enabled')?.focus()
      else if (key === 'escape' && isPicking.peek()) endPicking()
      else if (key === 'n' && mayWrite.peek()) latest.current.onCreate()
      else if (key === 't') navigate(noteAddress(TODAY))
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

/** Chooses the note with the focus, else the open one, or lets it go. */
function pickFocused({ find }: ListKeys): void {
  const index = focusedIndex() ?? openIndex()
  const row = index === undefined ? undefined : find(index)
  if (row && index !== undefined && list.peek().kind !== 'trash')
    pick([row], !picked.peek().has(row.id), index)
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
