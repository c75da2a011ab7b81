import { codePointLength } from '../lib/text.ts'
import { type Word, wordsOf } from './tokenizer.ts'

/** One condition of a search: these terms, each directly after the other. */
export interface Phrase {
  readonly terms: readonly string[]
  /** Whether the last term is a prefix: `word*`, or a single character of a script without spaces. */
  readonly isPrefix: boolean
  /** `-word`: texts that contain it do not match. */
  readonly isExcluded: boolean
  /** A prefix of one or two characters is looked up in titles and tags only. */
  readonly titlesOnly: boolean
}

const SHORTEST_BODY_PREFIX = 3

interface Chunk {
  text: string
  isQuoted: boolean
  isExcluded: boolean
}

const CHUNK = /(-?)(?:"([^"]*)"|(\S+))/gu

/** Splits the text at white space; quoted text stays whole. A minus sign excludes only if something follows it. */
function* chunksOf(search: string): Generator<Chunk> {
  for (const [, minus, quoted, plain] of search.matchAll(CHUNK)) {
    yield { text: quoted ?? plain ?? '', isQuoted: quoted !== undefined, isExcluded: minus === '-' }
  }
}

/** Drops the single last character of a run: as the end of a phrase it would match only where the run ends too. */
function withoutOpenEnd(words: readonly Word[]): readonly Word[] {
  const last = words.at(-1)
  const before = words.at(-2)
  const continues = last?.isUnspaced === true && before?.isUnspaced === true && before.end === last.end
  return continues ? words.slice(0, -1) : words
}

function phraseOf({ text, isQuoted, isExcluded }: Chunk): Phrase | undefined {
  const words = withoutOpenEnd(wordsOf(text))
  const last = words.at(-1)
  if (!last) return undefined
  const isSingleCharacter = last.isUnspaced && codePointLength(last.term) === 1
  const isStarred = !isQuoted && !last.isUnspaced && text.slice(last.end) === '*'
  const isShort = words.length === 1 && codePointLength(last.term) < SHORTEST_BODY_PREFIX
  return {
    terms: words.map(({ term }) => term),
    isPrefix: isStarred || isSingleCharacter,
    isExcluded,
    titlesOnly: isStarred && isShort,
  }
}

/** Each phrase once: FTS5 would evaluate a repeated one again at full cost. */
function withoutRepeats(phrases: readonly Phrase[]): Phrase[] {
  const different = new Map(phrases.map((phrase) => [`${phrase.isExcluded} ${matchPhrase(phrase)}`, phrase]))
  return [...different.values()]
}

/**
 * Parses a search: words are ANDed, `"a phrase"` keeps order, `word*` is a prefix, `-word` excludes; anything
 * else is literal, so that no text is an error. Empty when the search cannot match anything.
 */
export function parseSearch(search: string): Phrase[] {
  const all = [...chunksOf(search)].map(phraseOf).filter((phrase) => phrase !== undefined)
  const phrases = withoutRepeats(all)
  return phrases.some(({ isExcluded }) => !isExcluded) ? phrases : []
}

/** Whether a search is for one whole word: for anything else, FTS5 goes through texts that do not match. */
export function isOneWord(phrases: readonly Phrase[]): boolean {
  const [only, ...more] = phrases
  return more.length === 0 && only?.terms.length === 1 && !only.isPrefix
}

/** The FTS5 query for a phrase, every term quoted. */
export const matchPhrase = ({ terms, isPrefix }: Phrase): string =>
  `"${terms.join(' ').replaceAll('"', '""')}"${isPrefix ? ' *' : ''}`

/** The FTS5 query for texts that match all of `wanted` (at least one) and none of `excluded`, which are FTS5 queries too. */
export function matchAll(wanted: readonly string[], excluded: readonly string[]): string {
  const all = wanted.join(' AND ')
  return excluded.length === 0 ? all : `(${all}) NOT (${excluded.join(' OR ')})`
}
