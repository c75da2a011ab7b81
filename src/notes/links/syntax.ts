import { codePointLength, fold, headingText } from '../../lib/text.ts'
/** A wiki link in a body: `[[target]]` or `[[target|label]]`, embeds included. */
export interface WikiLink {
  readonly target: string
  /** Null when there is none, or an empty one. */
  readonly label: string | null
}

/** A line of a body, without its line break; `next` is where the next one begins. */
interface Line {
  readonly text: string
  readonly start: number
  readonly next: number
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** `\n`, `\r\n` and `\r` end a line, as in CommonMark. */
export function* linesOf(body: string): Generator<Line> {
  let start = 0
  for (let at = 0; at < body.length; at++) {
    const unit = body.charCodeAt(at)
    if (unit !== LINE_FEED && unit !== CARRIAGE_RETURN) continue
    const next = unit === CARRIAGE_RETURN && body.charCodeAt(at + 1) === LINE_FEED ? at + 2 : at + 1
    yield { text: body.slice(start, at), start, next }
    start = next
    at = next - 1
  }
  yield { text: body.slice(start), start, next: body.length }
}

const FENCE = /^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})/
const LIST_ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/

/** The run of backticks or tildes that opens a fence on this line; in a list it may be indented further. */
export function openingFence(line: string, inList: boolean): string | undefined {
  const [opening = '', lead = '', fence] = FENCE.exec(line) ?? []
  if (fence === undefined || (fence.startsWith('`') && line.includes('`', opening.length))) return undefined
  return inList || LIST_ITEM.test(line) || /^ {0,3}$/.test(lead) ? fence : undefined
}

export function closesFence(line: string, fence: string): boolean {
  const trimmed = line.trim()
  return trimmed.startsWith(fence) && trimmed === fence.charAt(0).repeat(trimmed.length)
}

/** The lines outside fenced code; a fence that is never closed runs to the end (CommonMark). */
function* plainLines(body: string): Generator<Line> {
  let fence: string | undefined
  let inList = false
  for (const line of linesOf(body)) {
    if (fence !== undefined) {
      if (closesFence(line.text, fence)) fence = undefined
      continue
    }
    if (LIST_ITEM.test(line.text)) inList = true
    else if (/^[^ \t]/.test(line.text)) inList = false
    fence = openingFence(line.text, inList)
    if (fence === undefined) yield line
  }
}

const STARTS_BLOCK = /^(?:[ \t]*$|[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$))/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/s

/** A part of a text and where it begins. */
export interface TextSpan {
  readonly text: string
  readonly start: number
}

/** The parts of a body that inline code never crosses: split at fences, blank lines, headings and list items. */
function* blocksOf(body: string): Generator<TextSpan> {
  let from = 0
  let to = 0
  let afterHeading = false
  for (const { text, start, next } of plainLines(body)) {
    const isHeading = HEADING.test(text)
    if (start !== to || isHeading || afterHeading || STARTS_BLOCK.test(text)) {
      if (to > from) yield { text: body.slice(from, to), start: from }
      from = start
    }
    to = next
    afterHeading = isHeading
  }
  if (to > from) yield { text: body.slice(from, to), start: from }
}

/** The number of backslashes directly before `at`, counted back to `from` at most. */
function backslashesBefore(text: string, at: number, from: number): number {
  let count = 0
  while (at - count > from && text[at - count - 1] === '\\') count += 1
  return count
}

interface Run {
  readonly start: number
  readonly end: number
}

/** Returns a function that finds the next run of a given length; it must be called with ascending positions. */
function runFinder(runs: readonly Run[]): (after: number, length: number) => Run | undefined {
  const ofLength = Map.groupBy(runs, ({ start, end }) => end - start)
  const positions = new Map<number, number>()
  return (after, length) => {
    const candidates = ofLength.get(length) ?? []
    let at = positions.get(length) ?? 0
    while (at < candidates.length && (candidates[at]?.start ?? 0) < after) at += 1
    positions.set(length, at)
    return candidates[at]
  }
}

/** Replaces inline code; no body contains this character. */
const CODE = '\0'

/**
 * Replaces every inline code span by NUL characters of the same length. A span is a run of backticks up to the next run
 * of that length. A backslash escapes the first backtick of an opening run; inside code it has no meaning.
 */
function withoutInlineCode(text: string): string {
  if (!text.includes('`')) return text
  const runs = Array.from(text.matchAll(/`+/g), ({ 0: run, index }) => ({
    start: index,
    end: index + run.length,
  }))
  const nextRun = runFinder(runs)
  let result = ''
  let from = 0
  for (const { start, end } of runs) {
    if (start < from) continue
    const opening = start + (backslashesBefore(text, start, from) % 2)
    const closing = opening < end ? nextRun(end, end - opening) : undefined
    if (!closing) continue
    result += text.slice(from, opening) + CODE.repeat(closing.end - opening)
    from = closing.end
  }
  return result + text.slice(from)
}

/** A body without these has no code. */
const CODE_MARKS = /[`~]/

/** The lines outside fenced code, of the parts that contain `mark`, with inline code replaced by NUL characters. */
export function* linesOutsideCode(body: string, mark = ''): Generator<TextSpan> {
  if (!body.includes(mark)) return
  if (!CODE_MARKS.test(body)) {
    for (const line of linesOf(body)) if (line.text.includes(mark)) yield line
    return
  }
  for (const block of blocksOf(body)) {
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
 * What a target may name, the longest first: all of it, as a title may hold `#`, then what stands before its last `#`, and
 * so on. What follows the name is the heading to which it leads.
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
  for (const { text } of plainLines(body)) {
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
 * resolve. That of a link to a file is its target.
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
