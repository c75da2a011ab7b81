interface Span {
  readonly start: number
  readonly end: number
}

/** Returns a function that finds the next run of a given length. Positions must be passed in ascending order. */
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

/** Returns the end of the comment that begins at an offset. */
type CommentEnd = (at: number) => number

const SIGNS = /\\[\s\S]|`+|<!--|-->|%%/g

/** A comment, a `-->` without a comment in its paragraph, or inline code. */
interface InlineSpan extends Span {
  readonly isComment: boolean
}

/**
 * Yields the inline code of a Markdown paragraph, and its comments if `commentEnd` is given. The one that begins
 * first contains the other as text. Code extends from a run of backticks to the next run of the same length. A
 * backslash escapes the next character, except in code.
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

/** Replaces inline code. Stored texts never contain this character. */
export const CODE = '\0'

/** A paragraph in which NUL characters replace its inline code. */
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
