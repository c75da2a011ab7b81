import { withoutComments } from '../lib/markdown-comments.ts'
import { blockLines } from '../lib/markdown-lines.ts'
import { codePointLength, headingText } from '../lib/text.ts'

/*
 * The first words of a note as displayed, without Markdown. Only the beginning of a body is parsed, so a very long note
 * costs no more than a short one.
 */

/** Maximum number of characters parsed per body. */
export const EXCERPT_SOURCE = 4_000
const EXCERPT_LENGTH = 200

/** Up to 200 characters of the text of a body, or of its first `EXCERPT_SOURCE` characters, without markup, on one line. */
export function excerptOf(body: string): string {
  let text = ''
  for (const { source, isCode } of blocksOf(withoutComments(body.slice(0, EXCERPT_SOURCE)))) {
    const words = (isCode ? source : inlineText(source)).replace(/\s+/g, ' ').trim()
    if (words !== '') text += text === '' ? words : ` ${words}`
    if (codePointLength(text) >= EXCERPT_LENGTH) break
  }
  return Array.from(text.slice(0, 2 * EXCERPT_LENGTH))
    .slice(0, EXCERPT_LENGTH)
    .join('')
    .trimEnd()
}

interface Block {
  readonly source: string
  readonly isCode: boolean
}

const QUOTE = /^(?:[ \t]*>)+[ \t]?(?:\[![\w-]+\][+-]?[ \t]*)?/
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[[ xX]\](?:[ \t]+|$))?/
const HEADING = /^[ \t]{0,3}#{1,6}(?:[ \t]+|$)/
const RULE = /^[ \t]*(?:=+|(?:-[ \t]*){2,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
const TABLE_RULE = /^[ \t|:]*-[ \t|:-]*$/
const DEFINITION = /^[ \t]{0,3}\[(?!\^)[^\]]+\]:[ \t]*\S/
const FOOTNOTE = /^[ \t]{0,3}\[\^[^\]]+\]:[ \t]*/

/** The paragraphs, headings, items, table rows and code lines of a text, without their markup. */
function* blocksOf(body: string): Generator<Block> {
  let paragraph = ''
  const taken = function* (next = ''): Generator<Block> {
    if (paragraph !== '') yield { source: paragraph, isCode: false }
    paragraph = next
  }
  for (const { text: line, block } of blockLines(body)) {
    if (block.kind === 'fenced') {
      yield { source: line.slice(block.content), isCode: true }
      continue
    }
    const text = line.replace(QUOTE, '')
    if (block.kind === 'fence' || text.trim() === '' || isSign(text)) yield* taken()
    else if (HEADING.test(text)) {
      yield* taken(headingText(text.replace(HEADING, '')))
      yield* taken()
    } else if (text.trimStart().startsWith('|')) yield* taken(cellsOf(text))
    else if (ITEM.test(text)) yield* taken(text.replace(ITEM, ''))
    else paragraph += `${paragraph === '' ? '' : ' '}${text.replace(FOOTNOTE, '')}`
  }
  yield* taken()
}

/** Whether a line is markup only: a rule, the line under a heading or a table head, or a definition. */
const isSign = (line: string): boolean =>
  RULE.test(line) || (line.includes('|') && TABLE_RULE.test(line)) || DEFINITION.test(line)

const LABELLED = /\[\[[^[\]|]+\|[^[\]]*\]\]/g

/** A table row with spaces between its cells; the bars of links remain. */
const cellsOf = (row: string): string =>
  row.replace(LABELLED, (link) => link.replace(/\\?\|/g, '\\|')).replace(/(?<!\\)\|/g, ' ')

/** The text that replaces a construct, and the position after it. */
interface Read {
  readonly text: string
  readonly end: number
}

/** The closing positions of open markup, and the positions after them. */
class Closings extends Map<number, number> {
  /** Remaining characters to search for closing signs. Once they are used up, signs are plain text. */
  left = 40_000
}

type Construct = (source: string, at: number, closings: Closings) => Read | undefined

