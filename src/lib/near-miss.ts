/** The edit distance of two words: letters to insert, delete, replace or transpose. */
function distance(left: string, right: string): number {
  let older: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (let i = 1; i <= left.length; i++) {
    const current = [i]
    for (let j = 1; j <= right.length; j++) {
      const isSame = left[i - 1] === right[j - 1]
      const isSwapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      current[j] = Math.min(
        (last[j] ?? 0) + 1,
        (current[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (older[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    older = last
    last = current
  }
  return last[right.length] ?? 0
}

/** The accepted distance: a third of the letters, and at most two. */
const tolerance = (word: string) => Math.min(2, Math.floor(word.length / 3))

/** Longer words are not compared: they are never typos, and the comparison is quadratic. */
const MAX_LENGTH = 64

/** The known word that was probably meant; undefined if none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined
  const near = known
    .map((candidate) => ({ candidate, away: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ away, candidate }) => away <= Math.max(1, tolerance(candidate)))
    .sort((left, right) => left.away - right.away)
  return near[0]?.candidate
}

/** The number of names that a refusal lists. */
export const MAX_LISTED = 20

/** The first 20 names that are known in this context. */
const listed = (known: readonly string[]): string =>
  known.length > MAX_LISTED
    ? `${known.slice(0, MAX_LISTED).join(', ')}, … (${known.length} in all)`
    : known.join(', ')

/** `known: text, heading. Did you mean "text"?`: the end of a sentence about an unknown name. */
export const knownNames = (word: string, known: readonly string[]): string =>
  known.length === 0 ? 'leave it out.' : `known: ${listed(known)}.${didYouMean(word, known)}`

/** ` Did you mean "files"?`, to be appended to a sentence; empty if no known word is near. */
export function didYouMean(
  word: string,
  known: readonly string[],
  shown = (name: string) => `"${name}"`,
): string {
  const meant = nearest(word, known)
  return meant === undefined ? '' : ` Did you mean ${shown(meant)}?`
}
