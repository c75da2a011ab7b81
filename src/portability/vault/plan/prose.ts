import { bracketedIn, type TextSpan } from '../../../notes/links/syntax.ts'

/** Quotation and list markers at the beginning of a line. */
const MARKERS = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/
const LIST_MARKER = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/
/** `[label]: target`; a label that begins with `^` is a footnote's. */
const DEFINITION = /^\[(?!\^)(?:[^[\]\\]|\\.){1,999}\]:(\s*)/
const TAB = 4

/** The column of the first character that is not white space. */
function indentOf(line: string): number {
  let column = 0
  for (const sign of line) {
    if (sign === '\t') column += TAB - (column % TAB)
    else if (sign === ' ') column += 1
    else break
  }
  return column
}

const widthOf = (text: string): number => indentOf(text.replace(/[^\t]/g, ' ').concat('|'))

/** Finds the lines of a body that are prose: not in HTML, indented code or the definition of a link. */
class ProseFinder {
  #html: HtmlEnd | undefined
  #isAfterBlank = true
  #isInCode = false
  #isInDefinition = false
  /** The columns at which the content of the open list items begins. */
  #lists: number[] = []

  /** The part of the line that is prose; undefined when none is. */
  proseOf(line: string, followsOther: boolean): string | undefined {
    if (this.#isInHtml(line)) return undefined
    if (line.trim() === '') {
      this.#isAfterBlank = true
      this.#isInDefinition = false
      return undefined
    }
    if (followsOther) this.#isAfterBlank = true
    const isAfterBlank = this.#isAfterBlank
    this.#isAfterBlank = false
    if (this.#isCode(line, isAfterBlank)) return undefined
    this.#enterList(line, isAfterBlank)
    const content = line.slice(MARKERS.exec(line)?.[0].length ?? 0)
    if (this.#isDefinition(content)) return undefined
    return this.#beginsHtml(content, line, isAfterBlank) ? undefined : line
  }

  #isInHtml(line: string): boolean {
    if (this.#html === undefined) return false
    const isBlank = line.trim() === ''
    if (this.#html === 'blank line' ? isBlank : this.#html.test(line)) this.#html = undefined
    this.#isAfterBlank = isBlank
    return true
  }

  #beginsHtml(content: string, line: string, isAfterBlank: boolean): boolean {
    const end = htmlEndOf(content, !isAfterBlank && content === line.trimStart())
    if (end !== undefined && (end === 'blank line' || !end.test(content))) this.#html = end
    return end !== undefined
  }

  #isCode(line: string, isAfterBlank: boolean): boolean {
    const indent = indentOf(line)
    const lists = this.#lists.filter((column) => column <= indent)
    this.#isInCode = (isAfterBlank || this.#isInCode) && indent >= (lists.at(-1) ?? 0) + TAB
    return this.#isInCode
  }

  #enterList(line: string, isAfterBlank: boolean): void {
    const marker = LIST_MARKER.exec(line)?.[0]
    if (isAfterBlank || marker !== undefined)
      this.#lists = this.#lists.filter((column) => column <= indentOf(line))
    if (marker !== undefined) this.#lists.push(widthOf(marker))
  }

  /** A target may be on the line after its label. */
  #isDefinition(content: string): boolean {
    const isContinued = this.#isInDefinition
    const definition = DEFINITION.exec(content)
    this.#isInDefinition = definition !== null && definition[0].length === content.length
    return isContinued || definition !== null
  }
}

/** What is not text in a paragraph beside comments: tags of HTML, comments of Obsidian, formulas, links. */
const NOT_TEXT: readonly RegExp[] = [
  /<\/?[a-z](?:[^<>"']|"[^"<]*"|'[^'<]*')*>/gi,
  /<\/?[a-z][^<>]*>/gi,
  /%%[\s\S]*?%%/g,
  /\$\$[\s\S]*?\$\$/g,
  /\$(?![\s$])[^$\n]*(?<![\s\\])\$(?!\d)/g,
  // Of what is escaped, which begins no link, nothing is replaced.
  /\\.|!?\[(?:[^[\]\\]|\\.)*\](?:\((?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)(?:[ \t]{1,3}(?:"[^"\n]*"|'[^'\n]*'))?\)|\[(?:[^[\]\\]|\\.)*\])/g,
]
const MASK = '\0'
const masked = (text: string) => text.replace(/[^\n]/g, MASK)
const maskedUnlessEscape = (text: string) => (text.startsWith('\\') ? text : masked(text))

/** Comments are found from end to end: an expression would look from each beginning for an end that there may not be. */
function withoutComments(text: string): string {
  let result = ''
  let from = 0
  for (;;) {
    const start = text.indexOf('<!--', from)
    const end = start === -1 ? -1 : text.indexOf('-->', start + '<!--'.length)
    if (end === -1) return result + text.slice(from)
    const next = end + '-->'.length
    result += text.slice(from, start) + masked(text.slice(start, next))
    from = next
  }
}

function withoutWikiLinks(line: string): string {
  let result = ''
  let from = 0
  for (const { text, start } of bracketedIn(line)) {
    result += line.slice(from, start) + masked(text)
    from = start + text.length
  }
  return result + line.slice(from)
}

function textOf(paragraph: readonly string[]): string {
  const whole = withoutComments(paragraph.map(withoutWikiLinks).join('\n'))
  return NOT_TEXT.reduce((text, pattern) => text.replace(pattern, maskedUnlessEscape), whole)
}

/**
 * The paragraphs of a body in which Obsidian shows tags, in which everything else is replaced by NUL characters. `lines`
 * are the lines outside code (`linesOutsideCode`).
 */
export function* paragraphsOf(lines: readonly TextSpan[]): Generator<string> {
  const finder = new ProseFinder()
  let paragraph: string[] = []
  let next = 0
  for (const { text, start } of lines) {
    const followsOther = start > next + 1
    const prose = finder.proseOf(text, followsOther)
    if (paragraph.length > 0 && (prose === undefined || followsOther)) {
      yield textOf(paragraph)
      paragraph = []
    }
    if (prose !== undefined) paragraph.push(prose)
    next = start + text.length
  }
  if (paragraph.length > 0) yield textOf(paragraph)
}

/** Where a block of HTML ends: at a line that matches, or before the next blank line. */
export type HtmlEnd = RegExp | 'blank line'

const BLOCK_ELEMENTS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul'

/** The beginnings of HTML blocks, as CommonMark numbers them from 1 to 6. */
const BEGINNINGS: readonly [beginning: RegExp, end: HtmlEnd][] = [
  [/^<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [new RegExp(`^</?(?:${BLOCK_ELEMENTS})(?=[\\s/>]|$)`, 'i'), 'blank line'],
]
const ATTRIBUTE = `\\s+[\\w:.@#-]+(?:\\s*=\\s*(?:"[^"]*"|'[^']*'|[^\\s"'=<>\`]+))?`
/** The seventh: one whole tag on a line of its own. It cannot interrupt a paragraph. */
const LONE_TAG = new RegExp(`^<(?:[a-z][a-z\\d-]*(?:${ATTRIBUTE})*\\s*/?|/[a-z][a-z\\d-]*\\s*)>\\s*$`, 'i')

/** Where the block of HTML ends that begins on this line; undefined when none begins. */
function htmlEndOf(line: string, isInParagraph: boolean): HtmlEnd | undefined {
  if (line[0] !== '<') return undefined
  const [, end] = BEGINNINGS.find(([beginning]) => beginning.test(line)) ?? []
  return end ?? (!isInParagraph && LONE_TAG.test(line) ? 'blank line' : undefined)
}
