import { type CodePiece, codePieces } from './code-colours.ts'
import { Html, html } from './html.ts'
import type { Attributes, Output } from './markdown-walk.ts'

const coloured = ({ text, look }: CodePiece): Html =>
  look === '' ? html`${text}` : html`<span class="${look}">${text}</span>`

const EMPTY = new Set(['br', 'hr', 'img'])

/** Creates an element. Its name and attribute names must never come from user text. */
export function htmlElement(name: string, attributes: Attributes, content: readonly Html[]): Html {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : html` ${new Html(key)}="${value}"`,
  )
  const tag = new Html(name)
  return EMPTY.has(name) ? html`<${tag}${written}>` : html`<${tag}${written}>${content}</${tag}>`
}

/** Renders Markdown as HTML without scripts; links to notes and files depend on the page. */
export const HTML_OUTPUT: Omit<Output<Html>, 'fileAddress' | 'fileLink' | 'noteLink'> = {
  element: htmlElement,
  text: (text) => html`${text}`,
  code: (text, info) => html`<pre tabindex="0"><code>${codePieces(text, info).map(coloured)}</code></pre>`,
  table: (content) => html`<div class="wide" tabindex="0"><table>${content}</table></div>`,
  link: (href, content) => html`<a href="${href}" rel="noopener noreferrer nofollow">${content}</a>`,
  // The page already has the title as its `h1`.
  headings: ['h2', 'h3', 'h4', 'h5'],
}
