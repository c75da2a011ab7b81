import { codePointLength, fold } from '../text.ts'

/* Functions of texts. Positions and lengths are in code points. */

const PAIRED = /[\ud800-\udbff]/

/** The characters from `start` (from 0) up to `end`. */
export function slice(text: string, start: number, end: number): string {
  if (!PAIRED.test(text)) return text.slice(start, end)
  let unit = 0
  let from = text.length
  for (let at = 0; unit < text.length && at < end; at++) {
    if (at === start) from = unit
    unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1
  }
  return text.slice(from, Math.max(from, unit))
}

/** A count of characters: cut towards zero; negative ones are 0. */
const countOf = (count: number): number => Math.max(0, Math.trunc(count))

export const leftOf = (text: string, count: number): string => slice(text, 0, countOf(count))

export function rightOf(text: string, count: number): string {
  const length = codePointLength(text)
  return slice(text, Math.max(0, length - countOf(count)), length)
}

/** `start` counts from 1. */
export function middleOf(text: string, start: number, count: number): string {
  const from = Math.max(1, Math.trunc(start)) - 1
  return slice(text, from, from + countOf(count))
}

/** A longer text is searched in linear time, whatever it is. */
const LONG = 32

/**
 * The indexes at which a text occurs, without overlaps (Knuth, Morris and Pratt). `indexOf` may compare every character
 * of the searched text at every index.
 */
function* occurrences(text: string, part: string): Generator<number> {
  if (part.length <= LONG) {
    for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) yield at
    return
  }
  const borders = bordersOf(part)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    while (length > 0 && text[at] !== part[length]) length = borders[length - 1] ?? 0
    if (text[at] === part[length]) length += 1
    if (length < part.length) continue
    yield at - length + 1
    length = 0
  }
}

/** For each beginning of a text, the length of the longest shorter beginning that it also ends with. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length)
  let length = 0
  for (let at = 1; at < part.length; at++) {
    while (length > 0 && part[at] !== part[length]) length = borders[length - 1] ?? 0
    if (part[at] === part[length]) length += 1
    borders[at] = length
  }
  return borders
}

/** Ignores case. */
export const contains = (text: string, part: string): boolean =>
  part === '' || occurrences(fold(text), fold(part)).next().done === false

/** Replaces every occurrence; blank if the result would be longer than `most`. */
export function substitute(text: string, old: string, replacement: string, most: number): string | null {
  if (old === '') return text
  const parts: string[] = []
  let length = 0
  let from = 0
  for (const at of occurrences(text, old)) {
    parts.push(text.slice(from, at), replacement)
    length += at - from + replacement.length
    from = at + old.length
    if (length > most) return null
  }
  parts.push(text.slice(from))
  return length + text.length - from > most ? null : parts.join('')
}

const NUMBER = /^-?\d+(?:\.\d+)?$/

/** The number that a text writes; blank if it writes none. */
export function numberIn(text: string): number | null {
  const trimmed = text.trim()
  const value = NUMBER.test(trimmed) ? Number(trimmed) : Number.NaN
  return Number.isFinite(value) ? value + 0 : null
}
