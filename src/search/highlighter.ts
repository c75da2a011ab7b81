import { normalized } from '../lib/text.ts'
import type { Phrase } from '../lib/words.ts'
import { classOf, hasPlainWords, symbolsIn, UNSPACED, visitWords, type Word, wordsOf } from '../lib/words.ts'

/** A half-open range of a text in which a phrase occurs. */
export interface Hit {
  start: number
  end: number
}

const PLAIN = /^[a-z0-9]+$/

/** One regular expression for a plain ASCII text, many times faster than comparing word by word. */
function asciiPattern(phrases: readonly Phrase[]): RegExp | undefined {
  const alternatives = phrases
    .filter(({ terms }) => terms.every((term) => PLAIN.test(term)))
    .map(({ terms, isPrefix }) => `${terms.join('[^a-z0-9]+')}${isPrefix ? '[a-z0-9]*' : ''}`)
  if (alternatives.length === 0) return undefined
  return new RegExp(`(?<![a-z0-9])(?:${alternatives.join('|')})(?![a-z0-9])`, 'gi')
}

function patternHits(text: string, pattern: RegExp | undefined, reach: number): Hit[] {
  const hits: Hit[] = []
  if (!pattern) return hits
  for (const { index, 0: whole, 1: ahead } of text.matchAll(pattern)) {
    if (index > (hits[0]?.start ?? index) + reach) break
    hits.push({ start: index, end: index + (ahead ?? whole).length })
  }
  return hits
}

/** The text whose pairs of adjacent characters are the terms of the phrase; undefined for any other phrase. */
function unspacedText({ terms }: Phrase): string | undefined {
  let joined = ''
  for (const term of terms) {
    const characters = Array.from(term)
    if (characters.some((character) => classOf(character.codePointAt(0) ?? 0) !== UNSPACED)) return undefined
    if (joined !== '' && !joined.endsWith(characters[0] ?? '')) return undefined
    joined += characters.slice(joined === '' ? 0 : 1).join('')
  }
  return joined
}

/** Phrases of scripts without spaces occur literally in a composed text. A lookahead finds overlapping ones. */
function unspacedPattern(phrases: readonly Phrase[]): RegExp | undefined {
  const texts = phrases.map(unspacedText)
  if (!texts.every((joined) => joined !== undefined)) return undefined
  const longestFirst = texts.sort((left, right) => right.length - left.length)
  return new RegExp(`(?=(${longestFirst.join('|')}))`, 'gu')
}

/** The end of the phrase if it begins at word `from`; undefined if it does not. */
function endOfPhrase({ terms, isPrefix }: Phrase, words: readonly Word[], from: number): number | undefined {
  for (let index = 0; index < terms.length; index++) {
    const word = words[from + index]
    const term = terms[index]
    if (!word || term === undefined) return undefined
    const isOpenEnded = isPrefix && index === terms.length - 1
    if (isOpenEnded ? !word.term.startsWith(term) : word.term !== term) return undefined
  }
  const last = words[from + terms.length - 1]
  if (!last) return undefined
  const isLiteral = last.isUnspaced && last.end - last.start === last.term.length
  return isLiteral ? last.start + (terms.at(-1)?.length ?? 0) : last.end
}

/** Whether a text contains every wanted phrase and none of the excluded ones. */
export function isMatch(text: string, phrases: readonly Phrase[]): boolean {
  const words = wordsOf(text)
  const occurs = (phrase: Phrase) =>
    phrase.isSymbol
      ? symbolHits(text, [phrase]).length > 0
      : words.some((_, at) => endOfPhrase(phrase, words, at) !== undefined)
  return phrases.every((phrase) => occurs(phrase) !== phrase.isExcluded)
}

/** Returns a function that lists the phrases that may begin with a given term. */
function phraseFinder(phrases: readonly Phrase[]): (term: string) => readonly Phrase[] {
  const isOpen = ({ terms, isPrefix }: Phrase) => isPrefix && terms.length === 1
  const open = phrases.filter(isOpen)
  const byFirst = Map.groupBy(
    phrases.filter((phrase) => !isOpen(phrase)),
    ({ terms }) => terms[0],
  )
  return (term) => {
    const exact = byFirst.get(term)
    return exact ? [...exact, ...open] : open
  }
}

