/*
 * A link in an imported folder may have more than a target and a label. The rest is kept in a comment directly after
 * the link, because links to notes point to whole notes, and the label of a link to a file is the name of the file,
 * which a rename replaces:
 *
 *   [text](note.md#part)     [[note|text]]<!-- #part -->
 *   ![caption](image.png)    ![[file:<id>|image.png]]<!-- caption -->
 */

/** The parts of a link beyond its target and its label. */
export interface LinkComment {
  /** A part of a note or file with its prefix: `#Heading`, `^block`, or empty. */
  readonly part: string
  /** The caption or size of a picture, or empty. */
  readonly caption: string
}

const COMMENT = /^<!-- ([^\r\n]*?) -->/

/** The comment after a link; empty for an ordinary link. */
export function linkComment({ part, caption }: LinkComment): string {
  const isPlain = part === '' && !/^[#^|]/.test(caption)
  const words = isPlain ? caption : `${part.replaceAll('|', '-')}${caption === '' ? '' : `|${caption}`}`
  const text = words.replaceAll('--', '- -').trim()
  return text === '' ? '' : `<!-- ${text} -->`
}

/** An empty comment. It keeps a comment of the author that follows from being read as part of the link. */
export const NO_COMMENT = '<!-- | -->'

/** Reads the comment at the beginning of a text; `length` is the length of that comment. */
export function linkCommentIn(text: string): LinkComment & { readonly length: number } {
  const [comment = '', words = ''] = text.startsWith('<!-- ') ? (COMMENT.exec(text) ?? []) : []
  const { length } = comment
  if (!/^[#^|]/.test(words)) return { part: '', caption: words, length }
  const bar = words.indexOf('|')
  return bar === -1
    ? { part: words, caption: '', length }
    : { part: words.slice(0, bar), caption: words.slice(bar + 1), length }
}
