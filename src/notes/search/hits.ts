import { isAscii } from '../../lib/text.ts'
import type { Phrase } from './query.ts'
import { visitWords, type Word } from './words.ts'

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

function asciiHits(text: string, phrases: readonly Phrase[], reach: number): Hit[] {
  const hits: Hit[] = []
  const pattern = asciiPattern(phrases)
  if (!pattern) return hits
  for (const { index, 0: found } of text.matchAll(pattern)) {
    if (index > (hits[0]?.start ?? index) + reach) break
    hits.push({ start: index, end: index + found.length })
  }
  return hits
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
  const standsForItself = last.unspaced && last.end - last.start === last.term.length
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
  visitWords(text, (term, start, end, unspaced) => {
    const first = hits[0]
    if (first && start > first.start + reach) return true
    words.push({ term, start, end, unspaced })
    if (words.length - judged >= longest) judge()
    return false
  })
  while (judged < words.length) judge()
  return hits
}

/** Where the phrases stand in a text, in order: the first place and those that begin at most `reach` after it. */
export const findHits = (text: string, phrases: readonly Phrase[], reach: number): Hit[] =>
  isAscii(text) ? asciiHits(text, phrases, reach) : wordHits(text, phrases, reach)
