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

const NOBODY: readonly PersonHere[] = []

/** The other users in each followed note; none while the server cannot be reached. */
const people = signal<ReadonlyMap<string, readonly PersonHere[]>>(new Map())

/** The other users who have a note open; reads a signal. */
export const peopleIn = (note: string): readonly PersonHere[] => people.value.get(note) ?? NOBODY

function setPeople(note: string, present: readonly PersonHere[]): void {
  const changed = new Map(people.peek())
  if (present.length > 0) changed.set(note, present)
  else if (!changed.delete(note)) return
  people.value = changed
}

/** The delay before a refused stream is opened again. */
const REFUSED_MS = 30_000
/** The pause between two reports of writing; the server forgets one after 6 seconds. */
const REPORT_MS = 3_000

/** The followed notes, each with the number of panes that show it. */
const followed = new Map<string, { panes: number; readonly stop: () => void }>()

/**
 * Counts the user among those with the note open while the page is visible, and shows the others, until the returned
 * function is called. Two panes with one note share a stream.
 */
export function followPresence(note: string, user: string): () => void {
  const entry = followed.get(note) ?? { panes: 0, stop: openStream(note, user) }
  followed.set(note, entry)
  entry.panes++
  return () => {
    entry.panes--
    if (entry.panes > 0) return
    followed.delete(note)
    entry.stop()
  }
}

function openStream(note: string, user: string): () => void {
  let stream: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const close = () => {
    clearTimeout(timer)
    stream?.close()
    stream = undefined
    setPeople(note, NOBODY)
  }
  const open = () => {
    close()
    if (document.hidden) return
    const opened = new EventSource(`/v1/notes/${note}/presence`)
    stream = opened
    opened.addEventListener('people', (event) => {
      const { people: present } = JSON.parse(event.data) as { people: PersonHere[] }
      const others = present.filter(({ id }) => id !== user)
      setPeople(note, others)
    })
    opened.onerror = () => {
      setPeople(note, NOBODY)
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
    if (!people.peek().has(note) || performance.now() < nextAt) return
    nextAt = performance.now() + REPORT_MS
    // A lost report costs the others a hint only.
    request('POST', `/v1/notes/${note}/presence`, { body: { writing: true, line } }).catch(() => {})
  }
}
