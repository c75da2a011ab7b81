import { memoize, memoizeByCodePoint } from './bounded-cache.ts'
import { codePointLength, isAscii, normalized } from './text.ts'

/* Splitting texts into words. */

const SEPARATOR = 0
/** A character of a script that puts spaces between words. */
const LETTER = 1
/** A character of a script without spaces: every two adjacent characters are a term. */
export const UNSPACED = 2
type CharacterClass = typeof SEPARATOR | typeof LETTER | typeof UNSPACED

/** The soft hyphen is part of a word: it only marks a possible line break. */
const IN_WORDS = /^[\p{L}\p{N}\p{M}\u00ad]$/u
/** Korean has spaces, but particles follow its words without one. */
const OF_UNSPACED_SCRIPT =
  /^[\p{Script=Hangul}\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u

function classify(character: string): CharacterClass {
  if (!IN_WORDS.test(character)) return SEPARATOR
  return OF_UNSPACED_SCRIPT.test(character) ? UNSPACED : LETTER
}

/** The class of a code point. */
export const classOf = memoizeByCodePoint(classify)

/** Receives a searchable term and its range in the text; returns true to stop. */
type WordVisitor = (term: string, start: number, end: number, isUnspaced: boolean) => boolean

/** One searchable term of a text. */
export interface Word {
  /** The folded term. In a script without spaces: two adjacent characters, or the last one of a run. */
  readonly term: string
  readonly start: number
  readonly end: number
  /** Whether its script puts no spaces between words. */
  readonly isUnspaced: boolean
}

/**
 * Soft hyphens, and combining marks that only modify a letter; marks of scripts such as Thai and Hindi are part of
 * the word.
 */
const IGNORED =
  /[\u00ad[\p{Mn}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Cyrillic}\p{Script=Greek}]]]/gv

/** A word without differences of case, width, ligatures, soft hyphens and diacritics; empty if nothing remains. */
const foldWord = (word: string): string =>
  isAscii(word) ? word.toLowerCase() : word.length > LONG_WORD ? foldedWord(word) : commonWord(word)

/** Longer words rarely occur twice, so they are not cached. */
const LONG_WORD = 32

const MAX_FOLDED_WORDS = 20_000
const commonWord = memoize(foldedWord, MAX_FOLDED_WORDS)

/** Letters that NFKD does not decompose. */
const BASE_LETTERS: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  œ: 'oe',
  æ: 'ae',
  ß: 'ss',
  ς: 'σ',
}

function foldedWord(word: string): string {
  const letters = normalized(word, 'NFKD').toLowerCase().replace(IGNORED, '')
  const folded = letters.replace(/[łøđœæßς]/g, (letter) => BASE_LETTERS[letter] ?? letter)
  return normalized(folded, 'NFC').trim()
}

/*
 * Signs. A symbol or an emoji sequence is a term too, and so are names of languages with signs. Terms of symbols are
 * beside the words of a text, so that the words around a symbol stay neighbours. ASCII signs, which FTS5 would skip,
 * are written as private characters, which no text has in its words.
 */

