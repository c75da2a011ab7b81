import '../../../styles/markdown.ts'
import { h, type VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { labelOf, type WikiToken } from '../../../../lib/markdown-links.ts'
import { type Output, walkMarkdown } from '../../../../lib/markdown-walk.ts'
import { Banner, Loading } from '../../../components/pane.tsx'
import { address } from '../../../router.ts'
import { CodeBlock } from '../code/code-block.tsx'
import { noteAddress } from '../place.ts'
import { PlainText } from './plain-text.tsx'
import { readParts } from './read-parts.ts'
import { keyOf, type Links, type Outgoing } from './tokens.ts'

interface PreviewProps {
  readonly title: string
  readonly text: string
  /** The text that the server holds, and the links that it found in it. */
  readonly saved: string
  readonly outgoing: readonly Outgoing[]
}

/** The parts of a note as they come; undefined until the first, and `too much` where the note cannot be drawn. */
function useParts({ title, text, saved, outgoing }: PreviewProps): readonly VNode[] | 'too much' | undefined {
  const [parts, setParts] = useState<readonly VNode[] | 'too much'>()
  useEffect(() => {
    let drawn: readonly VNode[] = []
    let next: ReturnType<typeof setTimeout> | undefined
    const end = readParts(
      { title, text, saved, outgoing },
      {
        onPart: ({ tokens, topRank, links, isLast }, ask) => {
          const part = (
            <div key={drawn.length} class="read-part">
              {walkMarkdown(tokens, topRank, outputWith(links))}
            </div>
          )
          drawn = [...drawn, part]
          setParts(drawn)
          // The page answers what was pressed meanwhile.
          if (!isLast) next = setTimeout(ask)
        },
        onTooMuch: () => setParts('too much'),
      },
    )
    return () => {
      clearTimeout(next)
      end()
    }
  }, [title, text, saved, outgoing])
  return parts
}

/** The note as it reads: made of elements, never of markup, so that nothing in a note can run. */
export function Preview(props: PreviewProps) {
  const parts = useParts(props)
  if (parts === undefined) return <Loading />
  return parts === 'too much' ? <Undrawn text={props.text} /> : <div class="read">{parts}</div>
}

const Undrawn = ({ text }: { text: string }) => (
  <>
    <Banner>
      <p>
        The markup of this note is too much to be shown as a page, so here is its plain text. To read it as a
        page, split it into several notes.
      </p>
    </Banner>
    <PlainText text={text} />
  </>
)

/** A link to a note that is there, or the text of one that is not. */
function noteLink(token: WikiToken, links: Links): VNode {
  const { target } = token
  const text = labelOf(token)
  const note = links.get(keyOf(target))
  return note === undefined ? (
    <span class="dead" title="No note has this title yet">
      {text}
    </span>
  ) : (
    <a class="note-link" href={noteAddress(note.id)}>
      {text === target && keyOf(target) === note.id ? note.title : text}
    </a>
  )
}

const outputWith = (links: Links): Output<VNode | string> => ({
  element: (name, attributes, content) => h(name, attributes, ...content),
  text: (text) => text,
  code: (text, info) => <CodeBlock text={text} info={info} />,
  table: (content) => (
    <div class="read-table">
      <table>{content}</table>
    </div>
  ),
  link: (href, content) => (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {content}
    </a>
  ),
  noteLink: (token) => noteLink(token, links),
  fileLink: (id, name) => <a href={address(['files', id])}>{name}</a>,
  fileAddress: (id) => `/v1/files/${id}/content`,
  // The title of the note is a heading of the second rank.
  headings: ['h3', 'h4', 'h5', 'h6'],
})
