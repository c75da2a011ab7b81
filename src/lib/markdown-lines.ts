/*
 * Reads the blocks of Markdown line by line, in linear time. It implements as much of CommonMark as decides whether a
 * line is code or part of a comment: quotations, lists and their content, fences, and where paragraphs begin.
 */

/** A line without its line break; `next` is the offset of the following line. */
export interface Line {
  readonly text: string
  readonly start: number
  readonly next: number
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const TAB = 0x09
const SPACE = 0x20

/** `\n`, `\r\n` and `\r` end a line, as in CommonMark. */
export function* linesOf(text: string): Generator<Line> {
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit !== LINE_FEED && unit !== CARRIAGE_RETURN) continue
    const next = unit === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED ? at + 2 : at + 1
    yield { text: text.slice(start, at), start, next }
    start = next
    at = next - 1
  }
  yield { text: text.slice(start), start, next: text.length }
}

export interface BlockLine {
  /** `fence` is a line that opens or closes fenced code; `indented` is code without a fence. */
  readonly kind: 'text' | 'blank' | 'fence' | 'fenced' | 'indented'
  /** Whether the line continues the paragraph or the comment of the line before. */
  readonly continues: boolean
  /** Whether the line is a table row, whose cells are paragraphs of their own. */
  readonly isRow: boolean
  /** Whether a list item begins on this line. */
  readonly beginsItem: boolean
  /** The offset of the text after the markers of quotations and items. */
  readonly content: number
  /** The end of the block comment that begins or continues on this line; undefined for other lines. */
  readonly commentEnd: number | undefined
}

/** Reads columns: a tab extends to the next multiple of four, and a list may consume a part of it. */
class Cursor {
  at = 0
  #column = 0
  /** Remaining columns of a partially consumed tab. */
  #spare = 0

  constructor(readonly text: string) {}

  #width(at: number, column: number): number {
    const unit = this.text.charCodeAt(at)
    return unit === TAB ? 4 - (column % 4) : unit === SPACE ? 1 : 0
  }

  /** The number of columns of white space at the current position. */
  get indent(): number {
    let column = this.#column
    for (let at = this.at; ; at++) {
      const width = this.#width(at, column)
      if (width === 0) return column - this.#column + this.#spare
      column += width
    }
  }

  skipSpace(columns: number): void {
    let left = columns - Math.min(this.#spare, columns)
    this.#spare -= columns - left
    while (left > 0) {
      const width = this.#width(this.at, this.#column)
      if (width === 0) return
      this.at += 1
      this.#column += width
      this.#spare = Math.max(0, width - left)
      left -= width
    }
  }

  skipSigns(count: number): void {
    this.at += count
    this.#column += count
  }
}

/** The number of columns before the content of a list item; quotations have a marker on each line. */
type Container = 'quotation' | number

/**
 * Containers nested deeper than this are text. A blank line continues every open item, so without a limit each line
 * could cost as much as all items.
 */
const MAX_CONTAINERS = 100

const BLANK = /^[ \t]*$/
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/
/** Other items do not interrupt a paragraph. */
const INTERRUPTING_ITEM = /^(?:[-*+]|1[.)])(?=[ \t]+[^ \t])/
const FENCE = /^(?:(`{3,})[^`]*|(~{3,})(?:[^~].*)?)$/
const HEADING = /^#{1,6}(?:[ \t]|$)/
const UNDERLINE = /^(?:=+|-+)[ \t]*$/
const DELIMITER_ROW = /^(?=.*\|)(?=.*-)[ \t|:-]+$/

const COMMENT = /^(?:<!--|%%)/

/** The sign that closes the HTML or Obsidian comment that begins at an offset. */
const commentClosing = (text: string, at: number): string => (text.startsWith('%%', at) ? '%%' : '-->')

/** The end offset of the comment that begins at an offset; undefined for an unclosed comment. */
export const commentEnd = (text: string, at: number): number | undefined =>
  // `<!-->` and `<!--->` are complete comments.
  endOf(text, commentClosing(text, at), at + 2)

