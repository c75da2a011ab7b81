import { Html, html } from '../../lib/html.ts'
import { isId } from '../../lib/ids.ts'
import { boundedTokens, shownMarkdown, withoutTitle } from '../../lib/markdown.ts'
import { labelOf } from '../../lib/markdown-links.ts'
import { type Attributes, type Output, topRankOf, walkMarkdown } from '../../lib/markdown-walk.ts'

/** The address at which visitors get a file that the text names. */
type FileAddress = (fileId: string) => string

/**
 * A text of Markdown as visitors read it, like the application's preview: nothing in it can run, and nothing is fetched but
 * its own pictures. Links to other notes are plain text, and comments are left out. A text that cannot be taken apart is
 * shown as it is written.
 */
export function renderMarkdown(text: string, title: string, fileAddress: FileAddress): Html {
  const shown = shownMarkdown(text)
  const tokens = boundedTokens(shown)
  if (!tokens) return plainText(shown)
  const blocks = withoutTitle(tokens, title)
  try {
    return html`${walkMarkdown(blocks, topRankOf(blocks), { ...OUTPUT, fileAddress, fileLink: fileLinkTo(fileAddress) })}`
  } catch {
    return plainText(shown)
  }
}

const plainText = (text: string): Html => html`<pre class="plain">${text}</pre>`

const OUTPUT: Omit<Output<Html>, 'fileAddress' | 'fileLink'> = {
  element,
  text: (text) => html`${text}`,
  code: (text) => html`<pre tabindex="0"><code>${text}</code></pre>`,
  table: (content) => html`<div class="wide" tabindex="0"><table>${content}</table></div>`,
  link: (href, content) => html`<a href="${href}" rel="noopener noreferrer nofollow">${content}</a>`,
  noteLink: (link) => {
    const label = labelOf(link)
    // The title behind an id is that of another note, which is not shared.
    return html`${label === link.target && isId(label.trim()) ? 'a note' : label}`
  },
  // The title of the note is the heading of the page.
  headings: ['h2', 'h3', 'h4', 'h5'],
}

const fileLinkTo =
  (fileAddress: FileAddress): Output<Html>['fileLink'] =>
  (id, name) =>
    html`<a href="${fileAddress(id)}" download>${name}</a>`

const EMPTY = new Set(['br', 'hr', 'img'])

/** An element; its name and those of its attributes are none of the note's. */
function element(name: string, attributes: Attributes, content: readonly Html[]): Html {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : html` ${new Html(key)}="${value}"`,
  )
  const tag = new Html(name)
  return EMPTY.has(name) ? html`<${tag}${written}>` : html`<${tag}${written}>${content}</${tag}>`
}
