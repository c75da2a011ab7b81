import { type BlockLine, blockLines, linesOf, paragraphsOf, type TextSpan } from '../../lib/markdown-lines.ts'
import { CODE, withoutInlineCode } from '../../lib/markdown-spans.ts'
import { codePointLength, fold, headingText } from '../../lib/text.ts'

/** A wiki link in a body: `[[target]]` or `[[target|label]]`, embeds included. */
export interface WikiLink {
  readonly target: string
  /** Null when there is none, or an empty one. */
  readonly label: string | null
}

const isOutsideFences = ({ kind }: BlockLine): boolean => kind !== 'fence' && kind !== 'fenced'

const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/s

/** A body without these has no code. */
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

/** The text between each innermost pair of double brackets of a line, and where in the line it begins. */
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

/** The text between double brackets, outside code, in the order of the body. */
export function* bracketed(body: string): Generator<TextSpan> {
  for (const line of linesOutsideCode(body, '[[')) {
    for (const { text, start } of bracketedIn(line.text)) yield { text, start: line.start + start }
  }
}

const FILE_TARGET = /^file:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isFileTarget = (target: string): boolean => FILE_TARGET.test(target)

/**
 * The form in which a target is stored and compared: folded and trimmed. When it has blanks around it, a line break
 * (which no target contains) and the folded target with its blanks follow: a title may begin or end with blanks.
 */
export function targetKey(target: string): string {
  const whole = fold(target)
  const trimmed = whole.trim()
  return trimmed === whole ? trimmed : `${trimmed}\n${whole}`
}

/** The folded target in a key, without blanks around it. */
export const targetText = (key: string): string => key.split('\n')[0] ?? ''

/** More of these are not looked at: no heading has so many above it. */
const MAX_PARTS = 8

/**
 * The names in a target, the longest first: all of it, as a title may hold `#`, then the text before its last `#`, and so
 * on. The rest after a name is the heading to which it leads.
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

/** Whether a target that names no note leads to a heading of the note that holds it: `[[#Heading]]`. */
export const isOwnHeading = (target: string): boolean => target.trimStart().startsWith('#')

/** Parses the text between double brackets; undefined for a link to a file, and for one without a target. */
export function linkOf(inner: string): WikiLink | undefined {
  const bar = inner.indexOf('|')
  const target = bar === -1 ? inner : inner.slice(0, bar)
  const label = bar === -1 ? '' : inner.slice(bar + 1)
  if (target.trim() === '' || isFileTarget(target.trim())) return undefined
  return { target, label: label.trim() === '' ? null : label }
}

/** Every wiki link of a body in order, each occurrence; without those in code and those to files. */
export function parseLinks(body: string): WikiLink[] {
  const links: WikiLink[] = []
  for (const { text } of bracketed(body)) {
    const link = linkOf(text)
    if (link) links.push(link)
  }
  return links
}

/** The body with other text between brackets, where `inner` returns one; and how many that are. */
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

/** The body with other text between the brackets of its links, where `inner` returns one; and how many links that are. */
export const withLinks = (body: string, inner: (link: WikiLink, text: string) => string | undefined) =>
  replaced(body, (text) => {
    const link = linkOf(text)
    return link && inner(link, text)
  })

/** Whether a link can be written with this target, wherever in a body it is. */
export function isLinkable(target: string): boolean {
  if (target.includes('`')) return false
  const links = parseLinks(`[[${target}]]`)
  return links.length === 1 && links[0]?.target === target
}

export const fileTarget = (fileId: string): string => `file:${fileId}`

const targetOf = (inner: string): string => (inner.split('|')[0] ?? '').trim()

/**
 * A text as a label: brackets, which would end the link, become parentheses, and backticks, which begin code,
 * apostrophes.
 */
export const asLabel = (text: string): string =>
  text.replaceAll('[', '(').replaceAll(']', ')').replaceAll('`', "'")

/** The body with this label on every link to the file that has one. */
export function withFileLabel(body: string, fileId: string, fileName: string): string {
  const label = asLabel(fileName)
  const relabelled = (text: string) => {
    const bar = text.indexOf('|')
    return bar === -1 || targetOf(text) !== fileTarget(fileId) ? undefined : text.slice(0, bar + 1) + label
  }
  return replaced(body, relabelled).content
}

/** The text of the last level-2 heading, when no other heading follows it outside code. */
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

/** A title has at most 500 characters, and folding makes up to three of one. A longer target never resolves. */
const MAX_FOLDED = 1_500

const mayResolve = (key: string): boolean =>
  key.length <= MAX_FOLDED || codePointLength(targetText(key)) <= MAX_FOLDED

/**
 * The keys of a body's links as `note_links` stores them: each once, without those in code, and those that are too long to
 * resolve. The key of a link to a file is its target.
 */
export function distinctLinkKeys(body: string): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const { text } of bracketed(body)) {
    const target = text.split('|', 1)[0] ?? ''
    const trimmed = target.trim()
    const key = isFileTarget(trimmed) ? trimmed : targetKey(target)
    if (trimmed !== '' && mayResolve(key)) keys.add(key)
  }
  return keys
}
