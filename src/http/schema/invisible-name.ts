import { isInvisible } from '../../lib/text.ts'

/*
 * In a file of its own: `types.ts` calls `validation.ts` while it is loaded, so that an import in the other direction would
 * find it half loaded in the executable.
 */

interface NameRules {
  readonly isName?: boolean
  readonly trimmed?: boolean
}

/** Whether a text is refused because it is a name that shows nothing; an empty one has the wrong length. */
export function isInvisibleName({ isName, trimmed }: NameRules, value: unknown): boolean {
  if (isName !== true || typeof value !== 'string') return false
  return isInvisible(trimmed ? value.trim() : value)
}
