import '../../../styles/markdown.ts'
import { h, type VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { labelOf, type WikiToken } from '../../../../lib/markdown-links.ts'
import { type Output, walkMarkdown } from '../../../../lib/markdown-walk.ts'
import { Banner, Loading } from '../../../components/pane.tsx'
import { address } from '../../../router.ts'
import { CodeBlock } from '../code/code-block.tsx'
import { Formula } from '../math/formula.tsx'
import { noteAddress } from '../route.ts'
import { PlainText } from './plain-text.tsx'
import { readParts } from './read-parts.ts'
import { keyOf, type Links, type Outgoing } from './tokens.ts'

interface PreviewProps {
  readonly title: string
  readonly text: string
  /** The text stored on the server, and the links it found there. */
  readonly saved: string
  readonly outgoing: readonly Outgoing[]
}

/** The parts of a note loaded so far; undefined before the first, `too large` if the note cannot be rendered. */
function useParts({
  title,
  text,
  saved,
  outgoing,
}: PreviewProps): readonly VNode[] | 'too large' | undefined {
  const [parts, setParts] = useState<readonly VNode[] | 'too large'>()
  useEffect(() => {
    let rendered: readonly VNode[] = []
    let next: ReturnType<typeof setTimeout> | undefined
    const end = readParts(
      { title, text, saved, outgoing },
      {
        onPart: ({ tokens, topRank, links, isLast }, requestNext) => {
          const part = (
            <div key={rendered.length} class="read-part">
              {walkMarkdown(tokens, topRank, outputWith(links))}
            </div>
          )
          rendered = [...rendered, part]
          setParts(rendered)
          // Yield, so that the page stays responsive.
          if (!isLast) next = setTimeout(requestNext)
        },
        onTooLarge: () => setParts('too large'),
      },
    )
    return () => {
      clearTimeout(next)
      end()
    }
  }, [title, text, saved, outgoing])
  return parts
}

/** The rendered note. It is built from elements, never from HTML text, so that no script in a note can run. */
export function Preview(props: PreviewProps) {
  const parts = useParts(props)
  if (parts === undefined) return <Loading />
  return parts === 'too large' ? <Unrendered text={props.text} /> : <div class="read">{parts}</div>
}

const Unrendered = ({ text }: { text: string }) => (
  <>
    <Banner>
      <p>
        This note is too large to preview, so it is shown as plain text. Split it into several notes to
        preview it.
      </p>
    </Banner>
    <PlainText text={text} />
  </>
)

/** A link to an existing note, or plain text. */
function noteLink(token: WikiToken, links: Links): VNode {
  const { target } = token
  const text = labelOf(token)
  const note = links.get(keyOf(target))
  return note === undefined ? (
    <span class="dead" title="No note with this title yet">
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
  math: (text, isDisplay) => <Formula text={text} isDisplay={isDisplay} />,
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
  // The title of the note is an h2.
  headings: ['h3', 'h4', 'h5', 'h6'],
})
