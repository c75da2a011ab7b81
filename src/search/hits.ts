import { isAscii } from '../lib/text.ts'
import { classOf, UNSPACED } from './characters.ts'
import type { Phrase } from './query.ts'
import { visitWords, type Word } from './tokenizer.ts'

/** A half-open range of a text where a phrase stands. */
export interface Hit {
  start: number
  end: number
}

const PLAIN = /^[a-z0-9]+$/

/** Plain ASCII is searched by one regular expression, which is many times faster than reading word by word. */
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

/** The passage of a text that neighbouring pairs of characters come from; undefined for any other phrase. */
function unspacedPassage({ terms }: Phrase): string | undefined {
  let passage = ''
  for (const term of terms) {
    const characters = Array.from(term)
    if (characters.some((character) => classOf(character.codePointAt(0) ?? 0) !== UNSPACED)) return undefined
    if (passage !== '' && !passage.endsWith(characters[0] ?? '')) return undefined
    passage += characters.slice(passage === '' ? 0 : 1).join('')
  }
  return passage
}

/** Phrases of scripts without spaces are plain passages of a composed text; looked ahead for, as they may overlap. */
function unspacedPattern(phrases: readonly Phrase[]): RegExp | undefined {
  const passages = phrases.map(unspacedPassage)
  if (!passages.every((passage) => passage !== undefined)) return undefined
  const longestFirst = passages.sort((left, right) => right.length - left.length)
  return new RegExp(`(?=(${longestFirst.join('|')}))`, 'gu')
}

/** Where the phrase ends when it stands at word `from`. */
function endOfPhrase({ terms, isPrefix }: Phrase, words: readonly Word[], from: number): number | undefined {
  for (let index = 0; index < terms.length; index++) {
    const word = words[from + index]
    const term = terms[index]
    if (!word || term === undefined) return undefined
    const mayGoOn = isPrefix && index === terms.length - 1
    if (mayGoOn ? !word.term.startsWith(term) : word.term !== term) return undefined
  }
  const last = words[from + terms.length - 1]
  if (!last) return undefined
  const standsForItself = last.isUnspaced && last.end - last.start === last.term.length
  return standsForItself ? last.start + (terms.at(-1)?.length ?? 0) : last.end
}

/** Answers the phrases that may begin with a word of this term. */
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
  let judged = 0
  const judge = () => {
    const hit = hitAt(find, words, judged++)
    if (hit) hits.push(hit)
  }
  visitWords(text, (term, start, end, isUnspaced) => {
    const first = hits[0]
    if (first && start > first.start + reach) return true
    words.push({ term, start, end, isUnspaced })
    if (words.length - judged >= longest) judge()
    return false
  })
  while (judged < words.length) judge()
  return hits
}

/** Where the phrases stand in a text, in order: the first place and those that begin at most `reach` after it. */
export function findHits(text: string, phrases: readonly Phrase[], reach: number): Hit[] {
  if (isAscii(text)) return patternHits(text, asciiPattern(phrases), reach)
  const pattern = unspacedPattern(phrases)
  if (pattern && text.normalize('NFC') === text) return patternHits(text, pattern, reach)
  return wordHits(text, phrases, reach)
}