type Leaf = 'none' | 'paragraph' | 'table'

/** Reads the lines of a text in order. */
export class BlockReader {
  readonly #containers: Container[] = []
  #leaf: Leaf = 'none'
  /** Whether the line before began a list item without content: a blank line ends such an item. */
  #isItemEmpty = false
  /** The marker of the open fence. */
  #fence: string | undefined
  /** The sign that closes the open comment. */
  #commentEnd: string | undefined

  read(text: string): BlockLine {
    const cursor = new Cursor(text)
    const matched = this.#match(cursor)
    this.#isItemEmpty = false
    const isInside = matched === this.#containers.length
    if (isInside && this.#fence !== undefined) return this.#readCode(cursor, this.#fence)
    if (isInside && this.#commentEnd !== undefined) return this.#readComment(cursor, cursor.at)
    this.#fence = undefined
    this.#commentEnd = undefined
    return this.#readText(cursor, matched)
  }

  /** Skips the markers of the open containers; returns how many of them continue on this line. */
  #match(cursor: Cursor): number {
    let count = 0
    let isBlank: boolean | undefined
    for (const container of this.#containers) {
      if (container === 'quotation') {
        if (!this.#skipQuotation(cursor)) break
        isBlank = undefined
      } else {
        isBlank ??= BLANK.test(cursor.text.slice(cursor.at))
        const isEmpty = this.#isItemEmpty && count === this.#containers.length - 1
        if (isBlank ? isEmpty : cursor.indent < container) break
        if (!isBlank) cursor.skipSpace(container)
      }
      count += 1
    }
    return count
  }

  #skipQuotation(cursor: Cursor): boolean {
    const { indent, text, at } = cursor
    if (indent > 3 || text[at + leadOf(text, at)] !== '>') return false
    cursor.skipSpace(indent)
    cursor.skipSigns(1)
    cursor.skipSpace(1)
    return true
  }

  #readCode(cursor: Cursor, fence: string): BlockLine {
    const { indent, text, at } = cursor
    const rest = text.slice(at).trim()
    const closes = indent <= 3 && rest.startsWith(fence) && rest === (fence[0] ?? '').repeat(rest.length)
    if (closes) this.#fence = undefined
    return lineOf(cursor, closes ? 'fence' : 'fenced')
  }

