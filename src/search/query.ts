import { codePointLength } from '../lib/text.ts'
import { type Word, wordsOf } from './tokenizer.ts'

/** One condition of a search: these terms, one right after another. */
export interface Phrase {
  readonly terms: readonly string[]
  /** The last term may go on: `word*`, or a lone character of a script without spaces. */
  readonly isPrefix: boolean
  /** `-word`: notes that hold it are left out. */
  readonly isExcluded: boolean
  /** A prefix of one or two characters looks in titles and tags only. */
  readonly headsOnly: boolean
}

const SHORTEST_BODY_PREFIX = 3

interface Chunk {
  text: string
  isQuoted: boolean
  isExcluded: boolean
}

const CHUNK = /(-?)(?:"([^"]*)"|(\S+))/gu

/** Cuts the text at white space; a quoted passage stays whole. A minus counts only before something. */
function* chunksOf(search: string): Generator<Chunk> {
  for (const [, minus, quoted, plain] of search.matchAll(CHUNK)) {
    yield { text: quoted ?? plain ?? '', isQuoted: quoted !== undefined, isExcluded: minus === '-' }
  }
}

/** A run's last character stands alone in the index; as the end of a phrase it would forbid the run to go on. */
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
  const isLoneCharacter = last.isUnspaced && codePointLength(last.term) === 1
  const isStarred = !isQuoted && !last.isUnspaced && text.slice(last.end) === '*'
  const isShort = words.length === 1 && codePointLength(last.term) < SHORTEST_BODY_PREFIX
  return {
    terms: words.map(({ term }) => term),
    isPrefix: isStarred || isLoneCharacter,
    isExcluded,
    headsOnly: isStarred && isShort,
  }
}

/** What is said twice is looked for once: each time costs as much as the first. */
function withoutRepeats(phrases: readonly Phrase[]): Phrase[] {
  const different = new Map(phrases.map((phrase) => [`${phrase.isExcluded} ${matchPhrase(phrase)}`, phrase]))
  return [...different.values()]
}

/**
 * Reads a search: words are ANDed, `"a phrase"` keeps order, `word*` is a prefix, `-word` excludes; anything
 * else is literal, so that no text is an error (contract, section 4). Empty when nothing can be found by it.
 */
export function parseSearch(search: string): Phrase[] {
  const said = [...chunksOf(search)].map(phraseOf).filter((phrase) => phrase !== undefined)
  const phrases = withoutRepeats(said)
  return phrases.some(({ isExcluded }) => !isExcluded) ? phrases : []
}

/** A phrase in the language of FTS5, every term quoted. */
export const matchPhrase = ({ terms, isPrefix }: Phrase): string =>
  `"${terms.join(' ').replaceAll('"', '""')}"${isPrefix ? ' *' : ''}`

/** Everything that is wanted, at least one, and nothing that is excluded; all of them in the language of FTS5. */
export function matchAll(wanted: readonly string[], excluded: readonly string[]): string {
  const all = wanted.join(' AND ')
  return excluded.length === 0 ? all : `(${all}) NOT (${excluded.join(' OR ')})`
}
