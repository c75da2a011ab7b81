import type { Reader } from '../../db/reader.ts'
import type { Phrase } from '../../search/words.ts'
import { indexedText } from '../../search/words.ts'
import type { SearchScope } from './find.ts'

/*
 * The notes of a small workspace are searched without search tables: their texts are split into words as FTS5 does, and
 * compared with each phrase. What is found, and its order, is what the tables would give (`find.ts`).
 */

interface StoredNote {
  readonly pk: number
  readonly id: string
  readonly title: string
  readonly content: string
  /** The ids of its tags, as a JSON array. */
  readonly tags: string
}

/** A note with its texts as rows of words: each word between two single spaces. */
interface WordNote {
  readonly pk: number
  readonly id: string
  readonly title: string
  readonly body: string
  readonly tags: readonly number[]
}

/** A phrase as a row of words, and the tags whose names contain it. */
interface Wanted {
  readonly words: string
  readonly tags: ReadonlySet<number>
  readonly isExcluded: boolean
  readonly titlesOnly: boolean
}

/** What FTS5 takes for a space in a text that is folded. */
const BETWEEN_WORDS = /[\0-/:-`{-\x7f]+/g

/** A text as it is indexed, as a row of words: with one space before, between and after them, or alone if there are none. */
function rowOf(indexed: string): string {
  const words = indexed.toLowerCase().replace(BETWEEN_WORDS, ' ')
  if (words === '') return ' '
  return `${words.startsWith(' ') ? '' : ' '}${words}${words.endsWith(' ') ? '' : ' '}`
}

const wordRow = (text: string): string => rowOf(indexedText(text))

function phraseRow({ terms, isPrefix }: Phrase): string {
  const row = rowOf(terms.join(' '))
  return isPrefix ? row.slice(0, -1) : row
}

function countIn(row: string, words: string): number {
  let count = 0
  for (let at = row.indexOf(words); at !== -1; at = row.indexOf(words, at + 1)) count += 1
  return count
}

const lengthOf = (row: string): number => countIn(row, ' ') - 1

function* activeNotes({ sql }: Reader, workspace: number): Generator<WordNote> {
  const notes = sql.each<StoredNote>(
    `SELECT pk, id, title, (SELECT content FROM note_bodies b WHERE b.note = pk) AS content,
       (SELECT json_group_array(nt.tag) FROM note_tags nt WHERE nt.note = pk) AS tags
     FROM notes WHERE ${sql.stopCondition('pk').text} AND workspace = ? AND deleted_at IS NULL`,
    workspace,
  )
  for (const { pk, id, title, content, tags } of notes)
    yield { pk, id, title: wordRow(title), body: wordRow(content), tags: JSON.parse(tags) }
}

function wantedOf({ sql }: Reader, workspace: number, phrases: readonly Phrase[]): Wanted[] {
  const names = sql
    .all<{ id: number; name: string }>('SELECT id, name FROM tags WHERE workspace = ?', workspace)
    .map(({ id, name }) => ({ id, row: wordRow(name) }))
  return phrases.map((phrase) => {
    const words = phraseRow(phrase)
    const named = names.filter(({ row }) => row.includes(words))
    const { isExcluded, titlesOnly } = phrase
    return { words, tags: new Set(named.map(({ id }) => id)), isExcluded, titlesOnly }
  })
}

const inText = ({ words, titlesOnly }: Wanted, { title, body }: WordNote): boolean =>
  title.includes(words) || (!titlesOnly && body.includes(words))

const isTagged = (wanted: Wanted, { tags }: WordNote): boolean => tags.some((tag) => wanted.tags.has(tag))

const matches = (wanted: Wanted, note: WordNote): boolean => inText(wanted, note) || isTagged(wanted, note)

function isInScope({ tag, among }: SearchScope): (note: WordNote) => boolean {
  const pks = among === undefined ? undefined : new Set<number>(JSON.parse(among))
  return ({ pk, tags }) => (tag === undefined || tags.includes(tag)) && (pks === undefined || pks.has(pk))
}

/** The notes of a small workspace that a search finds. */
export class ScannedNotes {
  readonly #notes: readonly WordNote[]
  readonly #wanted: readonly Wanted[]
  readonly #found: readonly WordNote[]

  constructor(reader: Reader, scope: SearchScope, phrases: readonly Phrase[]) {
    const wanted = wantedOf(reader, scope.workspace, phrases)
    const inScope = isInScope(scope)
    this.#notes = [...activeNotes(reader, scope.workspace)]
    this.#wanted = wanted.filter(({ isExcluded }) => !isExcluded)
    this.#found = this.#notes.filter(
      (note) => inScope(note) && wanted.every((each) => matches(each, note) !== each.isExcluded),
    )
  }

  /** In no order. */
  get pks(): number[] {
    return this.#found.map(({ pk }) => pk)
  }

  /** By rank, equal ones by id. */
  get ranked(): number[] {
    if (this.#found.length < 2) return this.pks
    const scoreOf = this.#scorer()
    const scored = this.#found.map((note) => ({ note, score: scoreOf(note) }))
    scored.sort((one, other) => one.score - other.score || (one.note.id < other.note.id ? -1 : 1))
    return scored.map(({ note }) => note.pk)
  }

  /** Returns a function that computes the score of a note; the lowest is the best. */
  #scorer(): (note: WordNote) => number {
    const inTitles = this.#wanted.every(({ titlesOnly }) => titlesOnly)
    const ranking = this.#wanted.filter(({ titlesOnly }) => titlesOnly === inTitles)
    const sizeOf = ({ title, body, tags }: WordNote) =>
      lengthOf(title) + (inTitles ? 0 : lengthOf(body)) + tags.length
    const notes = this.#notes.length
    const averageSize = this.#notes.reduce((sum, note) => sum + sizeOf(note), 0) / notes
    const terms = ranking.map((wanted) => {
      const found = this.#notes.reduce((sum, note) => sum + Number(inText(wanted, note)), 0)
      const idf = Math.log((notes - found + 0.5) / (found + 0.5))
      return { wanted, idf: idf <= 0 ? MIN_IDF : idf, tagShare: tagShareOf(notes, found) }
    })
    return (note) => {
      const relativeSize = sizeOf(note) / averageSize
      let score = 0
      for (const { wanted, idf } of terms) {
        const inBody = inTitles ? 0 : WEIGHTS.body * countIn(note.body, wanted.words)
        const frequency = WEIGHTS.title * countIn(note.title, wanted.words) + inBody
        score += idf * wordShareOf(frequency, relativeSize)
      }
      score = -score
      for (const { wanted, tagShare } of terms) if (isTagged(wanted, note)) score -= tagShare
      return score
    }
  }
}

/*
 * BM25 as FTS5 computes it, and what tags add to it. The search tables compute scores in SQL; here is what they cannot
 * compute, and the same for notes that are searched without tables.
 */

/**
 * The weights of the parts of a note: so far apart that a title precedes a tag, and a tag a body, however often the body
 * holds the word, and however long the notes are below 100,000 times the average.
 */
export const WEIGHTS = { title: 10_000_000_000, tags: 100_000, body: 1 }

const K1 = 1.2
const B = 0.75
const MIN_IDF = 1e-6

/**
 * What a word that occurs with this weighted frequency adds to the score of a note, by the size of the note relative to the
 * average; its idf multiplies it.
 */
const wordShareOf = (frequency: number, relativeSize: number): number =>
  (frequency * (K1 + 1)) / (frequency + K1 * (1 - B + B * relativeSize))

/**
 * What a tag that contains the term adds to a score: BM25 of a tag column in a note of average length, with the idf of
 * the term's own words, which occur in `found` of all `notes`. FTS5 cannot compute it: the opaque terms of tags are words
 * of their own to it, and a rare tag would outrank a title.
 */
export function tagShareOf(notes: number, found: number): number {
  const idf = Math.max(MIN_IDF, Math.log((notes - found + 0.5) / (found + 0.5)))
  return (idf * WEIGHTS.tags * (K1 + 1)) / (WEIGHTS.tags + K1)
}