  /** Reads a comment that begins or continues at an offset of this line. */
  #readComment(cursor: Cursor, from: number): BlockLine {
    const { text } = cursor
    const end = this.#commentEnd
    const line = { ...lineOf(cursor, 'text'), continues: end !== undefined, content: from }
    const close = end === undefined ? commentEnd(text, from) : endOf(text, end, from)
    if (close === undefined) {
      this.#commentEnd = end ?? commentClosing(text, from)
      return { ...line, commentEnd: text.length }
    }
    this.#commentEnd = undefined
    this.#leaf = BLANK.test(text.slice(close)) ? 'none' : 'paragraph'
    return { ...line, commentEnd: close }
  }

  /** Reads the containers and the block that begin or continue on a line. */
  #readText(cursor: Cursor, matched: number): BlockLine {
    const isInside = matched === this.#containers.length
    const wasIn = this.#leaf
    let isOpened = false
    let beginsItem = false
    const close = () => {
      if (!isOpened) this.#containers.length = matched
      this.#leaf = 'none'
    }
    for (;;) {
      const { indent, text, at } = cursor
      const rest = text.slice(at + leadOf(text, at))
      const isParagraph = wasIn !== 'none' && !isOpened
      if (rest === '') {
        close()
        return { ...lineOf(cursor, 'blank'), beginsItem }
      }
      if (indent > 3) {
        if (isParagraph) return this.#goOn(cursor, beginsItem)
        close()
        return { ...lineOf(cursor, 'indented'), beginsItem }
      }
      const isDeep = this.#containers.length >= MAX_CONTAINERS
      if (!isDeep && rest.startsWith('>')) {
        close()
        this.#skipQuotation(cursor)
        this.#containers.push('quotation')
        isOpened = true
        continue
      }
      if (isParagraph && isInside && UNDERLINE.test(rest) && wasIn === 'paragraph') {
        this.#leaf = 'none'
        return { ...lineOf(cursor, 'text'), continues: true }
      }
      const isRule = isRuleAt(text, at + leadOf(text, at))
      const item = isRule || isDeep ? null : (isParagraph && isInside ? INTERRUPTING_ITEM : ITEM).exec(rest)
      if (item) {
        close()
        this.#openItem(cursor, item[0].length)
        isOpened = true
        beginsItem = true
        continue
      }
      const [, ticks, tildes] = FENCE.exec(rest) ?? []
      const fence = ticks ?? tildes
      if (fence !== undefined) {
        close()
        this.#fence = fence
        return { ...lineOf(cursor, 'fence'), beginsItem }
      }
      if (COMMENT.test(rest)) {
        close()
        return { ...this.#readComment(cursor, at + leadOf(text, at)), beginsItem }
      }
      if (isRule || HEADING.test(rest)) {
        close()
        return { ...lineOf(cursor, 'text'), beginsItem }
      }
      if (isParagraph) return this.#goOn(cursor, beginsItem)
      close()
      this.#leaf = 'paragraph'
      return { ...lineOf(cursor, 'text'), isRow: rest.startsWith('|'), beginsItem }
    }
  }

  #openItem(cursor: Cursor, signs: number): void {
    const { indent } = cursor
    cursor.skipSpace(indent)
    cursor.skipSigns(signs)
    this.#isItemEmpty = BLANK.test(cursor.text.slice(cursor.at))
    const padding = this.#isItemEmpty || cursor.indent > 4 ? 1 : cursor.indent
    cursor.skipSpace(padding)
    this.#containers.push(indent + signs + padding)
  }

  #goOn(cursor: Cursor, beginsItem: boolean): BlockLine {
    if (DELIMITER_ROW.test(cursor.text.slice(cursor.at))) this.#leaf = 'table'
    const isRow = this.#leaf === 'table'
    return { ...lineOf(cursor, 'text'), continues: !isRow, isRow, beginsItem }
  }
}

/**
 * Whether the rest of a line is a thematic break. A regular expression would be quadratic on lines that almost match.
 */
function isRuleAt(text: string, from: number): boolean {
  const sign = text[from] ?? ''
  if (!'*-_'.includes(sign)) return false
  let count = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === sign) count += 1
    else if (text[at] !== ' ' && text[at] !== '\t') return false
  }
  return count >= 3
}

/** The number of white space characters at an offset. */
function leadOf(text: string, at: number): number {
  let end = at
  while (text.charCodeAt(end) === SPACE || text.charCodeAt(end) === TAB) end += 1
  return end - at
}

function endOf(text: string, sign: string, from: number): number | undefined {
  const at = text.indexOf(sign, from)
  return at === -1 ? undefined : at + sign.length
}

const lineOf = ({ at }: Cursor, kind: BlockLine['kind']): BlockLine => ({
  kind,
  continues: false,
  isRow: false,
  beginsItem: false,
  content: at,
  commentEnd: undefined,
})

/** Yields the lines of a text with their classification. */
export function* blockLines(text: string): Generator<Line & { readonly block: BlockLine }> {
  const reader = new BlockReader()
  for (const line of linesOf(text)) yield { ...line, block: reader.read(line.text) }
}

/** A part of a text with its offset. */
export interface TextSpan {
  readonly text: string
  readonly start: number
}

/**
 * Yields the paragraphs, headings and other blocks of the selected lines. Inline code and comments do not extend
 * beyond them.
 */
export function* paragraphsOf(text: string, has: (line: BlockLine) => boolean): Generator<TextSpan> {
  let from = 0
  let to = 0
  for (const { start, next, block } of blockLines(text)) {
    if (!has(block)) continue
    if (!block.continues || start !== to) {
      if (to > from) yield { text: text.slice(from, to), start: from }
      from = start
    }
    to = next
  }
  if (to > from) yield { text: text.slice(from, to), start: from }
}
