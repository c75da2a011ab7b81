import { signal } from '@preact/signals'
import { request } from './request.ts'

/** Another user with the note open. */
export interface PersonHere {
  readonly id: string
  readonly name: string
  readonly writing: boolean
  /** The line in which the user last wrote, from 1; null before that. */
  readonly line: number | null
}

/** The letter that stands for a person. */
export const initialOf = (name: string): string => (Array.from(name.trim())[0] ?? '?').toUpperCase()

/** The other users who have the open note open; empty while the server cannot be reached. */
export const peopleHere = signal<readonly PersonHere[]>([])

/** The delay before a refused stream is opened again. */
const REFUSED_MS = 30_000
/** The pause between two reports of writing; the server forgets one after 6 seconds. */
const REPORT_MS = 3_000

/**
 * Counts the user among those with the note open while the page is visible, and shows the others, until the returned
 * function is called.
 */
export function followPresence(note: string, user: string): () => void {
  let stream: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const close = () => {
    clearTimeout(timer)
    stream?.close()
    stream = undefined
    peopleHere.value = []
  }
  const open = () => {
    close()
    if (document.hidden) return
    const opened = new EventSource(`/v1/notes/${note}/presence`)
    stream = opened
    opened.addEventListener('people', (event) => {
      const { people } = JSON.parse(event.data) as { people: PersonHere[] }
      peopleHere.value = people.filter(({ id }) => id !== user)
    })
    opened.onerror = () => {
      peopleHere.value = []
      if (opened.readyState === EventSource.CLOSED) timer = setTimeout(open, REFUSED_MS)
    }
  }
  document.addEventListener('visibilitychange', open)
  open()
  return () => {
    document.removeEventListener('visibilitychange', open)
    close()
  }
}

/** Tells the others in a note that the user writes in a line; silent while nobody else is there. */
export function presenceReporter(note: string): (line: number) => void {
  let nextAt = 0
  return (line) => {
    if (peopleHere.peek().length === 0 || performance.now() < nextAt) return
    nextAt = performance.now() + REPORT_MS
    // A lost report costs the others a hint only.
    request('POST', `/v1/notes/${note}/presence`, { body: { writing: true, line } }).catch(() => {})
  }
}