/** Signs of Markdown alone are no terms. */
const SYMBOL = /(?![0-9#*+=\|~^`])(?:\p{RGI_Emoji}|\p{S})[\u{1f3fb}-\u{1f3ff}\ufe0e\ufe0f]*/gv
/** Variants of an emoji are one term. */
const VARIANT = /[\u{1f3fb}-\u{1f3ff}\ufe0e\ufe0f]/gu
const SIGNS: Readonly<Record<string, string>> = {
  '+': '\ue002',
  '#': '\ue003',
  '.': '\ue004',
  $: '\ue005',
  '<': '\ue006',
  '>': '\ue007',
}

const HAS_WORD_WITH_SIGNS = /(?<![a-z0-9])(?:c\+\+|[cf]#|\.net)/i
const HAS_SYMBOL = /[\p{S}\p{Extended_Pictographic}]/u

/** Whether FTS5, or a regular expression over ASCII words, finds the words of a text. */
export const hasPlainWords = (text: string): boolean => isAscii(text) && !HAS_WORD_WITH_SIGNS.test(text)

const termOfSymbol = (symbol: string): string => SIGNS[symbol] ?? (symbol.replace(VARIANT, '') || symbol)

/** The symbols and emoji of a text, in order. */
export function* symbolsIn(text: string): Generator<{ term: string; start: number; end: number }> {
  if (!HAS_SYMBOL.test(text)) return
  for (const { 0: symbol, index } of text.matchAll(SYMBOL))
    yield { term: termOfSymbol(symbol), start: index, end: index + symbol.length }
}

const isInWord = (text: string, at: number): boolean =>
  at >= 0 && at < text.length && classOf(text.codePointAt(at) ?? 0) !== SEPARATOR

/** `C++`, `C#`, `F#` or `.NET` at the run of letters from `start` to `end`; undefined for any other word. */
function wordWithSigns(text: string, start: number, end: number): Word | undefined {
  const word = (term: string, from: number, to: number) => ({ term, start: from, end: to, isUnspaced: false })
  if (end - start === 1) {
    const letter = (text[start] ?? '').toLowerCase()
    if (letter === 'c' && text.startsWith('++', end) && text[end + 2] !== '+')
      return word(`c${SIGNS['+']}${SIGNS['+']}`, start, end + 2)
    const isSharp = (letter === 'c' || letter === 'f') && text[end] === '#' && text[end + 1] !== '#'
    if (isSharp && !isInWord(text, end + 1)) return word(`${letter}${SIGNS['#']}`, start, end + 1)
  }
  const isNet = end - start === 3 && text[start - 1] === '.' && text.slice(start, end).toLowerCase() === 'net'
  return isNet && !isInWord(text, start - 2) && text[start - 2] !== '.'
    ? word(`${SIGNS['.']}net`, start - 1, end)
    : undefined
}

const widthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

/**
 * Visits every two adjacent characters of a run, and its last character alone, so that single characters can be found
 * too.
 */
function visitNeighbours(text: string, start: number, end: number, visit: WordVisitor): boolean {
  let at = start
  while (at < end) {
    const next = at + widthAt(text, at)
    const after = next < end ? next + widthAt(text, next) : next
    if (visit(text.slice(at, after), at, after, true)) return true
    at = next
  }
  return false
}

/**
 * Visits a run in composed form (NFC). Where composing changes it, every term is reported with the range of the whole
 * run.
 */
function visitRun(text: string, start: number, end: number, visit: WordVisitor): boolean {
  const run = text.slice(start, end)
  const composed = normalized(run, 'NFC')
  if (composed === run) return visitNeighbours(text, start, end, visit)
  return visitNeighbours(composed, 0, composed.length, (term) => visit(term, start, end, true))
}

/** The end of the run of one class of characters that begins at `start`. */
function endOfRun(text: string, start: number, wanted: number): number {
  let at = start
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    const codePoint = unit >= 0xd800 && unit <= 0xdbff ? (text.codePointAt(at) ?? 0) : unit
    if (classOf(codePoint) !== wanted) break
    at += codePoint > 0xffff ? 2 : 1
  }
  return at
}

/** Visits every term of a text in order; indexing, queries and snippets all split texts with this. */
export function visitWords(text: string, visit: WordVisitor): void {
  let at = 0
  while (at < text.length) {
    const found = classOf(text.codePointAt(at) ?? 0)
    const end = endOfRun(text, at, found)
    if (found === UNSPACED && visitRun(text, at, end, visit)) return
    if (found !== LETTER) {
      at = end
      continue
    }
    const signed = end - at === 1 || end - at === 3 ? wordWithSigns(text, at, end) : undefined
    const term = signed?.term ?? foldWord(text.slice(at, end))
    if (term !== '' && visit(term, signed?.start ?? at, signed?.end ?? end, false)) return
    at = signed?.end ?? end
  }
}

/** Every term of a text in order. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  visitWords(text, (term, start, end, isUnspaced) => {
    words.push({ term, start, end, isUnspaced })
    return false
  })
  return words
}

/**
 * A text as it is inserted into a search table. Plain ASCII stays as it is: FTS5 splits it exactly as this tokenizer
 * would. Symbols follow the words, each once.
 */
export function indexedText(text: string): string {
  const words = hasPlainWords(text) ? text : termsOf(text)
  const symbols = isAscii(text)
    ? asciiSymbols(text)
    : new Set(Array.from(symbolsIn(text), ({ term }) => term))
  return symbols.size === 0 ? words : `${words} ${[...symbols].join(' ')}`
}

/** Visits only the words with other characters than ASCII, because visiting all takes five times as long. */
function termsOf(text: string): string {
  if (HAS_WORD_WITH_SIGNS.test(text)) return visitedTerms(text)
  const next = /\P{ASCII}/gu
  let terms = ''
  let at = 0
  for (let found = next.exec(text); found; found = next.exec(text)) {
    let start = found.index
    while (start > at && isWordUnit(text.charCodeAt(start - 1))) start -= 1
    let end = found.index + 1
    while (end < text.length && isWordUnit(text.charCodeAt(end))) end += 1
    terms += `${text.slice(at, start)} ${visitedTerms(text.slice(start, end))}`
    at = end
    next.lastIndex = end
  }
  return terms + text.slice(at)
}

/** Whether a UTF-16 unit is an ASCII letter or digit, or not ASCII. */
const isWordUnit = (unit: number): boolean =>
  unit > 0x7f ||
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x30 && unit <= 0x39)

function visitedTerms(text: string): string {
  let terms = ''
  visitWords(text, (term) => {
    terms += `${term} `
    return false
  })
  return terms
}

const asciiSymbols = (text: string): Set<string> =>
  new Set(['$', '<', '>'].filter((symbol) => text.includes(symbol)).map(termOfSymbol))

/* Parsing searches into phrases. */

/** One condition of a search: consecutive terms. */
export interface Phrase {
  readonly terms: readonly string[]
  /** Whether the last term is a prefix: `word*`, or a single character of a script without spaces. */
  readonly isPrefix: boolean
  /** `-word`: texts that contain it do not match. */
  readonly isExcluded: boolean
  /** Prefixes of one or two characters search only titles and tags. */
  readonly titlesOnly: boolean
  /** Whether its only term is a symbol. */
  readonly isSymbol?: true
}

const SHORTEST_BODY_PREFIX = 3

interface Chunk {
  text: string
  isQuoted: boolean
  isExcluded: boolean
}

const CHUNK = /(-?)(?:"([^"]*)"|(\S+))/gu

