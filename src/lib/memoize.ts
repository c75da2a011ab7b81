/**
 * The same pure function, which finds an answer once for a text that it is asked about often. It keeps some answers,
 * and begins anew when there are too many.
 */
export function memoize<Answer extends {}>(
  find: (text: string) => Answer,
  most = 1_000,
): (text: string) => Answer {
  const known = new Map<string, Answer>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const answer = find(text)
    if (known.size >= most) known.clear()
    known.set(text, answer)
    return answer
  }
}
