/*
 * Typing continues without a break when the editor of a created note replaces the fields of the new note: the history
 * state stores the field and offset, and keys pressed in between are buffered.
 */

export interface Typing {
  readonly field: 'title' | 'content'
  readonly offset: number
}

/** Time limit for buffering, in case the fields never appear. */
const MAX_BUFFER_MS = 5_000

let buffer: { text: string; stop: () => void } | undefined

/** Buffers typed keys until `resumeTyping`. */
export function bufferKeys(): void {
  const keys = { text: '', stop: () => {} }
  const onKey = (event: KeyboardEvent) => {
    const typed = event.key === 'Enter' ? '\n' : event.key
    if (event.ctrlKey || event.metaKey || event.altKey || typed.length !== 1) return
    event.preventDefault()
    event.stopImmediatePropagation()
    keys.text += typed
  }
  addEventListener('keydown', onKey, { capture: true })
  const timer = setTimeout(() => keys.stop(), MAX_BUFFER_MS)
  keys.stop = () => {
    clearTimeout(timer)
    removeEventListener('keydown', onKey, { capture: true })
    buffer = undefined
  }
  buffer = keys
}

/** Moves the cursor into the text once its editor is loaded; keys typed until then are buffered. */
export function continueInText(offset = 0): void {
  history.replaceState({ typing: { field: 'content', offset } satisfies Typing }, '')
  bufferKeys()
}

/** Returns the position to continue typing, and the buffered keys. Works once per field. */
export function resumeTyping(
  field: Typing['field'],
): { readonly offset: number; readonly text: string } | undefined {
  const typing = (history.state as { typing?: Typing } | null)?.typing
  if (typing?.field !== field) return undefined
  const { offset } = typing
  const text = buffer?.text ?? ''
  const end = field === 'title' ? text.indexOf('\n') : -1
  if (buffer && end !== -1) {
    // Enter moves on to the text, whose editor loads later.
    buffer.text = text.slice(end + 1)
    history.replaceState({ typing: { field: 'content', offset: 0 } satisfies Typing }, '')
    return { offset, text: text.slice(0, end) }
  }
  history.replaceState(null, '')
  buffer?.stop()
  return { offset, text }
}