/** Splits the text at white space; quoted text stays together. A minus sign excludes only if something follows it. */
function* chunksOf(search: string): Generator<Chunk> {
  for (const [, minus, quoted, plain] of search.matchAll(CHUNK)) {
    yield { text: quoted ?? plain ?? '', isQuoted: quoted !== undefined, isExcluded: minus === '-' }
  }
}

/** Drops the single last character of a run: at the end of a phrase it would match only where the run ends too. */
function withoutOpenEnd(words: readonly Word[]): readonly Word[] {
  const last = words.at(-1)
  const before = words.at(-2)
  const continues = last?.isUnspaced === true && before?.isUnspaced === true && before.end === last.end
  return continues ? words.slice(0, -1) : words
}

function phraseOf({ text, isQuoted, isExcluded }: Chunk, arePrefixes: boolean): Phrase | undefined {
  const words = withoutOpenEnd(wordsOf(text))
  const last = words.at(-1)
  if (!last) return undefined
  const isSingleCharacter = last.isUnspaced && codePointLength(last.term) === 1
  const isStarred = !isQuoted && !last.isUnspaced && (arePrefixes || text.slice(last.end) === '*')
  const isShort = words.length === 1 && codePointLength(last.term) < SHORTEST_BODY_PREFIX
  return {
    terms: words.map(({ term }) => term),
    isPrefix: isStarred || isSingleCharacter,
    isExcluded,
    titlesOnly: isStarred && isShort,
  }
}

/** The symbols of a chunk; an excluded chunk with a word excludes the word alone. */
function symbolPhrases({ text, isExcluded }: Chunk, words: Phrase | undefined): Phrase[] {
  if (words && isExcluded) return []
  return Array.from(symbolsIn(text), ({ term }) => ({
    terms: [term],
    isPrefix: false,
    isExcluded,
    titlesOnly: false,
    isSymbol: true,
  }))
}

function phrasesOf(chunk: Chunk, arePrefixes: boolean): Phrase[] {
  const words = phraseOf(chunk, arePrefixes && !chunk.isExcluded)
  return [...(words ? [words] : []), ...symbolPhrases(chunk, words)]
}

/** Removes duplicates: FTS5 would evaluate a repeated phrase again at full cost. */
function withoutRepeats(phrases: readonly Phrase[]): Phrase[] {
  const different = new Map(phrases.map((phrase) => [`${phrase.isExcluded} ${matchPhrase(phrase)}`, phrase]))
  return [...different.values()]
}

/**
 * Parses a search: words are ANDed, `"a phrase"` keeps order, `word*` is a prefix, `-word` excludes; anything
 * else is literal, so that no text is an error. Empty when the search cannot match anything. With `arePrefixes`, every
 * wanted word outside quotes is a prefix.
 */
export function parseSearch(search: string, arePrefixes = false): Phrase[] {
  const all = [...chunksOf(search)].flatMap((chunk) => phrasesOf(chunk, arePrefixes))
  const phrases = withoutRepeats(all)
  return phrases.some(({ isExcluded }) => !isExcluded) ? phrases : []
}

/** Whether a search is for one whole word. For anything else, FTS5 reads texts that do not match. */
export function isOneWord(phrases: readonly Phrase[]): boolean {
  const [only, ...more] = phrases
  return more.length === 0 && only?.terms.length === 1 && !only.isPrefix
}

/** The FTS5 query for a phrase, every term quoted. */
export const matchPhrase = ({ terms, isPrefix }: Phrase): string =>
  `"${terms.join(' ').replaceAll('"', '""')}"${isPrefix ? ' *' : ''}`

/**
 * The FTS5 query for texts that match all of `wanted` (at least one) and none of `excluded`, both given as FTS5
 * queries.
 */
export function matchAll(wanted: readonly string[], excluded: readonly string[]): string {
  const all = wanted.join(' AND ')
  return excluded.length === 0 ? all : `(${all}) NOT (${excluded.join(' OR ')})`
}
