import type { TextSpan } from '../../../lib/markdown-lines.ts'
import { folderOf } from '../../../lib/paths.ts'
import { codePointLength, isInvisible, normalized } from '../../../lib/text.ts'
import { bracketedIn } from '../../../lib/wiki-links.ts'
import type { Remark, VaultNote } from './note.ts'

const MAX_TAG_LENGTH = 100

/** No URL can address a tag with such a name. */
const DOTS = /^\.\.?$/

/** A word as the name of a tag, without the hash; undefined when the name would be empty, too long, `.` or `..`. */
export function tagNameOf(word: string): string | undefined {
  const name = normalized(word, 'NFC')
    .replace(/^#+/, '')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/[,\p{Cc}]/gu, ' ')
    .trim()
  const isUnfit = name === '' || isInvisible(name) || DOTS.test(name)
  return isUnfit || codePointLength(name) > MAX_TAG_LENGTH ? undefined : name
}

const WORD = '#[\\p{L}\\p{M}\\p{N}\\p{Extended_Pictographic}\\p{Join_Control}_/-]+'
/** One tag, or several without a blank between them. */
const INLINE_TAGS = new RegExp(`(?<=^|\\s)(?:${WORD})+`, 'gmu')
/** `#1984` is a number, not a tag. */
const NOT_A_NUMBER = /[^#\p{N}/_]/u
/** `_Issue #work_`: the last underscore ends the emphasis. */
const OPEN_EMPHASIS = /(?:^|[\s\p{P}])__?(?=[^\s_])[^_\n]*$/u

/** Six or eight hexadecimal digits that are not all letters, `#fff`, and any form where a colour is expected. */
const LONG_COLOUR = /^#(?=.*\d)(?:[\da-f]{6}|[\da-f]{8})$/i
const GREY = /^#([\da-f])\1{2}(?:\1{3})?$/i
const ANY_COLOUR = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i
const STYLE = /(?:colou?r|background|border|fill|stroke|shadow|outline)[\w-]{0,20}["']?\s{0,3}[:=]\s{0,3}$/i
const CONTEXT_LENGTH = 200

function isColour(word: string, before: string): boolean {
  if (LONG_COLOUR.test(word) || GREY.test(word)) return true
  return ANY_COLOUR.test(word) && STYLE.test(before)
}

/** The tags in the text of a paragraph: `#word`, `#word/subword`. */
function* inlineTags(text: string): Generator<string> {
  if (!text.includes('#')) return
  for (const { 0: words, index } of text.matchAll(INLINE_TAGS)) {
    const before = text.slice(Math.max(0, index - CONTEXT_LENGTH), index)
    for (const [written] of words.matchAll(/#[^#]+/g)) {
      const word =
        written.endsWith('_') && OPEN_EMPHASIS.test(before) ? written.replace(/(?<!_)_+$/, '') : written
      if (!NOT_A_NUMBER.test(word) || isColour(word, before)) break
      yield word
    }
  }
}

/** The words with a `#` that Obsidian shows as tags in a body. `lines` are the lines outside code. */
export function* bodyTags(lines: readonly TextSpan[]): Generator<string> {
  for (const paragraph of paragraphsOf(lines)) yield* inlineTags(paragraph)
}

/** The tag names of a note: from its front matter, its body and, if requested, its folder. */
export function tagNamesOf(
  { tags, source, file: { path } }: VaultNote,
  lines: readonly TextSpan[],
  foldersAsTags: boolean,
  remark: Remark,
): string[] {
  const words = new Set(tags)
  for (const word of bodyTags(lines)) words.add(word)
  for (const { text } of lines) for (const word of source.tagsIn(text)) words.add(word)
  if (foldersAsTags) words.add(source.folderNameOf(folderOf(path)))
  return [...words].flatMap((word) => {
    const name = tagNameOf(word)
    if (name === undefined && word.trim() !== '')
      remark(
        `the tag "${word}" is left out; ${DOTS.test(word.trim()) ? 'no URL can address it' : `a tag has 1 to ${MAX_TAG_LENGTH} characters`}.`,
      )
    return name ?? []
  })
}

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

  /** The prose of the line; undefined if it has none. */
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

/** Parts of a paragraph that are not text, besides comments: HTML tags, Obsidian comments, formulas, links. */
const NOT_TEXT: readonly RegExp[] = [
  /<\/?[a-z](?:[^<>"']|"[^"<]*"|'[^'<]*')*>/gi,
  /<\/?[a-z][^<>]*>/gi,
  /%%[\s\S]*?%%/g,
  /\$\$[\s\S]*?\$\$/g,
  /\$(?![\s$])[^$\n]*(?<![\s\\])\$(?!\d)/g,
  // Escaped characters start no link, so they stay.
  /\\.|!?\[(?:[^[\]\\]|\\.)*\](?:\((?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)(?:[ \t]{1,3}(?:"[^"\n]*"|'[^'\n]*'))?\)|\[(?:[^[\]\\]|\\.)*\])/g,
]
const MASK = '\0'
const masked = (text: string) => text.replace(/[^\n]/g, MASK)
const maskedUnlessEscape = (text: string) => (text.startsWith('\\') ? text : masked(text))

/** Matches comments pair by pair: an expression would search from each start for an end that may not exist. */
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
 * The paragraphs of a body in which Obsidian shows tags. NUL characters replace everything else. `lines` are the lines
 * outside code (`linesOutsideCode`).
 */
function* paragraphsOf(lines: readonly TextSpan[]): Generator<string> {
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

/** The end of an HTML block: at a matching line, or before the next blank line. */
type HtmlEnd = RegExp | 'blank line'

const BLOCK_ELEMENTS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul'

/** The starts of HTML blocks, as CommonMark numbers them from 1 to 6. */
const BEGINNINGS: readonly [beginning: RegExp, end: HtmlEnd][] = [
  [/^<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [new RegExp(`^</?(?:${BLOCK_ELEMENTS})(?=[\\s/>]|$)`, 'i'), 'blank line'],
]
const ATTRIBUTE = `\\s+[\\w:.@#-]+(?:\\s*=\\s*(?:"[^"]*"|'[^']*'|[^\\s"'=<>\`]+))?`
/** The seventh start: one whole tag on a line of its own. It cannot interrupt a paragraph. */
const LONE_TAG = new RegExp(`^<(?:[a-z][a-z\\d-]*(?:${ATTRIBUTE})*\\s*/?|/[a-z][a-z\\d-]*\\s*)>\\s*$`, 'i')

/** The end of the HTML block that starts on this line; undefined if none starts. */
function htmlEndOf(line: string, isInParagraph: boolean): HtmlEnd | undefined {
  if (line[0] !== '<') return undefined
  const [, end] = BEGINNINGS.find(([beginning]) => beginning.test(line)) ?? []
  return end ?? (!isInParagraph && LONE_TAG.test(line) ? 'blank line' : undefined)
}
