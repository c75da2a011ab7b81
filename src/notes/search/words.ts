import { isAscii } from '../../lib/text.ts'
import { classOf, LETTER, SEPARATOR, UNSPACED } from './characters.ts'

/** One searchable term of a text and the range of the text it stands for. */
export interface Word {
  /** Folded; of a script without spaces, two neighbouring characters or the last one of a run. */
  readonly term: string
  readonly start: number
  readonly end: number
  /** Whether it is of a script without spaces. */
  readonly unspaced: boolean
}

/** Combining marks that only modify a letter; the marks of Thai, Hindi and the like are part of the word. */
const DIACRITICS =
  /[\p{Mn}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Cyrillic}\p{Script=Greek}]]/gv

/** Case, width, ligatures and diacritics folded away. */
export function foldWord(word: string): string {
  if (isAscii(word)) return word.toLowerCase()
  const folded = word.normalize('NFKD').toLowerCase().replaceAll('ς', 'σ').replace(DIACRITICS, '')
  return folded.normalize('NFC')
}

/** Every two neighbours of a run, and its last character alone, so that a lone one can be found too. */
function* neighbours(text: string, start: number, end: number): Generator<Word> {
  const run = text.slice(start, end)
  const composed = run.normalize('NFC')
  const characters = Array.from(composed)
  let at = start
  for (const [index, character] of characters.entries()) {
    const term = character + (characters[index + 1] ?? '')
    // A run that was not composed is marked whole: its characters no longer line up with the text.
    const place = composed === run ? { start: at, end: at + term.length } : { start, end }
    yield { term, ...place, unspaced: true }
    at += character.length
  }
}

/** The end of the run of one class of characters that begins at `start`. */
function endOfRun(text: string, start: number, wanted: number): number {
  let at = start
  while (at < text.length) {
    const codePoint = text.codePointAt(at) ?? 0
    if (classOf(codePoint) !== wanted) break
    at += codePoint > 0xffff ? 2 : 1
  }
  return at
}

/** Every term of a text in its order; indexing, queries and snippets all read texts through this. */
export function* wordsOf(text: string, from = 0): Generator<Word> {
  let at = from
  while (at < text.length) {
    const found = classOf(text.codePointAt(at) ?? 0)
    const end = endOfRun(text, at, found)
    if (found === UNSPACED) yield* neighbours(text, at, end)
    if (found === LETTER) {
      const term = foldWord(text.slice(at, end))
      if (term !== '') yield { term, start: at, end, unspaced: false }
    }
    at = end
  }
}

/** A text as the search tables are given it. Plain ASCII is split there exactly as it would be here. */
export function indexedText(text: string): string {
  if (isAscii(text)) return text
  let terms = ''
  let at = 0
  while (at < text.length) {
    const found = classOf(text.codePointAt(at) ?? 0)
    const end = endOfRun(text, at, found)
    if (found === LETTER) terms += `${foldWord(text.slice(at, end))} `
    else if (found !== SEPARATOR) terms += indexedRun(text.slice(at, end).normalize('NFC'))
    at = end
  }
  return terms
}

function indexedRun(run: string): string {
  let terms = ''
  let previous = ''
  for (const character of run) {
    if (previous !== '') terms += `${previous}${character} `
    previous = character
  }
  return `${terms}${previous} `
}

/** The opaque term that stands for a tag, so that renaming a tag re-indexes nothing; no text can hold it. */
export const tagTerm = (tag: number): string => `\ue001${tag}`
