import { isInvisible } from '../../lib/text.ts'

/*
 * A separate module: `types.ts` calls `validation.ts` while it is loaded, so an import in the other direction would
 * see a half-loaded module in the executable.
 */

interface NameRules {
  readonly isName?: boolean
  readonly trimmed?: boolean
}

/** Whether a name is refused because it has no visible character; an empty name has the wrong length instead. */
export function isInvisibleName({ isName, trimmed }: NameRules, value: unknown): boolean {
  if (isName !== true || typeof value !== 'string') return false
  return isInvisible(trimmed ? value.trim() : value)
}
