import { type Aliased, aliasesOf } from '../lib/aliases.ts'

/*
 * Finds and ranks notes by a typed text: for the server, and for the application in the offline copy. Titles and aliases
 * rank before texts. If no note has all words, notes with a similar title or some of the words are found.
 */

interface NamedNote extends Aliased {
  readonly id: string
  readonly title: string
}

type NameFilter =
  | {
      readonly type: 'field'
      readonly field: 'title' | 'alias'
      readonly op: 'eq' | 'starts_with' | 'contains'
      readonly value: string
    }
  | { readonly type: 'group'; readonly match: 'all' | 'any'; readonly children: NameFilter[] }

/** Reads of notes, each newest edit first or best first. */
export interface NoteReads<Note> {
  lastEdited(limit: number): readonly Note[]
  named(filter: NameFilter, limit: number): readonly Note[]
  /** With snippets; `match` as in a search of the API. */
  withWords(search: string, limit: number, match: 'all' | 'any'): readonly Note[]
}

/** How a note matches, best first; `recent` without a text. */
export const NOTE_MATCHES = ['recent', 'title', 'text', 'similar_title', 'some_words'] as const
type NoteMatch = (typeof NOTE_MATCHES)[number]

export interface FoundNote<Note> {
  readonly note: Note
  readonly match: NoteMatch
  /** The first alias that matches. */
  readonly matchedAlias: string | undefined
}

/** The number of matching titles that are ranked before the hits in texts. */
const MAX_NAMED = 50
const MAX_WORDS = 10

const folded = (text: string) => text.normalize('NFC').toLowerCase()

const wordsOf = (text: string): string[] => folded(text).split(/\s+/).filter(Boolean)

/**
 * Matches every word as a prefix, and quotes operators of the search language as text. Prefixes of one or two letters
 * are found in titles and tags only, so that short words are whole, except for the last, which is being typed.
 */
