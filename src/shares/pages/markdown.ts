import { type Html, html } from '../../lib/html.ts'
import { isId } from '../../lib/ids.ts'
import { boundedTokens, shownMarkdown, withoutTitle } from '../../lib/markdown.ts'
import { HTML_OUTPUT } from '../../lib/markdown-html.ts'
import { labelOf } from '../../lib/markdown-links.ts'
import { type Output, topRankOf, walkMarkdown } from '../../lib/markdown-walk.ts'

/** The address at which visitors get a file that the text names. */
type FileAddress = (fileId: string) => string

/**
 * Renders Markdown for visitors, like the application's preview: nothing in it can run, and only its own pictures are
 * fetched. Links to other notes are plain text, and comments are omitted. A text that cannot be parsed is shown as
 * written.
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
  ...HTML_OUTPUT,
  noteLink: (link) => {
    const label = labelOf(link)
    // The title behind an id belongs to another note, which is not shared.
    return html`${label === link.target && isId(label.trim()) ? 'a note' : label}`
  },
}

const fileLinkTo =
  (fileAddress: FileAddress): Output<Html>['fileLink'] =>
  (id, name) =>
    html`<a href="${fileAddress(id)}" download>${name}</a>`
