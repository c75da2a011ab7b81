/** A wiki link as it stands in a body: `[[target]]` or `[[target|label]]`, embeds included. */
export interface WikiLink {
  readonly target: string
  /** Null when the link has none, or an empty one. */
  readonly label: string | null
}

/** A half-open range of a body. */
type Range = readonly [start: number, end: number]

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** The ranges of fenced code blocks; one that is never closed runs to the end (CommonMark). */
function fencedRanges(body: string): Range[] {
  const ranges: Range[] = []
  let open: { fence: string; start: number } | undefined
  let at = 0
  for (const line of body.split('\n')) {
    const match = FENCE.exec(line.endsWith('\r') ? line.slice(0, -1) : line)
    const [, fence = '', rest = ''] = match ?? []
    if (open) {
      const closes = fence.startsWith(open.fence) && rest.trim() === ''
      if (closes) {
        ranges.push([open.start, at + line.length])
        open = undefined
      }
    } else if (fence !== '' && !(fence.startsWith('`') && rest.includes('`'))) {
      open = { fence, start: at }
    }
    at += line.length + 1
  }
  if (open) ranges.push([open.start, body.length])
  return ranges
}

/** What lies between the fenced blocks, cut at blank lines: inline code never crosses either. */
function* paragraphs(body: string): Generator<string> {
  let from = 0
  for (const [start, end] of [...fencedRanges(body), [body.length, body.length] as const]) {
    yield* body.slice(from, start).split(/\n[ \t\r]*\n/)
    from = end
  }
}

/** For each run of backticks, the index of the next run of the same length. */
function closingRuns(runs: readonly RegExpExecArray[]): (number | undefined)[] {
  const nextOfLength = new Map<number, number>()
  const closing: (number | undefined)[] = []
  for (let index = runs.length - 1; index >= 0; index--) {
    const length = runs[index]?.[0].length ?? 0
    closing[index] = nextOfLength.get(length)
    nextOfLength.set(length, index)
  }
  return closing
}

/** Puts a line break in the place of every inline code span: a run of backticks up to the next of its length. */
function withoutInlineCode(text: string): string {
  if (!text.includes('`')) return text
  const runs = [...text.matchAll(/\\`|`+/g)].filter(([run]) => run !== '\\`')
  const closing = closingRuns(runs)
  let result = ''
  let from = 0
  for (const [index, opening] of runs.entries()) {
    const end = runs[closing[index] ?? -1]
    if (opening.index < from || !end) continue
    result += `${text.slice(from, opening.index)}\n`
    from = end.index + end[0].length
  }
  return result + text.slice(from)
}

const LINK = /\[\[(?!\[)((?:(?!\[\[|\]\]|\|)[^\n\r])+)(?:\|((?:(?!\[\[|\]\])[^\n\r])*))?\]\]/g
const FILE_TARGET = /^file:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Every wiki link of a body in its order, each occurrence; none from code, and none to files. */
export function parseLinks(body: string): WikiLink[] {
  if (!body.includes('[[')) return []
  const links: WikiLink[] = []
  for (const paragraph of paragraphs(body)) {
    if (!paragraph.includes('[[')) continue
    for (const [, target = '', label] of withoutInlineCode(paragraph).matchAll(LINK)) {
      if (target.trim() === '' || FILE_TARGET.test(target.trim())) continue
      links.push({ target, label: label?.trim() ? label : null })
    }
  }
  return links
}

function withoutClosingHashes(text: string): string {
  const trimmed = text.trim()
  let end = trimmed.length
  while (trimmed[end - 1] === '#') end -= 1
  const isClosed = end < trimmed.length && (end === 0 || /[ \t]/.test(trimmed[end - 1] ?? ''))
  return isClosed ? trimmed.slice(0, end).trimEnd() : trimmed
}

/** The text of the last level-2 heading, when no other heading follows it outside code. */
export function lastHeading(body: string): string | undefined {
  let last: string | undefined
  for (const paragraph of paragraphs(body)) {
    for (const [, hashes, text = ''] of paragraph.matchAll(/^ {0,3}(#{1,6})[ \t](.*)$/gm)) {
      last = hashes === '##' ? withoutClosingHashes(text) : undefined
    }
  }
  return last
}