function hitAt(
  find: (term: string) => readonly Phrase[],
  words: readonly Word[],
  from: number,
): Hit | undefined {
  const first = words[from]
  if (!first) return undefined
  let end: number | undefined
  for (const phrase of find(first.term)) {
    const here = endOfPhrase(phrase, words, from)
    if (here !== undefined) end = Math.max(end ?? here, here)
  }
  return end === undefined ? undefined : { start: first.start, end }
}

function wordHits(text: string, phrases: readonly Phrase[], reach: number): Hit[] {
  const longest = Math.max(...phrases.map(({ terms }) => terms.length))
  const find = phraseFinder(phrases)
  const hits: Hit[] = []
  const words: Word[] = []
  let checked = 0
  const checkNext = () => {
    const hit = hitAt(find, words, checked++)
    if (hit) hits.push(hit)
  }
  visitWords(text, (term, start, end, isUnspaced) => {
    const first = hits[0]
    if (first && start > first.start + reach) return true
    words.push({ term, start, end, isUnspaced })
    if (words.length - checked >= longest) checkNext()
    return false
  })
  while (checked < words.length) checkNext()
  return hits
}

/**
 * The occurrences of the phrases in a text, in order: the first one and those that begin at most `reach` after it.
 */
export function findHits(text: string, phrases: readonly Phrase[], reach = 2 * WINDOW): Hit[] {
  const symbols = phrases.filter(({ isSymbol }) => isSymbol)
  if (symbols.length === 0) return hitsOfWords(text, phrases, reach)
  const words = phrases.filter(({ isSymbol }) => !isSymbol)
  const hits = [...(words.length === 0 ? [] : hitsOfWords(text, words, reach)), ...symbolHits(text, symbols)]
  hits.sort((one, other) => one.start - other.start)
  const last = (hits[0]?.start ?? 0) + reach
  return hits.filter(({ start }) => start <= last)
}

/** The occurrences of phrases that are symbols. */
function symbolHits(text: string, phrases: readonly Phrase[]): Hit[] {
  const wanted = new Set(phrases.map(({ terms }) => terms[0]))
  const hits: Hit[] = []
  for (const { term, start, end } of symbolsIn(text)) if (wanted.has(term)) hits.push({ start, end })
  return hits
}

function hitsOfWords(text: string, phrases: readonly Phrase[], reach: number): Hit[] {
  if (hasPlainWords(text)) return patternHits(text, asciiPattern(phrases), reach)
  const pattern = unspacedPattern(phrases)
  if (pattern && normalized(text, 'NFC') === text) return patternHits(text, pattern, reach)
  return wordHits(text, phrases, reach)
}

const WINDOW = 200
const LEAD = 60

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

/** The index `count` code points after `from`, or the end of the text. */
function advance(text: string, from: number, count: number): number {
  let at = from
  for (let moved = 0; moved < count && at < text.length; moved++)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return at
}

/** The start of the snippet: the beginning of a word shortly before the hit, if there is one. */
function windowStart(text: string, hit: number): number {
  let start = Math.max(0, hit - LEAD)
  if (isLowSurrogate(text.charCodeAt(start))) start += 1
  if (start === 0) return 0
  const space = text.slice(start, hit).search(/\s/)
  return space === -1 ? start : start + space + 1
}

function marked(text: string, hits: readonly Hit[], start: number, end: number): string {
  let html = ''
  let at = start
  for (const hit of hits) {
    const from = Math.max(at, hit.start)
    const to = Math.min(end, hit.end)
    if (to <= from) continue
    html += `${escapeHtml(text.slice(at, from))}<mark>${escapeHtml(text.slice(from, to))}</mark>`
    at = to
  }
  return html + escapeHtml(text.slice(at, end))
}

/**
 * Up to 200 characters around the first of these ranges, as escaped HTML with each range between `<mark>` and
 * `</mark>`.
 */
export function snippetAround(text: string, places: readonly Hit[]): string {
  const start = windowStart(text, places[0]?.start ?? 0)
  return marked(text, places, start, advance(text, start, WINDOW))
}

/**
 * Up to 200 characters around the first hit in the first text that has one, as escaped HTML with every hit between
 * `<mark>` and `</mark>`. Without any hit, the beginning of the first text.
 */
export function snippetOf(texts: readonly string[], phrases: readonly Phrase[]): string {
  const wanted = phrases.filter(({ isExcluded }) => !isExcluded)
  for (const text of texts) {
    const hits = findHits(text, wanted)
    if (hits.length > 0) return snippetAround(text, hits)
  }
  const beginning = texts[0] ?? ''
  return escapeHtml(beginning.slice(0, advance(beginning, 0, WINDOW)))
}
