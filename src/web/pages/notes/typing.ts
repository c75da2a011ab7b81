/*
 * A note that was just made is typed into without a break, although its fields take the place of the empty sheet's: the
 * history keeps which field is typed into and where, and keys that are pressed in between are held.
 */

export interface Typing {
  readonly field: 'title' | 'content'
  readonly at: number
}

/** No longer than this, in case the fields never come. */
const HOLD_MS = 5_000

let held: { text: string; stop: () => void } | undefined

/** Holds what is typed from now on, until it is taken. */
export function holdKeys(): void {
  const keys = { text: '', stop: () => {} }
  const onKey = (event: KeyboardEvent) => {
    const typed = event.key === 'Enter' ? '\n' : event.key
    if (event.ctrlKey || event.metaKey || event.altKey || typed.length !== 1) return
    event.preventDefault()
    event.stopImmediatePropagation()
    keys.text += typed
  }
  addEventListener('keydown', onKey, { capture: true })
  const timer = setTimeout(() => keys.stop(), HOLD_MS)
  keys.stop = () => {
    clearTimeout(timer)
    removeEventListener('keydown', onKey, { capture: true })
    held = undefined
  }
  held = keys
}

/** Leads into the text, to a place in it, once its editor is there; what is typed until then is held. */
export function goOnInText(at = 0): void {
  history.replaceState({ typing: { field: 'content', at } satisfies Typing }, '')
  holdKeys()
}

/** Where the text of a note that was just made goes on, and what was typed meanwhile; once. */
export function takeTyping(
  field: Typing['field'],
): { readonly at: number; readonly text: string } | undefined {
  const typing = (history.state as { typing?: Typing } | null)?.typing
  if (typing?.field !== field) return undefined
  const { at } = typing
  const text = held?.text ?? ''
  const end = field === 'title' ? text.indexOf('\n') : -1
  if (held && end !== -1) {
    // Enter leads from the title to the text, which is there later.
    held.text = text.slice(end + 1)
    history.replaceState({ typing: { field: 'content', at: 0 } satisfies Typing }, '')
    return { at, text: text.slice(0, end) }
  }
  history.replaceState(null, '')
  held?.stop()
  return { at, text }
}
