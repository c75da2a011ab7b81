import type { Phrase } from '../../lib/words.ts'
import { isMatch } from '../../search/highlighter.ts'
import type { Reader } from '../../storage/reader.ts'
import { aliasesOf, type NoteSummary } from '../store.ts'
import type { SearchScope } from './matches.ts'

/*
 * A search indexes the marked notes first (`refreshSearch`), but other notes may be written before it begins to read.
 * Such notes are compared with the phrases individually. A search thus sees every note in the state that it reads.
 */

export interface Unindexed {
  /** The pks of all notes with outdated entries. */
  readonly pks: readonly number[]
  /** The pks of the matching ones, newest edit first. */
  readonly found: readonly number[]
}

interface Texts extends Pick<NoteSummary, 'alias' | 'aliases'> {
  readonly pk: number
  readonly title: string
  readonly content: string
  /** Ids and names, as JSON. */
  readonly tags: string
}

const NONE: Unindexed = { pks: [], found: [] }

/** The notes in the workspace that are not up to date in the search tables. */
export function findUnindexed(reader: Reader, scope: SearchScope, phrases: readonly Phrase[]): Unindexed {
  const pks = reader.sql.column<number>(
    'SELECT note FROM search_pending WHERE workspace = ? AND can_wait = 0',
    scope.workspace,
  )
  if (pks.length === 0) return NONE
  const isWanted = matcher(scope, phrases)
  return {
    pks,
    found: textsOf(reader, pks)
      .filter(isWanted)
      .map(({ pk }) => pk),
  }
}

const textsOf = ({ sql }: Reader, pks: readonly number[]): Texts[] =>
  sql.all<Texts>(
    `SELECT pk, title, alias, aliases, coalesce((SELECT content FROM note_bodies b WHERE b.note = pk), '') AS content,
       (SELECT json_group_array(json_array(t.id, t.name)) FROM note_tags nt JOIN tags t ON t.id = nt.tag
        WHERE nt.note = pk) AS tags
     FROM notes WHERE pk IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL
     ORDER BY updated_at DESC, id DESC`,
    JSON.stringify(pks),
  )

function matcher({ tag, among }: SearchScope, phrases: readonly Phrase[]): (texts: Texts) => boolean {
  const allowed = among === undefined ? undefined : new Set<number>(JSON.parse(among))
  return ({ pk, title, alias, aliases, content, tags }) => {
    const carried: [id: number, name: string][] = JSON.parse(tags)
    if (allowed?.has(pk) === false) return false
    if (tag !== undefined && !carried.some(([id]) => id === tag)) return false
    const names = [title, ...aliasesOf({ alias, aliases }), ...carried.map(([, name]) => name)]
    return phrases.every(({ isExcluded, ...phrase }) => {
      const texts = [...names, ...(phrase.titlesOnly ? [] : [content])]
      return texts.some((text) => isMatch(text, [{ ...phrase, isExcluded: false }])) !== isExcluded
    })
  }
}
