import { codePointLength, hasControlCharacter } from '../lib/text.ts'
import { invalid } from '../refusal.ts'

const MAX_NAME = 500

/** The name as given; refuses one that is empty, too long or holds control characters. */
export function checkedName(name: string, what: 'key' | 'user' | 'workspace' | 'structure'): string {
  const length = codePointLength(name)
  if (length >= 1 && length <= MAX_NAME && !hasControlCharacter(name)) return name
  throw invalid(`The name of a ${what} must be 1 to ${MAX_NAME} characters without control characters.`)
}
