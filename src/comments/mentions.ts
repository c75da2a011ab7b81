import { atPlace, refused } from '../lib/refusal.ts'
import { fold } from '../lib/text.ts'

/** The author of a comment or a mentioned member; without an id, no user of this server. */
export interface Person {
  readonly id: string | null
  readonly name: string
}

/** Each mention adds an entry to an inbox, in the transaction of the comment. */
const MAX_MENTIONS = 50

const WORD = /[\p{L}\p{N}_]/u

/**
 * The members whose `@name` is in a text, in order, each once. Of several names that match at one place the longest
 * counts, so that "@Ada Berg" does not mention "Ada".
 */
export function mentionsIn(
  text: string,
  members: readonly { readonly id: string; readonly name: string }[],
): Person[] {
  if (!text.includes('@')) return []
  const folded = fold(text)
  const named = new Map(members.map(({ id, name }) => [fold(name), { id, name }]))
  // A workspace may have thousands of members, and a text thousands of signs: their names are looked up by length.
  const lengths = [...new Set(Array.from(named.keys(), ({ length }) => length))].sort(
    (one, other) => other - one,
  )
  const found = new Map<string, Person>()
  for (let at = folded.indexOf('@'); at !== -1; at = folded.indexOf('@', at + 1)) {
    if (at > 0 && WORD.test(folded.charAt(at - 1))) continue
    const start = at + 1
    for (const length of lengths) {
      const member = named.get(folded.slice(start, start + length))
      if (!member || WORD.test(folded.charAt(start + length))) continue
      found.set(member.id, member)
      break
    }
  }
  if (found.size > MAX_MENTIONS)
    throw refused(
      `A comment mentions at most ${MAX_MENTIONS} members; this one mentions ${found.size}.`,
      atPlace('text'),
    )
  return [...found.values()]
}
