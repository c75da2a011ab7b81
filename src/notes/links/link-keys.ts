import { forSomeMilliseconds } from '../../db/writes/time-slice.ts'
import { nextTurn } from '../../lib/event-loop.ts'
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

/** Parsing a shorter body takes less than a few milliseconds. */
const LONG_BODY = 65_536
const KEYS_PER_STEP = 100

/**
 * The link targets of a long body, before the transaction that writes it: other requests are served while it is parsed.
 * Undefined for a short body, which is parsed in the transaction.
 */
export async function parseLongBody(content = ''): Promise<LinkKeys | undefined> {
  if (content.length < LONG_BODY) return undefined
  const targets = new Set<string>()
  const keys = linkKeys(content)
  const parseSome = (): boolean => {
    for (let count = 0; count < KEYS_PER_STEP; count++) {
      const { done, value } = keys.next()
      if (done) return false
      if (mayResolve(value)) targets.add(value)
    }
    return true
  }
  while (forSomeMilliseconds(parseSome)) await nextTurn()
  return targets
}
