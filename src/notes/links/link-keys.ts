import { codePointLength } from '../../lib/text.ts'
import { linkKeys, targetText } from './syntax.ts'

/** A title has at most 500 characters, and folding makes up to three of one. A longer target never resolves. */
const MAX_FOLDED = 1_500

/** The keys of a body's links as `note_links` stores them: each once, without those that are too long to resolve. */
export type LinkKeys = ReadonlySet<string>

const mayResolve = (key: string): boolean =>
  key.length <= MAX_FOLDED || codePointLength(targetText(key)) <= MAX_FOLDED

export function distinctLinkKeys(content: string): LinkKeys {
  const targets = new Set<string>()
  for (const key of linkKeys(content)) if (mayResolve(key)) targets.add(key)
  return targets
}
