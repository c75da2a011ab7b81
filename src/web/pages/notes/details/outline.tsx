import { useState } from 'preact/hooks'
import { findDocument } from '../../../data/note-documents.ts'
import { goToHeading, type Heading, headingsOf } from '../editor/places.ts'
import { useTextChanges } from '../text-changes.ts'

/** A pause in typing after which the headings are read again. */
const PAUSE_MS = 300
/** Of a text with more headings than this the lower levels are left out, and then those at its end. */
const MAX_SHOWN = 200

const NONE: readonly Heading[] = []

const textOf = (id: string): string => findDocument(id)?.queue.text.peek().content ?? ''

const isSameList = (one: readonly Heading[], other: readonly Heading[]): boolean =>
  one.length === other.length &&
  one.every(({ level, text }, at) => level === other[at]?.level && text === other[at]?.text)

/** The headings of a note; where they stand is not told again when nothing else has changed. */
function useHeadings(id: string): readonly Heading[] {
  const [headings, setHeadings] = useState(NONE)
  useTextChanges(findDocument(id)?.queue, (text, isFirst) => {
    const refetch = () =>
      setHeadings((known) => {
        const found = headingsOf(text)
        return isSameList(known, found) ? known : found
      })
    const timer = setTimeout(refetch, isFirst ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  })
  return headings
}

/** As many levels as there is room for. */
function shownOf(headings: readonly Heading[]) {
  const all = headings.map((heading, at) => ({ ...heading, at }))
  const levels = [...new Set(headings.map(({ level }) => level))].sort((one, other) => one - other)
  const [top = 1] = levels
  const deepest = levels.findLast((most) => all.filter(({ level }) => level <= most).length <= MAX_SHOWN)
  return all.filter(({ level }) => level <= (deepest ?? top)).slice(0, MAX_SHOWN)
}

/** Goes to one of the headings, wherever it stands by now. */
function goTo(id: string, at: number): void {
  const headings = headingsOf(textOf(id))
  const heading = headings[at]
  if (heading === undefined) return
  goToHeading(
    heading,
    headings.slice(0, at).filter(({ text }) => text === heading.text),
  )
}

/** The headings of the note; each leads to its place in the text. */
export function Outline({ id }: { id: string }) {
  const headings = useHeadings(id)
  const shown = shownOf(headings)
  const top = Math.min(...shown.map(({ level }) => level))
  if (shown.length < 2) return null
  return (
    <section class="section">
      <h3>On this page</h3>
      <ul class="outline">
        {shown.map(({ at, level, text }) => (
          <li key={at} style={{ '--depth': level - top }}>
            <button type="button" class="link" dir="auto" onClick={() => goTo(id, at)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
      {shown.length < headings.length && (
        <p class="dim">{`${headings.length - shown.length} more in the text`}</p>
      )}
    </section>
  )
}
