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
  const names = members
    .map(({ id, name }) => ({ id, name, folded: fold(name) }))
    .sort((left, right) => right.folded.length - left.folded.length)
  const found = new Map<string, Person>()
  for (let at = folded.indexOf('@'); at !== -1; at = folded.indexOf('@', at + 1)) {
    if (at > 0 && WORD.test(folded.charAt(at - 1))) continue
    const named = names.find(
      (one) => folded.startsWith(one.folded, at + 1) && !WORD.test(folded.charAt(at + 1 + one.folded.length)),
    )
    if (named) found.set(named.id, { id: named.id, name: named.name })
  }
  if (found.size > MAX_MENTIONS)
    throw refused(
      `A comment mentions at most ${MAX_MENTIONS} members; this one mentions ${found.size}.`,
      atPlace('text'),
    )
  return [...found.values()]
}
