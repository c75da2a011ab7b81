import { blockLines, commentEnd, paragraphsOf } from './markdown-lines.ts'
import { inlineSpans, withoutInlineCode } from './markdown-spans.ts'

/*
 * HTML and Obsidian (`%%`) comments, which readers do not see. A comment that begins a block is a block of its own
 * and may contain blank lines; any other unclosed comment ends with its paragraph. Comment signs in code are text.
 */

interface Comment {
  readonly start: number
  readonly end: number
  /** Whether a list item begins with the comment. */
  readonly beginsItem: boolean
}

/** A comment, a comment that its paragraph does not close, or a `-->` without a comment in its paragraph. */
interface Piece extends Comment {
  readonly is: 'comment' | 'open' | 'end'
}

interface Paragraph {
  readonly start: number
  readonly end: number
  /** Whether the text is a table row. */
  readonly isRow: boolean
}

/**
 * Yields the comments of a text in order. A `-->` in a later paragraph closes an open comment if no other comment
 * begins in between.
 */
function* commentsIn(text: string): Generator<Comment> {
  let open: Comment | undefined
  let others: Comment[] = []
  for (const piece of piecesOf(text)) {
    if (piece.is === 'end') {
      if (open) yield { ...open, end: piece.end }
      open = undefined
    } else if (open && text.startsWith('%%', piece.start)) others.push(piece)
    else {
      if (open) yield* [open, ...others]
      open = piece.is === 'open' ? piece : undefined
      if (!open) yield piece
    }
    if (open === undefined || piece.is === 'open') others = []
  }
  if (open) yield* [open, ...others]
}

function* piecesOf(text: string): Generator<Piece> {
  let paragraph: Paragraph | undefined
  let comment: Piece | undefined
  for (const { text: line, start, block } of blockLines(text)) {
    const { kind, continues, content, isRow, beginsItem } = block
    const isComment = block.commentEnd !== undefined
    const from = start + (block.commentEnd ?? content)
    const end = start + line.length
    if (comment && isComment && continues) comment = { ...comment, end: from }
    else {
      if (comment) yield comment
      comment = isComment ? { is: 'comment', start: start + content, end: from, beginsItem } : undefined
    }
    if (paragraph && kind === 'text' && continues && !isComment) paragraph = { ...paragraph, end }
    else {
      if (paragraph) yield* inlineComments(text, paragraph)
      paragraph = undefined
      if (kind !== 'text' || from === end) continue
      if (comment) yield comment
      comment = undefined
      paragraph = { start: from, end, isRow }
    }
  }
  if (comment) yield comment
  if (paragraph) yield* inlineComments(text, paragraph)
}

const BAR = /(?<!\\)\|/g

function* inlineComments(whole: string, { start, end, isRow }: Paragraph): Generator<Piece> {
  const text = whole.slice(start, end)
  if (!hasComments(text) && !text.includes('-->')) return
  let is: Piece['is'] = 'comment'
  // An end that was not found is not searched again from a later position.
  let mayEnd = true
  const endOf = (at: number) => {
    const isEnd = text.startsWith('-->', at)
    const isHtml = text.startsWith('<!--', at)
    const close = isEnd ? at + '-->'.length : isHtml && !mayEnd ? undefined : commentEnd(text, at)
    const isOpen = isHtml && close === undefined
    if (isOpen) mayEnd = false
    is = isEnd ? 'end' : isOpen ? 'open' : 'comment'
    return close ?? (isRow ? endOfCell(text, at) : text.length)
  }
  for (const span of inlineSpans(text, endOf))
    if (span.isComment) yield { is, start: start + span.start, end: start + span.end, beginsItem: false }
}

function endOfCell(row: string, from: number): number {
  BAR.lastIndex = from
  return BAR.exec(row)?.index ?? row.length
}

const hasComments = (text: string): boolean => text.includes('<!--') || text.includes('%%')

/** Keeps a list item that holds only a comment from becoming an empty item, which could underline a heading. */
const NO_TEXT = '\u200B'

/** Returns Markdown without its comments; `inPlace` may return a replacement for a comment and the text before it. */
export function withoutComments(
  text: string,
  inPlace?: (before: string, comment: string) => string | undefined,
): string {
  if (!hasComments(text)) return text
  let result = ''
  let from = 0
  for (const { start, end, beginsItem } of commentsIn(text)) {
    const before = text.slice(from, start)
    const other = inPlace?.(before, text.slice(start, end))
    if (other !== undefined) result += other
    else if (beginsItem) result += before + NO_TEXT
    else result += endsLine(text, end) ? trimmedEnd(before) : before
    from = end
  }
  return result + text.slice(from)
}

function endsLine(text: string, from: number): boolean {
  let at = from
  while (text[at] === ' ' || text[at] === '\t') at += 1
  return at === text.length || text[at] === '\n' || text[at] === '\r'
}

/** Trailing blanks would become a line break. */
function trimmedEnd(text: string): string {
  let end = text.length
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end -= 1
  return text.slice(0, end)
}

/** Yields the paragraphs of a Markdown text without comments and code. */
export function* proseIn(text: string): Generator<string> {
  for (const paragraph of paragraphsOf(withoutComments(text), ({ kind }) => kind === 'text'))
    yield withoutInlineCode(paragraph.text)
}