const CONSTRUCTS: Readonly<Record<string, Construct>> = {
  '\\': (source, at) => {
    const next = source[at + 1] ?? ''
    return /[!-/:-@[-`{-~]/.test(next) ? { text: next, end: at + 2 } : undefined
  },
  '`': codeSpan,
  '<': angled,
  '!': (source, at, closings) => (source[at + 1] === '[' ? bracketed(source, at + 1, closings) : undefined),
  '[': bracketed,
  '*': emphasis,
  _: emphasis,
  '~': emphasis,
  '=': emphasis,
}

/** The text of a paragraph without inline markup. */
function inlineText(source: string): string {
  const closings = new Closings()
  let text = ''
  for (let at = 0; at < source.length; ) {
    const closed = closings.get(at)
    const sign = source[at] ?? ''
    const read = closed === undefined ? CONSTRUCTS[sign]?.(source, at, closings) : { text: '', end: closed }
    text += read?.text ?? sign
    at = read?.end ?? at + 1
  }
  return text
}

/** The end of the run of the same sign that begins here. */
function endOfRun(source: string, at: number): number {
  let end = at + 1
  while (source[end] === source[at]) end += 1
  return end
}

function codeSpan(source: string, at: number): Read {
  const end = endOfRun(source, at)
  const run = source.slice(at, end)
  for (let close = source.indexOf(run, end); close !== -1; ) {
    const after = endOfRun(source, close)
    if (after - close === run.length) return { text: source.slice(end, close), end: after }
    close = source.indexOf(run, after)
  }
  return { text: run, end }
}

const AUTOLINK = /<((?:[a-z][a-z0-9+.-]+:|[^\s<>@]+@)[^\s<>]*)>/iy
const HTML_TAG = /<\/?[a-z][^<>]*>/iy

function angled(source: string, at: number): Read | undefined {
  for (const form of [AUTOLINK, HTML_TAG]) {
    form.lastIndex = at
    const match = form.exec(source)
    if (match) return { text: match[1] ?? '', end: form.lastIndex }
  }
  return undefined
}

const WIKI_LINK = /\[\[([^[\]|\\]+)(?:\\?\|([^[\]]*))?\]\]/y
const FOOTNOTE_MARK = /\[\^[^\]\s]+\]/y
/** An id is meaningless to readers. */
const ID = /^(?:file:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/** A link or an image: its label, or the target of a link to a note without a label. */
function bracketed(source: string, at: number, closings: Closings): Read | undefined {
  WIKI_LINK.lastIndex = at
  const [link, target = '', label = ''] = WIKI_LINK.exec(source) ?? []
  if (link !== undefined)
    return { text: label.trim() || target.trim().replace(ID, ''), end: at + link.length }
  FOOTNOTE_MARK.lastIndex = at
  if (FOOTNOTE_MARK.test(source)) return { text: '', end: FOOTNOTE_MARK.lastIndex }
  const close = matching(source, at, ']', closings)
  const opens = close === undefined ? undefined : source[close + 1]
  if (close === undefined || (opens !== '(' && opens !== '[')) return undefined
  // The target of an image may extend beyond the parsed beginning.
  const end = matching(source, close + 1, opens === '(' ? ')' : ']', closings) ?? source.length
  closings.set(close, end + 1)
  return { text: '', end: at + 1 }
}

/** The position at which the bracket that opens here closes. */
function matching(source: string, open: number, closing: string, closings: Closings): number | undefined {
  let depth = 0
  for (let at = open; at < source.length && closings.left > 0; at++) {
    closings.left -= 1
    if (source[at] === '\\') at += 1
    else if (source[at] === source[open]) depth += 1
    else if (source[at] === closing && --depth === 0) return at
  }
  return undefined
}

const SPACE = /^\s?$/
const WORD = /[\p{L}\p{N}]/u
const PUNCTUATION = /[\p{P}\p{S}]/u

/** Omits the signs of emphasis that is closed later, and its closing signs; other signs are text. */
function emphasis(source: string, at: number, closings: Closings): Read {
  const end = endOfRun(source, at)
  const run = source.slice(at, end)
  const before = source[at - 1] ?? ''
  const after = source[end] ?? ''
  const isWord = run.startsWith('_') && WORD.test(before)
  const opens = !SPACE.test(after) && !isWord && (!PUNCTUATION.test(after) || !WORD.test(before))
  const isKnown = /^(?:\*{1,3}|_{1,3}|~{1,2}|==)$/.test(run)
  const close = opens && isKnown ? closingRun(source, run, end, closings) : undefined
  if (close === undefined) return { text: run, end }
  closings.set(close, endOfRun(source, close))
  return { text: '', end }
}

/** The start of the run that closes this one: a run of the same length, else a longer one. */
function closingRun(source: string, run: string, from: number, closings: Closings): number | undefined {
  let longer: number | undefined
  for (let at = source.indexOf(run, from); at !== -1 && closings.left > 0; ) {
    closings.left -= 10
    const end = endOfRun(source, at)
    const closes = !SPACE.test(source[at - 1] ?? '') && source[at - 1] !== '\\'
    const isInWord = run.startsWith('_') && WORD.test(source[end] ?? '')
    if (closes && !isInWord) {
      if (end - at === run.length) return at
      longer ??= at
    }
    at = source.indexOf(run, end)
  }
  return longer
}
