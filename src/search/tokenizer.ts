import { isAscii } from '../lib/text.ts'
import { classOf, LETTER, UNSPACED } from './characters.ts'

/** Takes one searchable term of a text and the range of the text it stands for; answers true to stop. */
export type WordVisitor = (term: string, start: number, end: number, isUnspaced: boolean) => boolean

/** One searchable term of a text. */
export interface Word {
  /** Folded; of a script without spaces, two neighbouring characters or the last one of a run. */
  readonly term: string
  readonly start: number
  readonly end: number
  /** Whether it is of a script without spaces. */
  readonly isUnspaced: boolean
}

/**
 * Soft hyphens, and combining marks that only modify a letter; the marks of Thai, Hindi and the like are part of the
 * word.
 */
const IGNORED =
  /[\u00ad[\p{Mn}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Cyrillic}\p{Script=Greek}]]]/gv

/** Case, width, ligatures, soft hyphens and diacritics folded away; empty when nothing but those was there. */
export function foldWord(word: string): string {
  if (isAscii(word)) return word.toLowerCase()
  const folded = word.normalize('NFKD').toLowerCase().replaceAll('ς', 'σ').replace(IGNORED, '')
  return folded.normalize('NFC').trim()
}

const widthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

/** Every two neighbours of a run, and its last character alone, so that a lone one can be found too. */
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

/** A run as it is compared: composed. Its characters then may not line up with the text, and stand for all of it. */
function visitRun(text: string, start: number, end: number, visit: WordVisitor): boolean {
  const run = text.slice(start, end)
  const composed = run.normalize('NFC')
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

/** Visits every term of a text in its order; indexing, queries and snippets all read texts through this. */
export function visitWords(text: string, visit: WordVisitor): void {
  let at = 0
  while (at < text.length) {
    const found = classOf(text.codePointAt(at) ?? 0)
    const end = endOfRun(text, at, found)
    if (found === UNSPACED && visitRun(text, at, end, visit)) return
    if (found === LETTER) {
      const term = foldWord(text.slice(at, end))
      if (term !== '' && visit(term, at, end, false)) return
    }
    at = end
  }
}

/** Every term of a text in its order. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  visitWords(text, (term, start, end, isUnspaced) => {
    words.push({ term, start, end, isUnspaced })
    return false
  })
  return words
}

/** A text as the search tables are given it. Plain ASCII is split there exactly as it would be here. */
export function indexedText(text: string): string {
  if (isAscii(text)) return text
  let terms = ''
  visitWords(text, (term) => {
    terms += `${term} `
    return false
  })
  return terms
}
