import { findHits, type Hit } from './hits.ts'
import type { Phrase } from './query.ts'

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
 * Up to 200 characters around the first hit in the first of the texts that has one, as HTML: every hit
 * between `<mark>` and `</mark>`, all else escaped. Without any hit, the beginning of the first text.
 */
export function snippetOf(texts: readonly string[], phrases: readonly Phrase[]): string {
  const wanted = phrases.filter(({ isExcluded }) => !isExcluded)
  for (const text of texts) {
    const hits = findHits(text, wanted, 2 * WINDOW)
    const [first] = hits
    if (!first) continue
    const start = windowStart(text, first.start)
    return marked(text, hits, start, advance(text, start, WINDOW))
  }
  const beginning = texts[0] ?? ''
  return escapeHtml(beginning.slice(0, advance(beginning, 0, WINDOW)))
}