export function asPrefixes(text: string): string {
  const words = text.replace(/["*-]/g, ' ').trim().split(/\s+/)
  const isPrefix = (word: string, index: number) =>
    /[\p{L}\p{N}]$/u.test(word) && (word.length > 2 || index === words.length - 1)
  return words.map((word, index) => (isPrefix(word, index) ? `${word}*` : word)).join(' ')
}

/** Notes that match a text, best first; without a text, the last edited. */
export function findNotes<Note extends NamedNote>(
  reads: NoteReads<Note>,
  text: string,
  limit: number,
): FoundNote<Note>[] {
  if (text === '')
    return reads.lastEdited(limit).map((note) => ({ note, match: 'recent', matchedAlias: undefined }))
  const search = asPrefixes(text)
  const hits = search === '' ? [] : reads.withWords(search, limit, 'all')
  // Hits come last, so that their snippets are kept.
  const found = bestOf([...findNamed(reads, text, limit), ...hits], text).slice(0, limit)
  if (found.length === 0) return findSimilar(reads, text, search, limit)
  return found.map((note) => ({
    note,
    match: rankOf(note, text) < NOT_NAMED ? 'title' : 'text',
    matchedAlias: aliasesOf(note).find((alias) => rankOfName(alias, text) < NOT_NAMED),
  }))
}

/** Notes whose title or alias matches a text or its words. */
function findNamed<Note>(reads: NoteReads<Note>, text: string, limit: number): Note[] {
  const most = Math.max(limit, MAX_NAMED)
  const words = wordsOf(text).slice(0, MAX_WORDS)
  return [
    ...reads.named(nameIs('title', 'eq', text), 1),
    ...reads.named(nameIs('alias', 'starts_with', text), most),
    ...reads.named(nameIs('title', 'starts_with', text), most),
    ...reads.named(all(words.map((word) => nameIs('title', 'contains', word))), most),
  ]
}

const nameIs = (
  field: 'title' | 'alias',
  op: 'eq' | 'starts_with' | 'contains',
  value: string,
): NameFilter => ({ type: 'field', field, op, value })

const all = (children: NameFilter[]): NameFilter => ({ type: 'group', match: 'all', children })

const NOT_NAMED = 3

/** The rank of a name: equal, a prefix, all words, or no match. */
function rankOfName(name: string, text: string): number {
  const [candidate, wanted] = [folded(name), folded(text)]
  if (candidate === wanted) return 0
  if (candidate.startsWith(wanted)) return 1
  return wordsOf(text).every((word) => candidate.includes(word)) ? 2 : NOT_NAMED
}

/** The rank of a note by its title or an alias; `NOT_NAMED` if only its text matches. */
const rankOf = (note: NamedNote, text: string): number =>
  Math.min(...[note.title, ...aliasesOf(note)].map((name) => rankOfName(name, text)))

/** Removes duplicates and sorts by rank; notes of equal rank keep their order. */
const bestOf = <Note extends NamedNote>(found: readonly Note[], text: string): Note[] =>
  [...new Map(found.map((note) => [note.id, note])).values()]
    .map((note) => ({ note, rank: rankOf(note, text) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ note }) => note)

/* Notes for a text of which no note has every word. */

const MAX_CANDIDATES = 200
const MAX_SIMILAR_WORDS = 6

/** Typing errors allowed in a word. */
const errorsIn = (word: string): number => (word.length >= 8 ? 2 : word.length >= 5 ? 1 : 0)

/**
 * Whether at most `most` changed, missing or additional letters turn a text into the beginning of a word. Beginnings are
 * compared only if their lengths differ by at most `most`: comparing all of them takes seconds for long words.
 */
function isAlmostStart(typed: string, word: string, most: number): boolean {
  const lengthAt = (at: number, column: number) => at + column - most
  const isLength = (length: number) => length >= 0 && length <= word.length
  const columns = Array.from({ length: 2 * most + 1 }, (_, column) => column)
  // The errors between the typed letters so far and the beginnings of the word, by the lengths of these.
  let row = columns.map((column) => (isLength(lengthAt(0, column)) ? lengthAt(0, column) : Infinity))
  for (let at = 1; at <= typed.length; at++) {
    const next: number[] = []
    for (const column of columns) {
      const length = lengthAt(at, column)
      const changed = (row[column] ?? Infinity) + (typed[at - 1] === word[length - 1] ? 0 : 1)
      const additional = (row[column + 1] ?? Infinity) + 1
      const missing = (next[column - 1] ?? Infinity) + 1
      next.push(isLength(length) ? Math.min(changed, additional, missing) : Infinity)
    }
    if (Math.min(...next) > most) return false
    row = next
  }
  return true
}

function isAlmostNamed(name: string, words: readonly string[]): boolean {
  const known = wordsOf(name)
  return words.every((word) => known.some((other) => isAlmostStart(word, other, errorsIn(word))))
}

/** Of n + 1 pieces of a word with n errors one is intact. Two of its letters can have changed places: two errors. */
function withAnyPiece(word: string): NameFilter {
  const count = errorsIn(word) + 1
  const size = Math.ceil(word.length / count)
  const pieces = Array.from({ length: count }, (_, index) => word.slice(index * size, (index + 1) * size))
  const children = pieces.filter((piece) => piece !== '').map((piece) => nameIs('title', 'contains', piece))
  return { type: 'group', match: 'any', children }
}

function findSimilar<Note extends NamedNote>(
  reads: NoteReads<Note>,
  text: string,
  search: string,
  limit: number,
): FoundNote<Note>[] {
  const words = wordsOf(text).slice(0, MAX_SIMILAR_WORDS)
  const candidates = words.every((word) => errorsIn(word) === 0)
    ? []
    : reads.named(all(words.map(withAnyPiece)), MAX_CANDIDATES)
  const titles = candidates
    .filter((note) => [note.title, ...aliasesOf(note)].some((name) => isAlmostNamed(name, words)))
    .slice(0, limit)
  const known = new Set(titles.map(({ id }) => id))
  const texts = search === '' || words.length === 1 ? [] : reads.withWords(search, limit, 'any')
  const found = (note: Note, match: NoteMatch): FoundNote<Note> => ({ note, match, matchedAlias: undefined })
  return [
    ...titles.map((note) => found(note, 'similar_title')),
    ...texts.filter(({ id }) => !known.has(id)).map((note) => found(note, 'some_words')),
  ]
}
