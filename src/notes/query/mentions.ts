import type { Static } from '@sinclair/typebox'
import { read } from '../../kernel/operation.ts'
import { pageRequest, presentPage } from '../../lib/pagination.ts'
import { normalized } from '../../lib/text.ts'
import { bracketedIn, linesOutsideCode } from '../../lib/wiki-links.ts'
import { parseSearch } from '../../lib/words.ts'
import { type Hit, snippetAround } from '../../search/highlighter.ts'
import type { Reader } from '../../storage/reader.ts'
import type { MentionsQuery } from '../schema.ts'
import { aliasesOf, contentOf, getNoteSummary } from '../store.ts'
import { findMatches } from './search.ts'

/*
 * Finds notes whose text names a note without linking to it. The search finds candidate texts, and each is then read. A
 * name counts as whole words outside links and code, if it could be turned into a link.
 */

/** One page of the mentions of a note, newest edit first; call `refreshSearch` first. */
export const listMentions = read({
  name: 'notes.mentions',
  covers: 'notes',
  run: (reader, caller, { id, ...query }: { id: string } & Static<typeof MentionsQuery>) => {
    const page = pageRequest(query)
    const note = getNoteSummary(reader, caller, id)
    const names = [note.title, ...aliasesOf(note)]
    const mentions: object[] = []
    let total = 0
    for (const { pk, ...head } of candidates(reader, caller.workspacePk, names)) {
      const snippet = pk === note.pk ? undefined : mentionIn(reader, pk, names)
      if (snippet === undefined) continue
      if (total >= page.offset && mentions.length < page.limit) mentions.push({ ...head, snippet })
      total += 1
    }
    return { mentions, ...presentPage(page, { items: mentions, total }) }
  },
})

/** The notes that contain the words of one of the names next to each other. */
function candidates(reader: Reader, workspace: number, names: readonly string[]) {
  const phrases = names.map((name) => parseSearch(`"${name.replaceAll('"', ' ')}"`))
  const found = new Set(phrases.flatMap((phrase) => findMatches(reader, { workspace }, phrase)))
  return reader.sql.all<{ pk: number; id: string; title: string }>(
    `SELECT pk, id, title FROM notes WHERE pk IN (SELECT value FROM json_each(?))
     ORDER BY updated_at DESC, id DESC`,
    JSON.stringify([...found]),
  )
}

/** Distance after the first mention within which others are marked. */
const REACH = 400

/** The text around the first mention in a note; undefined if there is none. */
function mentionIn(reader: Reader, note: number, names: readonly string[]): string | undefined {
  const content = normalized(contentOf(reader, note), 'NFC')
  const pattern = patternOf(names)
  const hits: Hit[] = []
  for (const { text, start } of linesOutsideCode(content)) {
    if (hits[0] && start > hits[0].start + REACH) break
    for (const { index, 0: name } of withoutLinks(text).matchAll(pattern))
      hits.push({ start: start + index, end: start + index + name.length })
  }
  return hits.length === 0 ? undefined : snippetAround(content, hits)
}

/** A line with its links replaced by characters that no name contains. */
function withoutLinks(line: string): string {
  const parts: string[] = []
  let end = 0
  for (const { text: inner, start } of bracketedIn(line)) {
    parts.push(line.slice(end, start), '\0'.repeat(inner.length))
    end = start + inner.length
  }
  return end === 0 ? line : parts.join('') + line.slice(end)
}

/** In scripts without spaces, a name may be part of a run. */
const UNSPACED =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]'
const IN_WORD = `[[\\p{L}\\p{M}\\p{N}_]--${UNSPACED}]`
const BEGINS_WITH_WORD = new RegExp(`^${IN_WORD}`, 'v')
const ENDS_WITH_WORD = new RegExp(`${IN_WORD}$`, 'v')

/** Finds one of the names, ignoring case, if no word continues on either side of it. */
function patternOf(names: readonly string[]): RegExp {
  const alternatives = names.map((name) => {
    const trimmed = normalized(name, 'NFC').trim()
    const words = trimmed.split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    const before = BEGINS_WITH_WORD.test(trimmed) ? `(?<!${IN_WORD})` : ''
    const after = ENDS_WITH_WORD.test(trimmed) ? `(?!${IN_WORD})` : ''
    return before + words.join('\\s+') + after
  })
  return new RegExp(alternatives.join('|'), 'giv')
}
