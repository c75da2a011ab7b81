/*
 * A link of an imported folder may have more than a target and a label. The rest is kept in a comment right behind it,
 * because a link to a note leads to the whole note, and the label of a link to a file is the name of the file, which a
 * renaming replaces:
 *
 *   [text](note.md#part)     [[note|text]]<!-- #part -->
 *   ![caption](image.png)    ![[file:<id>|image.png]]<!-- caption -->
 */

/** The parts of a link beyond its target and its label. */
export interface LinkComment {
  /** The part of a note or file, with its sign: `#Heading`, `^block`, or nothing. */
  readonly part: string
  /** The caption or the size of a picture, or nothing. */
  readonly caption: string
}

const COMMENT = /^<!-- ([^\r\n]*?) -->/

/** The comment behind a link; empty when there is nothing to say. */
export function linkComment({ part, caption }: LinkComment): string {
  const isPlain = part === '' && !/^[#^|]/.test(caption)
  const words = isPlain ? caption : `${part.replaceAll('|', '-')}${caption === '' ? '' : `|${caption}`}`
  const text = words.replaceAll('--', '- -').trim()
  return text === '' ? '' : `<!-- ${text} -->`
}

/** An empty comment, which keeps a comment that follows from being read as that of a link. */
export const NO_COMMENT = '<!-- | -->'

/** Reads the comment with which a text begins; `length` is that of the comment. */
export function linkCommentIn(text: string): LinkComment & { readonly length: number } {
  const [comment = '', words = ''] = text.startsWith('<!-- ') ? (COMMENT.exec(text) ?? []) : []
  const { length } = comment
  if (!/^[#^|]/.test(words)) return { part: '', caption: words, length }
  const bar = words.indexOf('|')
  return bar === -1
    ? { part: words, caption: '', length }
    : { part: words.slice(0, bar), caption: words.slice(bar + 1), length }
}
