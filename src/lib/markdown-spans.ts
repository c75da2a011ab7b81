/** A part of a text. */
interface Span {
  readonly start: number
  readonly end: number
}

/** Returns a function that finds the next run of a given length; it must be called with ascending positions. */
function runFinder(runs: readonly Span[]): (after: number, length: number) => Span | undefined {
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

/** Tells where what begins with a sign of comments ends. */
type CommentEnd = (at: number) => number

const SIGNS = /\\[\s\S]|`+|<!--|-->|%%/g

/** A comment, a `-->` that ends none of the paragraph, or inline code. */
interface InlineSpan extends Span {
  readonly isComment: boolean
}

/**
 * Inline code of a paragraph of Markdown, and its comments when `commentEnd` tells where one ends: whichever begins first
 * holds the other as its text. Code is a run of backticks up to the next run of that length. A backslash escapes the sign
 * after it, and has no meaning in code.
 */
export function* inlineSpans(text: string, commentEnd?: CommentEnd): Generator<InlineSpan> {
  const runs = Array.from(text.matchAll(/`+/g), ({ 0: run, index }) => ({
    start: index,
    end: index + run.length,
  }))
  const nextRun = runFinder(runs)
  let from = 0
  for (const { 0: sign, index: start } of text.matchAll(SIGNS)) {
    if (start < from || sign.startsWith('\\')) continue
    const isComment = !sign.startsWith('`')
    const openingEnd = start + sign.length
    const end = isComment ? commentEnd?.(start) : nextRun(openingEnd, sign.length)?.end
    if (end === undefined) continue
    yield { start, end, isComment }
    from = end
  }
}

/** Replaces inline code; no stored text contains this character. */
export const CODE = '\0'

/** A paragraph with NUL characters in place of its inline code. */
export function withoutInlineCode(text: string): string {
  if (!text.includes('`')) return text
  let result = ''
  let from = 0
  for (const { start, end } of inlineSpans(text)) {
    result += text.slice(from, start) + CODE.repeat(end - start)
    from = end
  }
  return result + text.slice(from)
}
