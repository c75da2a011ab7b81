/*
 * A comment is attached to a passage by the quoted text and the text around it. A note has no stable positions: other
 * callers replace its whole body.
 */

export interface Passage {
  readonly text: string
  /** The text just before and just after it. */
  readonly before: string
  readonly after: string
}

/** Offsets in UTF-16 units. */
export interface PassageRange {
  readonly from: number
  readonly to: number
}

/** The stored context on each side, in UTF-16 units. */
const CONTEXT = 40
/** The context that must be intact around a passage whose own text was edited. */
const MIN_CONTEXT = 12
/** Occurrences that are compared; a text with more is too common to be a passage. */
const MAX_OCCURRENCES = 1_000

function* occurrences(content: string, text: string): Generator<number> {
  if (text === '') return
  let at = content.indexOf(text)
  for (let count = 0; at !== -1 && count < MAX_OCCURRENCES; count += 1) {
    yield at
    at = content.indexOf(text, at + 1)
  }
}

/** The occurrences of a passage with this context; the context may be shorter than the stored one. */
export function matchesOf(content: string, { text, before, after }: Passage): number[] {
  return Array.from(occurrences(content, before + text + after), (at) => at + before.length)
}

/** The passage at an offset with its stored context, which never splits a character. */
export function passageAt(content: string, at: number, length: number): Passage {
  const end = at + length
  return {
    text: content.slice(at, end),
    before: content.slice(Math.max(0, at - CONTEXT), at).replace(/^[\udc00-\udfff]/, ''),
    after: content.slice(end, end + CONTEXT).replace(/[\ud800-\udbff]$/, ''),
  }
}

/** The number of equal characters of two texts, from the end or from the start. */
function shared(one: string, other: string, fromEnd: boolean): number {
  const most = Math.min(one.length, other.length)
  const unit = (text: string, index: number) => text.charCodeAt(fromEnd ? text.length - 1 - index : index)
  let count = 0
  while (count < most && unit(one, count) === unit(other, count)) count += 1
  return count
}

/**
 * Finds a passage again after edits: the occurrence of its text with the most similar context or, if the text itself was
 * edited, the text between its context. Undefined if it is gone.
 */
export function findPassage(content: string, { text, before, after }: Passage): PassageRange | undefined {
  let best: { from: number; score: number } | undefined
  for (const from of occurrences(content, text)) {
    const end = from + text.length
    const score =
      shared(before, content.slice(Math.max(0, from - CONTEXT), from), true) +
      shared(after, content.slice(end, end + CONTEXT), false)
    if (best === undefined || score > best.score) best = { from, score }
  }
  return best
    ? { from: best.from, to: best.from + text.length }
    : findBetween(content, { text, before, after })
}

function findBetween(content: string, { text, before, after }: Passage): PassageRange | undefined {
  const [start, end] = [before.slice(-MIN_CONTEXT), after.slice(0, MIN_CONTEXT)]
  if (start.length < MIN_CONTEXT || end.length < MIN_CONTEXT) return undefined
  for (const at of occurrences(content, start)) {
    const from = at + start.length
    const to = content.indexOf(end, from)
    if (to > from && to - from <= 2 * text.length + CONTEXT) return { from, to }
  }
  return undefined
}
