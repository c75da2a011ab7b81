/*
 * The blocks of Markdown, line by line and in time that is linear in the text. It knows what decides whether a line is
 * code or belongs to a comment: quotations and lists with what they contain, fences, and where paragraphs begin.
 */

/** A line of a text, without its line break; `next` is where the next one begins. */
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
  /** `fence` is the line that opens or closes fenced code, `indented` code without a fence. */
  readonly kind: 'text' | 'blank' | 'fence' | 'fenced' | 'indented'
  /** Whether it goes on with the paragraph or the comment of the line before. */
  readonly continues: boolean
  /** Whether it is a row of a table, whose cells are paragraphs of their own. */
  readonly isRow: boolean
  /** Whether an item of a list begins here. */
  readonly beginsItem: boolean
  /** Where the text begins, after the signs of quotations and items. */
  readonly content: number
  /** Up to where the line belongs to a comment that is a block of its own, or goes on with one; undefined for others. */
  readonly commentEnd: number | undefined
}

/** Reads columns: a tab reaches to the next multiple of four, and a list may take a part of it. */
class Cursor {
  at = 0
  #column = 0
  /** Columns of a tab that was taken in part. */
  #spare = 0

  constructor(readonly text: string) {}

  #width(at: number, column: number): number {
    const unit = this.text.charCodeAt(at)
    return unit === TAB ? 4 - (column % 4) : unit === SPACE ? 1 : 0
  }

  /** The columns of white space that follow. */
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

/** The columns of an item of a list that come before its content; those of a quotation are a sign. */
type Container = 'quotation' | number

/** Deeper ones are text: a blank line goes on with every item that is open, so that lines could cost what all items cost. */
const MAX_CONTAINERS = 100

const BLANK = /^[ \t]*$/
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/
/** Other items do not end a paragraph. */
const INTERRUPTING_ITEM = /^(?:[-*+]|1[.)])(?=[ \t]+[^ \t])/
const FENCE = /^(?:(`{3,})[^`]*|(~{3,})(?:[^~].*)?)$/
const HEADING = /^#{1,6}(?:[ \t]|$)/
const UNDERLINE = /^(?:=+|-+)[ \t]*$/
const DELIMITER_ROW = /^(?=.*\|)(?=.*-)[ \t|:-]+$/

const COMMENT = /^(?:<!--|%%)/

/** The sign that ends the comment of HTML or of Obsidian that begins at a place. */
const commentClosing = (text: string, at: number): string => (text.startsWith('%%', at) ? '%%' : '-->')

/** Where the comment that begins at a place ends; undefined for one that is not closed. */
export const commentEnd = (text: string, at: number): number | undefined =>
  // `<!-->` and `<!--->` are whole comments.
  endOf(text, commentClosing(text, at), at + 2)

type Leaf = 'none' | 'paragraph' | 'table'

/** Reads the lines of a text one after the other. */
export class BlockReader {
  readonly #containers: Container[] = []
  #leaf: Leaf = 'none'
  /** Whether the line before began an item without any content: a blank line ends such an item. */
  #isItemEmpty = false
  /** The run of signs of the fence that is open. */
  #fence: string | undefined
  /** The sign that ends the comment that is open. */
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

  /** Goes past the signs of the containers that are open; returns how many of them go on in this line. */
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

  /** A comment that began at a place of this line, or goes on in it from there. */
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

  /** The containers and the block that begin in a line, or go on in it. */
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

/** Whether a line is a rule from a place on; an expression would take much longer for very many items that are none. */
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

/** How many characters of white space follow. */
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

/** The lines of a text with what they are. */
export function* blockLines(text: string): Generator<Line & { readonly block: BlockLine }> {
  const reader = new BlockReader()
  for (const line of linesOf(text)) yield { ...line, block: reader.read(line.text) }
}

/** A part of a text and where it begins. */
export interface TextSpan {
  readonly text: string
  readonly start: number
}

/** The paragraphs, headings and other parts of a text of some lines, whose ends inline code and comments do not cross. */
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
