import '../../../styles/markdown.ts'
import type { Token, Tokens } from 'marked'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import {
  calloutIn,
  calloutName,
  fileIdOf,
  isShownInPlace,
  labelOf,
  safeLink,
  type WikiToken,
  withoutTitle,
} from '../../../../lib/markdown.ts'
import { Banner, Loading } from '../../../components/pane.tsx'
import { address } from '../../../router.ts'
import { CodeBlock } from '../code/code-block.tsx'
import { noteAddress } from '../place.ts'
import { PlainText } from './plain-text.tsx'
import { readParts } from './read-parts.ts'
import { keyOf, type Links, type Outgoing, ownImage } from './tokens.ts'

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
      { text, saved, outgoing },
      {
        onPart: ({ tokens, links, isLast }, ask) => {
          const part = (
            <div key={drawn.length} class="read-part">
              {blocks(drawn.length === 0 ? withoutTitle(tokens, title) : tokens, links)}
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

const blocks = (tokens: readonly Token[] | undefined, links: Links): ComponentChildren =>
  (tokens ?? []).map((token) => block(token, links))

function block(token: Token, links: Links): ComponentChildren {
  const { tokens } = token as Tokens.Generic
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return heading(token as Tokens.Heading, links)
    case 'paragraph':
      return <p>{blocks(tokens, links)}</p>
    case 'blockquote':
      return quote(tokens ?? [], links)
    case 'code':
      return <CodeBlock text={(token as Tokens.Code).text} info={(token as Tokens.Code).lang ?? ''} />
    case 'hr':
      return <hr />
    case 'list':
      return items(token as Tokens.List, links)
    case 'table':
      return table(token as Tokens.Table, links)
    default:
      return inline(token, links)
  }
}

const RANKS = ['h3', 'h4', 'h5', 'h6'] as const

/** The title of the note is above them all, so a first heading is one of the third rank. */
function heading({ depth, tokens }: Tokens.Heading, links: Links) {
  const Rank = RANKS[depth - 1] ?? 'h6'
  return <Rank>{blocks(tokens, links)}</Rank>
}

/** A quote, or a callout with its name. */
function quote(tokens: readonly Token[], links: Links) {
  const callout = calloutIn(tokens)
  if (!callout) return <blockquote>{blocks(tokens, links)}</blockquote>
  const { kind, name, text, others } = callout
  return (
    <blockquote class={`md-callout md-${kind}`}>
      <p class="md-callout-name">{name.length > 0 ? blocks(name, links) : calloutName(callout)}</p>
      {text.length > 0 && <p>{blocks(text, links)}</p>}
      {blocks(others, links)}
    </blockquote>
  )
}

function items({ ordered, start, items: all }: Tokens.List, links: Links) {
  const rows = all.map(({ task, tokens }) => (
    <li class={task ? 'task' : undefined}>{blocks(tokens, links)}</li>
  ))
  return ordered ? <ol start={start === '' ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>
}

/** A table that is wider than the page scrolls by itself. */
function table({ header, rows }: Tokens.Table, links: Links) {
  return (
    <div class="read-table">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens, align }) => (
              <th scope="col" class={align ?? undefined}>
                {blocks(tokens, links)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map(({ tokens, align }) => (
                <td class={align ?? undefined}>{blocks(tokens, links)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function inline(token: Token, links: Links): ComponentChildren {
  const { tokens, text, raw } = token as Tokens.Generic
  switch (token.type) {
    case 'wiki':
      return wiki(token as unknown as WikiToken, links)
    case 'strong':
      return <strong>{blocks(tokens, links)}</strong>
    case 'em':
      return <em>{blocks(tokens, links)}</em>
    case 'del':
      return <s>{blocks(tokens, links)}</s>
    case 'codespan':
      return <code>{text}</code>
    case 'mark':
      return <mark>{blocks(tokens, links)}</mark>
    case 'math':
      return <code class="math">{text}</code>
    case 'br':
      return <br />
    case 'checkbox':
      return checkbox(token as Tokens.Checkbox)
    case 'link':
      return link(token as Tokens.Link, links)
    case 'image':
      return image(token as Tokens.Image)
    case 'text':
    case 'escape':
      return tokens ? blocks(tokens, links) : text
    default:
      return raw
  }
}

const checkbox = ({ checked }: Tokens.Checkbox) => (
  <span class="check" role="img" aria-label={checked ? 'done:' : 'to do:'}>
    {checked ? '☑' : '☐'}
  </span>
)

function link({ href, tokens }: Tokens.Link, links: Links) {
  const to = safeLink(href)
  const content = blocks(tokens, links)
  if (to === undefined) return <span>{content}</span>
  return (
    <a href={to} target="_blank" rel="noopener noreferrer">
      {content}
    </a>
  )
}

function image({ href, text }: Tokens.Image) {
  const source = ownImage(href)
  return source === undefined ? (
    <span class="dim">{text === '' ? href : text}</span>
  ) : (
    <img src={source} alt={text} />
  )
}

function wiki(token: WikiToken, links: Links) {
  const { target } = token
  const file = fileIdOf(target)
  const text = labelOf(token)
  if (file !== undefined) {
    const source = `/v1/files/${file}/content`
    return isShownInPlace(token) ? (
      <img src={source} alt={text} />
    ) : (
      <a href={address(['files', file])}>{text}</a>
    )
  }
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
