import type { Token, Tokens } from 'marked'
import { type Html, html } from '../../lib/html.ts'
import { isId } from '../../lib/ids.ts'
import {
  boundedTokens,
  calloutIn,
  calloutName,
  fileIdOf,
  fileOfImage,
  isShownInPlace,
  labelOf,
  safeLink,
  type WikiToken,
  withoutTitle,
} from '../../lib/markdown.ts'
import { withoutComments } from '../../lib/markdown-comments.ts'

/** The address at which visitors get a file that the text names. */
export type FileAddress = (fileId: string) => string

/**
 * A text of Markdown as visitors read it, by the rules of the application's preview: nothing in it can run, and nothing is
 * fetched but its own pictures. Links to other notes are plain text, and comments are left out. One that cannot be taken
 * apart is shown as it is.
 */
export function renderMarkdown(written: string, title: string, fileAddress: FileAddress): Html {
  const text = withoutComments(written)
  const tokens = boundedTokens(text)
  if (!tokens) return html`<pre class="plain">${text}</pre>`
  try {
    const shown = withoutTitle(tokens, title)
    const ranks = shown.flatMap((token) =>
      token.type === 'heading' ? [(token as Tokens.Heading).depth] : [],
    )
    return html`${blocks(shown, { fileAddress, depth: 0, topRank: Math.min(...ranks, 6) })}`
  } catch {
    return html`<pre class="plain">${text}</pre>`
  }
}

interface Place {
  readonly fileAddress: FileAddress
  readonly depth: number
  /** The highest rank of the headings of the text. */
  readonly topRank: number
}

/** Blocks within blocks, deeper than anybody reads them. */
const MAX_DEPTH = 100

function blocks(tokens: readonly Token[] | undefined, place: Place): Html[] {
  if (place.depth > MAX_DEPTH) throw new Error('nested too deeply')
  const inner = { ...place, depth: place.depth + 1 }
  return (tokens ?? []).map((token) => block(token, inner))
}

function block(token: Token, place: Place): Html {
  const { tokens } = token as Tokens.Generic
  switch (token.type) {
    case 'space':
    case 'def':
      return html``
    case 'heading':
      return heading(token as Tokens.Heading, place)
    case 'paragraph':
      return html`<p dir="auto">${blocks(tokens, place)}</p>`
    case 'blockquote':
      return quote(tokens ?? [], place)
    case 'code':
      return html`<pre tabindex="0"><code>${(token as Tokens.Code).text}</code></pre>`
    case 'hr':
      return html`<hr>`
    case 'list':
      return list(token as Tokens.List, place)
    case 'table':
      return table(token as Tokens.Table, place)
    default:
      return inline(token, place)
  }
}

/** The title of the note is the heading of the page, so its highest headings are of the second rank. */
function heading({ depth, tokens }: Tokens.Heading, place: Place): Html {
  const content = blocks(tokens, place)
  const rank = Math.max(0, depth - place.topRank)
  if (rank === 0) return html`<h2 dir="auto">${content}</h2>`
  if (rank === 1) return html`<h3 dir="auto">${content}</h3>`
  return rank === 2 ? html`<h4 dir="auto">${content}</h4>` : html`<h5 dir="auto">${content}</h5>`
}

function quote(tokens: readonly Token[], place: Place): Html {
  const callout = calloutIn(tokens)
  if (!callout) return html`<blockquote>${blocks(tokens, place)}</blockquote>`
  const { name, text, others } = callout
  return html`<blockquote class="callout"><p><b>${name.length > 0 ? blocks(name, place) : calloutName(callout)}</b></p>${text.length > 0 && html`<p>${blocks(text, place)}</p>`}${blocks(others, place)}</blockquote>`
}

function list({ ordered, start, items }: Tokens.List, place: Place): Html {
  const rows = items.map(({ task, tokens }) => {
    const content = blocks(tokens, place)
    return task ? html`<li class="task">${content}</li>` : html`<li dir="auto">${content}</li>`
  })
  return ordered ? html`<ol start="${start === '' ? 1 : start}">${rows}</ol>` : html`<ul>${rows}</ul>`
}

/** A table that is wider than the page scrolls by itself. */
function table({ header, rows }: Tokens.Table, place: Place): Html {
  const head = header.map(
    ({ tokens, align }) => html`<th scope="col" class="${align ?? 'left'}">${blocks(tokens, place)}</th>`,
  )
  const body = rows.map(
    (row) =>
      html`<tr>${row.map(({ tokens, align }) => html`<td class="${align ?? 'left'}">${blocks(tokens, place)}</td>`)}</tr>`,
  )
  return html`<div class="wide" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

function inline(token: Token, place: Place): Html {
  const { tokens, text, raw } = token as Tokens.Generic
  switch (token.type) {
    case 'wiki':
      return wiki(token as unknown as WikiToken, place)
    case 'strong':
      return html`<strong>${blocks(tokens, place)}</strong>`
    case 'em':
      return html`<em>${blocks(tokens, place)}</em>`
    case 'del':
      return html`<s>${blocks(tokens, place)}</s>`
    case 'codespan':
      return html`<code>${text}</code>`
    case 'mark':
      return html`<mark>${blocks(tokens, place)}</mark>`
    case 'math':
      return html`<code class="math">${text}</code>`
    case 'br':
      return html`<br>`
    case 'checkbox':
      return checkbox(token as Tokens.Checkbox)
    case 'link':
      return link(token as Tokens.Link, place)
    case 'image':
      return image(token as Tokens.Image, place)
    case 'text':
    case 'escape':
      return tokens ? html`${blocks(tokens, place)}` : html`${text}`
    default:
      return html`${raw}`
  }
}

const checkbox = ({ checked }: Tokens.Checkbox): Html =>
  html`<span class="check" role="img" aria-label="${checked ? 'done:' : 'to do:'}">${checked ? '☑' : '☐'}</span> `

function link({ href, tokens }: Tokens.Link, place: Place): Html {
  const to = safeLink(href)
  const content = blocks(tokens, place)
  return to === undefined
    ? html`${content}`
    : html`<a href="${to}" rel="noopener noreferrer nofollow">${content}</a>`
}

function image({ href, text }: Tokens.Image, { fileAddress }: Place): Html {
  const file = fileOfImage(href)
  if (file === undefined) return html`<span class="dim">${text === '' ? href : text}</span>`
  return html`<img src="${fileAddress(file)}" alt="${text}" loading="lazy">`
}

function wiki(token: WikiToken, { fileAddress }: Place): Html {
  const file = fileIdOf(token.target)
  const label = labelOf(token)
  if (file === undefined)
    // The title behind an id is that of another note, which is not shared.
    return html`${label === token.target && isId(label.trim()) ? 'a note' : label}`
  const name = label === token.target ? 'a file' : label
  if (isShownInPlace(token)) return html`<img src="${fileAddress(file)}" alt="${name}" loading="lazy">`
  return html`<a href="${fileAddress(file)}" download>${name}</a>`
}
