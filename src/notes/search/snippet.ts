import type { Phrase } from './query.ts'
import { type Word, wordsOf } from './words.ts'

const WINDOW = 200
const LEAD = 60

interface Range {
  start: number
  end: number
}

function endOfMatch(phrase: Phrase, words: readonly Word[], from: number): number | undefined {
  for (const [index, term] of phrase.terms.entries()) {
    const word = words[from + index]
    if (!word) return undefined
    const mayGoOn = phrase.isPrefix && index === phrase.terms.length - 1
    if (mayGoOn ? !word.term.startsWith(term) : word.term !== term) return undefined
  }
  const last = words[from + phrase.terms.length - 1] as Word
  const lastTerm = phrase.terms.at(-1) ?? ''
  return last.unspaced ? last.start + Math.min(lastTerm.length, last.end - last.start) : last.end
}

/** The first place where one of the phrases stands at word `from`. */
function matchAt(phrases: readonly Phrase[], words: readonly Word[], from: number): Range | undefined {
  const ends = phrases.map((phrase) => endOfMatch(phrase, words, from)).filter((end) => end !== undefined)
  const start = words[from]?.start
  return ends.length > 0 && start !== undefined ? { start, end: Math.max(...ends) } : undefined
}

/** Every place where a phrase stands, in order, up to the end of the window that begins before the first. */
function hitsIn(text: string, phrases: readonly Phrase[]): Range[] {
  const longest = Math.max(...phrases.map(({ terms }) => terms.length))
  const hits: Range[] = []
  let words: Word[] = []
  const take = () => {
    const hit = matchAt(phrases, words, 0)
    if (hit) hits.push(hit)
    words = words.slice(1)
  }
  for (const word of wordsOf(text)) {
    const first = hits[0]
    if (first && word.start > first.start + 2 * WINDOW) break
    words.push(word)
    if (words.length > longest) take()
  }
  while (words.length > 0) take()
  return hits
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

/** The index at most `count` code points after `from`. */
function advance(text: string, from: number, count: number): number {
  let at = from
  for (let moved = 0; moved < count && at < text.length; moved++)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return at
}

/** Begins at a word where one begins shortly before the hit. */
function windowStart(text: string, hit: number): number {
  let start = Math.max(0, hit - LEAD)
  if (isLowSurrogate(text.charCodeAt(start))) start += 1
  if (start === 0) return 0
  const space = text.slice(start, hit).search(/\s/)
  return space === -1 ? start : start + space + 1
}

function marked(text: string, hits: readonly Range[], start: number, end: number): string {
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
 * Up to 200 characters around the first hit in the first of the texts that has one, as HTML: every hit
 * between `<mark>` and `</mark>`, all else escaped. Without any hit, the beginning of the first text.
 */
export function snippetOf(texts: readonly string[], phrases: readonly Phrase[]): string {
  const wanted = phrases.filter(({ isExcluded }) => !isExcluded)
  for (const text of texts) {
    const hits = hitsIn(text, wanted)
    const [first] = hits
    if (!first) continue
    const start = windowStart(text, first.start)
    return marked(text, hits, start, advance(text, start, WINDOW))
  }
  const beginning = texts[0] ?? ''
  return escapeHtml(beginning.slice(0, advance(beginning, 0, WINDOW)))
}
