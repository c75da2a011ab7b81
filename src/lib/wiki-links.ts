import { type BlockLine, blockLines, linesOf, paragraphsOf, type TextSpan } from './markdown-lines.ts'
import { CODE, withoutInlineCode } from './markdown-spans.ts'
import { codePointLength, fold, headingText } from './text.ts'

/** A wiki link in a body: `[[target]]` or `[[target|label]]`, embeds included. In tables, the bar is written `\\|`. */
export interface WikiLink {
  readonly target: string
  /** Null if absent or empty. */
  readonly label: string | null
  readonly isEscaped: boolean
}

const isOutsideFences = ({ kind }: BlockLine): boolean => kind !== 'fence' && kind !== 'fenced'

const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/s

/** A body without these characters has no code. */
const CODE_MARKS = /[`~]/

/** The lines outside fenced code, of the parts that contain `mark`, with inline code replaced by NUL characters. */
export function* linesOutsideCode(body: string, mark = ''): Generator<TextSpan> {
  if (!body.includes(mark)) return
  if (!CODE_MARKS.test(body)) {
    for (const line of linesOf(body)) if (line.text.includes(mark)) yield line
    return
  }
  for (const block of paragraphsOf(body, isOutsideFences)) {
    if (!block.text.includes(mark)) continue
    let start = block.start
    for (const text of withoutInlineCode(block.text).split(/[\r\n]/)) {
      yield { text, start }
      start += text.length + 1
    }
  }
}

/** The text between each innermost pair of double brackets in a line, and its position in the line. */
export function* bracketedIn(line: string): Generator<TextSpan> {
  let close = -1
  for (let open = line.indexOf('[['); open !== -1; open = line.indexOf('[[', open + 1)) {
    const begin = open + 2
    if (line[begin] === '[') continue
    if (close < begin) close = line.indexOf(']]', begin)
    if (close === -1) return
    const inner = line.indexOf('[[', begin)
    if (inner !== -1 && inner < close) continue
    const text = line.slice(begin, close)
    if (!text.includes(CODE)) yield { text, start: begin }
    open = close
  }
}

/** The text between double brackets outside code, in body order. */
export function* bracketed(body: string): Generator<TextSpan> {
  for (const line of linesOutsideCode(body, '[[')) {
    for (const { text, start } of bracketedIn(line.text)) yield { text, start: line.start + start }
  }
}

const FILE_TARGET = /^file:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isFileTarget = (target: string): boolean => FILE_TARGET.test(target)

/**
 * The form in which a target is stored and compared: folded and trimmed. If it has surrounding blanks, a line break
 * (which no target contains) and the folded target with its blanks follow. A title may begin or end with blanks.
 */
export function targetKey(target: string): string {
  const whole = fold(target)
  const trimmed = whole.trim()
  return trimmed === whole ? trimmed : `${trimmed}\n${whole}`
}

/** The folded target in a key, without surrounding blanks. */
export const targetText = (key: string): string => key.split('\n')[0] ?? ''

/** Maximum number of parts considered: no heading has more levels above it. */
const MAX_PARTS = 8

/**
 * The possible names in a target, longest first. The first is the whole target, because a title may contain `#`. The
 * text before its last `#` follows, and so on. The rest after a name is the heading.
 */
export function namesIn(target: string): string[] {
  const names = [target]
  let at = target.lastIndexOf('#')
  while (at > 0 && names.length <= MAX_PARTS && target.slice(0, at).trim() !== '') {
    names.push(target.slice(0, at))
    at = target.lastIndexOf('#', at - 1)
  }
  return names
}

/** Whether a target without a note name leads to a heading of its own note: `[[#Heading]]`. */
export const isOwnHeading = (target: string): boolean => target.trimStart().startsWith('#')

/** The text between double brackets before its bar, and the bar; the text after the bar follows. */
export function targetIn(inner: string): { readonly target: string; readonly bar: '' | '|' | '\\|' } {
  const at = inner.indexOf('|')
  if (at === -1) return { target: inner, bar: '' }
  const isEscaped = inner[at - 1] === '\\'
  return { target: inner.slice(0, isEscaped ? at - 1 : at), bar: isEscaped ? '\\|' : '|' }
}

/** Parses the text between double brackets; undefined for a link to a file, or without a target. */
export function linkOf(inner: string): WikiLink | undefined {
  const { target, bar } = targetIn(inner)
  if (target.trim() === '' || isFileTarget(target.trim())) return undefined
  const isEscaped = bar === '\\|'
  const rest = bar === '' ? '' : inner.slice(target.length + bar.length)
  const label = isEscaped ? rest.replaceAll('\\|', '|') : rest
  return { target, label: label.trim() === '' ? null : label, isEscaped }
}

/** Every wiki link of a body in order, every occurrence; excludes links in code and links to files. */
export function parseLinks(body: string): WikiLink[] {
  const links: WikiLink[] = []
  for (const { text } of bracketed(body)) {
    const link = linkOf(text)
    if (link) links.push(link)
  }
  return links
}

/** Replaces the text between brackets if `inner` returns another; returns the body and the number of replacements. */
function replaced(
  body: string,
  inner: (text: string) => string | undefined,
): { content: string; count: number } {
  let content = ''
  let from = 0
  let count = 0
  for (const { text, start } of bracketed(body)) {
    const other = inner(text)
    if (other === undefined || other === text) continue
    content += body.slice(from, start) + other
    from = start + text.length
    count += 1
  }
  return { content: content + body.slice(from), count }
}

/**
 * Replaces the text between the brackets of links if `inner` returns another; returns the body and the number of links.
 */
export const withLinks = (body: string, inner: (link: WikiLink, text: string) => string | undefined) =>
  replaced(body, (text) => {
    const link = linkOf(text)
    return link && inner(link, text)
  })

/** Whether a link with this target, with or without a label, can be written anywhere in a body. */
export function isLinkable(target: string): boolean {
  if (target.includes('`') || target.endsWith('\\')) return false
  const links = parseLinks(`[[${target}]]`)
  return links.length === 1 && links[0]?.target === target
}

export const fileTarget = (fileId: string): string => `file:${fileId}`

/**
 * A text in the form of a label. Brackets would end the link and become parentheses; backticks would begin code and
 * become apostrophes.
 */
export const asLabel = (text: string): string =>
  text.replaceAll('[', '(').replaceAll(']', ')').replaceAll('`', "'")

/** The body with this label on every labelled link to the file. */
export function withFileLabel(body: string, fileId: string, fileName: string): string {
  const label = asLabel(fileName)
  const relabelled = (text: string) => {
    const { target, bar } = targetIn(text)
    if (bar === '' || target.trim() !== fileTarget(fileId)) return undefined
    return `${target}${bar}${bar === '|' ? label : label.replaceAll('|', bar)}`
  }
  return replaced(body, relabelled).content
}

/** The text of the last heading outside code, if it has level 2. */
export function lastHeading(body: string): string | undefined {
  let last: string | undefined
  if (!body.includes('#')) return last
  for (const { text, block } of blockLines(body)) {
    if (!isOutsideFences(block)) continue
    const [, hashes, words = ''] = HEADING.exec(text) ?? []
    if (hashes !== undefined) last = hashes === '##' ? headingText(words) : undefined
  }
  return last
}

/** A title has at most 500 characters, and folding turns one into up to three. A longer target never resolves. */
const MAX_FOLDED = 1_500

const mayResolve = (key: string): boolean =>
  key.length <= MAX_FOLDED || codePointLength(targetText(key)) <= MAX_FOLDED

/**
 * The distinct keys of a body's links as stored in `note_links`. Excludes links in code and links too long to resolve.
 * The key of a link to a file is its target.
 */
export function distinctLinkKeys(body: string): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const { text } of bracketed(body)) {
    const { target } = targetIn(text)
    const trimmed = target.trim()
    const key = isFileTarget(trimmed) ? trimmed : targetKey(target)
    if (trimmed !== '' && mayResolve(key)) keys.add(key)
  }
  return keys
}

/** Whether a JSON value may contain links. */
export const mayLink = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes('[[')
    : typeof value === 'object' && value !== null && JSON.stringify(value).includes('[[')
