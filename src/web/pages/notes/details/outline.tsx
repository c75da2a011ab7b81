import { useEffect, useState } from 'preact/hooks'
import { findDocument } from '../../../data/note-documents.ts'
import { goToHeading, type Heading, headingsOf } from '../editor/places.ts'

/** A pause in typing after which the headings are read again. */
const PAUSE_MS = 300

const NONE: readonly Heading[] = []

function useHeadings(text: string): readonly Heading[] {
  const [headings, setHeadings] = useState(NONE)
  useEffect(() => {
    const timer = setTimeout(() => setHeadings(headingsOf(text)), headings === NONE ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return headings
}

/** The headings of the note; each leads to its place in the text. */
export function Outline({ id }: { id: string }) {
  const headings = useHeadings(findDocument(id)?.queue.text.value.content ?? '')
  const top = Math.min(...headings.map(({ level }) => level))
  if (headings.length < 2) return null
  return (
    <section class="section">
      <h3>On this page</h3>
      <ul class="outline">
        {headings.map((heading, at) => (
          <li key={heading.at} style={{ '--depth': heading.level - top }}>
            <button
              type="button"
              class="link"
              dir="auto"
              onClick={() =>
                goToHeading(
                  heading,
                  headings.slice(0, at).filter(({ text }) => text === heading.text),
                )
              }
            >
              {heading.text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
