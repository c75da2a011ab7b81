import { computed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { restoreFocus } from '../../components/focus.ts'
import { isNarrow } from '../../components/narrow.ts'
import { address, navigate, search, setParameters } from '../../router.ts'
import { areDetailsOpen, noteAddress, noteId } from './route.ts'

/* A second note stands beside the first, in place of its details. The address names it, so that reload and Back keep it. */

const requested = computed(() => (isNarrow.value ? undefined : (search.value.get('beside') ?? undefined)))

/** Whether the address names a second note, even while the details cover it. */
export const hasBeside = computed(() => requested.value !== undefined)

/** The note in the second pane. */
export const besideId = computed(() => (areDetailsOpen.value ? undefined : requested.value))

/** The note that was opened in the second pane by the user, who then works in it. */
let opened: string | undefined

/** Whether the note was just opened in the second pane. True once. */
export function isJustOpened(id: string): boolean {
  const isJust = opened === id
  opened = undefined
  return isJust
}

/** Opens a note in the second pane; phones have none. */
export function openBeside(id: string): void {
  if (isNarrow.peek() || noteId.peek() === undefined) navigate(noteAddress(id))
  else {
    opened = id
    setParameters({ beside: id, pane: undefined })
  }
}

/** Closes the second pane, and continues in the first one. */
export function closeBeside(): void {
  setParameters({ beside: undefined })
  document.querySelector<HTMLElement>('#note .cm-content')?.focus()
  restoreFocus()
}

const NOTE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The id of the note that an address of the application leads to. */
export function noteIdOf(href: string): string | undefined {
  const { origin, pathname } = new URL(href, location.href)
  const start = address(['notes', ''])
  const id = origin === location.origin && pathname.startsWith(start) ? pathname.slice(start.length) : ''
  return NOTE_ID.test(id) ? id : undefined
}

/** Opens the note of a link in the second pane. Returns false for other links. */
export function openLinkBeside(href: string): boolean {
  const id = noteIdOf(href)
  if (id !== undefined) openBeside(id)
  return id !== undefined
}

const linkOf = ({ target }: Event): HTMLAnchorElement | undefined =>
  (target instanceof Element && target.closest<HTMLAnchorElement>('a[href]')) || undefined

function onClick(event: MouseEvent): void {
  const link = linkOf(event)
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
  // Links in the second note lead on in its pane.
  const isBeside = event.altKey || link.closest('.beside .sheet') !== null
  if (!isBeside || !openLinkBeside(link.href)) return
  event.preventDefault()
  event.stopPropagation()
}

function onKey(event: KeyboardEvent): void {
  const link = linkOf(event)
  if (event.key !== 'Enter' || !event.altKey || !link || !openLinkBeside(link.href)) return
  event.preventDefault()
  event.stopPropagation()
}

/** Opens links to notes in the second pane, on Alt with a click or Enter, while the component is shown. */
export function useBesideLinks(): void {
  useEffect(() => {
    const stop = new AbortController()
    // Before the browser and the router follow the link.
    const options = { capture: true, signal: stop.signal }
    document.addEventListener('click', onClick, options)
    document.addEventListener('keydown', onKey, options)
    return () => stop.abort()
  }, [])
}
