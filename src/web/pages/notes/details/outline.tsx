import { useState } from 'preact/hooks'
import { findDocument } from '../../../offline/note-documents.ts'
import { goToHeading, type Heading, headingsOf } from '../editor/headings.ts'
import { useTextChanges } from '../text-changes.ts'

/** Pause in typing before the headings are updated. */
const PAUSE_MS = 300
/** With more headings, lower levels are omitted first, then headings at the end. */
const MAX_SHOWN = 200

const NONE: readonly Heading[] = []

const textOf = (id: string): string => findDocument(id)?.draft.text.peek().content ?? ''

const isSameList = (one: readonly Heading[], other: readonly Heading[]): boolean =>
  one.length === other.length &&
  one.every(({ level, text }, index) => level === other[index]?.level && text === other[index]?.text)

/** The headings of a note. Changes of their positions alone cause no update. */
function useHeadings(id: string): readonly Heading[] {
  const [headings, setHeadings] = useState(NONE)
  useTextChanges(findDocument(id)?.draft, (text, isFirst) => {
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

/** The headings to show: as many levels as fit MAX_SHOWN. */
function shownOf(headings: readonly Heading[]) {
  const all = headings.map((heading, index) => ({ ...heading, index }))
  const levels = [...new Set(headings.map(({ level }) => level))].sort((one, other) => one - other)
  const [top = 1] = levels
  const deepest = levels.findLast((max) => all.filter(({ level }) => level <= max).length <= MAX_SHOWN)
  return all.filter(({ level }) => level <= (deepest ?? top)).slice(0, MAX_SHOWN)
}

/** Scrolls to a heading at its current position. */
function goTo(id: string, index: number): void {
  const headings = headingsOf(textOf(id))
  const heading = headings[index]
  if (heading === undefined) return
  goToHeading(
    heading,
    headings.slice(0, index).filter(({ text }) => text === heading.text),
  )
}

/** The table of contents of a note. */
export function Outline({ id }: { id: string }) {
  const headings = useHeadings(id)
  const shown = shownOf(headings)
  const top = Math.min(...shown.map(({ level }) => level))
  if (shown.length < 2) return null
  return (
    <section class="section">
      <h3>On this page</h3>
      <ul class="outline">
        {shown.map(({ index, level, text }) => (
          <li key={index} style={{ '--depth': level - top }}>
            <button type="button" class="link" dir="auto" onClick={() => goTo(id, index)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
      {shown.length < headings.length && (
        <p class="dim">{`${headings.length - shown.length} more headings`}</p>
      )}
    </section>
  )
}
