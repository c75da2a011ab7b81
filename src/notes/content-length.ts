import { refused } from '../lib/refusal.ts'
import { codePointLength, withCommas } from '../lib/text.ts'

/** The longest body of a note, in characters. */
export const MAX_CONTENT = 1_000_000

export const isTooLong = (content: string): boolean =>
  content.length > MAX_CONTENT && codePointLength(content) > MAX_CONTENT

/** Returns the body; refuses one that is too long. */
export function checkedLength(content: string): string {
  if (!isTooLong(content)) return content
  throw refused(`The note would be longer than ${withCommas(MAX_CONTENT)} characters; start another note.`)
}
