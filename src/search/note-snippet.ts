import { withoutComments } from '../lib/markdown-comments.ts'
import type { Phrase } from '../lib/words.ts'
import { findHits, snippetAround, snippetOf } from './highlighter.ts'

/** How much of a body is searched before and after a hit, in characters. */
const AROUND = 4_000
/** Comments that begin further before a hit are not recognized. */
const LONG_COMMENT = 20_000
/** The search ends after this many hits within comments. */
const MAX_HIDDEN = 10

const HAS_COMMENTS = /<!--|%%/

/**
 * Up to 200 characters around the first hit in the body of a note, its title or its tags, in the format of
 * `snippetOf`. Comments are omitted from bodies, so hits within them are not shown.
 */
export function noteSnippet(body: string, names: readonly string[], phrases: readonly Phrase[]): string {
  if (!HAS_COMMENTS.test(body)) return snippetOf([body, ...names], phrases)
  const wanted = phrases.filter(({ isExcluded }) => !isExcluded)
  let from = 0
  for (let hidden = 0; hidden < MAX_HIDDEN; hidden++) {
    const [hit] = findHits(body.slice(from), wanted, 0)
    if (!hit) break
    const end = lineEnd(body, from + hit.end + AROUND)
    const visible = withoutComments(body.slice(visibleStart(body, from + hit.start - AROUND), end))
    const hits = findHits(visible, wanted)
    if (hits.length > 0) return snippetAround(visible, hits)
    from = end
  }
  const beginning = withoutComments(body.slice(0, lineEnd(body, AROUND)))
  return snippetOf([beginning, ...names], phrases)
}

function lineEnd(body: string, at: number): number {
  const end = body.indexOf('\n', at)
  return end === -1 ? body.length : end
}

/** The beginning of the line or comment that contains this position. */
function visibleStart(body: string, at: number): number {
  if (at <= 0) return 0
  const line = body.lastIndexOf('\n', at) + 1
  const comment = body.lastIndexOf('<!--', line)
  const isOpen = comment > body.lastIndexOf('-->', line) && line - comment < LONG_COMMENT
  return isOpen ? body.lastIndexOf('\n', comment) + 1 : line
}
