import type { Answer } from '../tool.ts'
import { estimateTokens } from './tokens.ts'

/*
 * Answers are made to fit: what is read takes at most 8,000 tokens of a model, as text and as structured content, by
 * shortening long values first and by giving fewer items next.
 */

/** As estimated; the estimate may be too low by a quarter for unusual texts. */
export const MAX_TOKENS = 6_000

/** A token has no more characters than this on average: a longer text need not be estimated. */
const MAX_LENGTH = 12 * MAX_TOKENS

/** A token has at least one byte: a short text need not be estimated either. */
function tokensOf(text: string): number {
  if (text.length > MAX_LENGTH) return text.length / 2
  const bytes = Buffer.byteLength(text)
  return bytes <= MAX_TOKENS ? bytes : estimateTokens(text)
}

/** The tokens of an answer, as estimated. */
export const size = ({ text, data, links = [] }: Answer): number =>
  Math.max(
    tokensOf(text + links.map(({ uri, name }) => uri + name).join(' ')),
    tokensOf(JSON.stringify(data)),
  )

export const fits = (answer: Answer): boolean => size(answer) <= MAX_TOKENS

/** Texts longer than this are shortened, step by step. */
const CUTS = [Number.POSITIVE_INFINITY, 10_000, 4_000, 1_000, 300, 120]
const SHORTEST = 120
/** For one thing that is still too long, such as a row of a hundred fields or a note of a thousand tags. */
const SHORTER = [40, 12, 0]

/** Writes an answer with these items; values longer than `cut` characters are shortened. */
export type Render<Item> = (items: readonly Item[], cut: number) => Answer

/** The answer with as many of the items, and as much of their values, as fits; at least with one item. */
export function fitted<Item>(items: readonly Item[], render: Render<Item>): Answer {
  let last: Answer | undefined
  for (const cut of CUTS) {
    last = render(items, cut)
    if (fits(last)) return last
  }
  let shown = items
  while (last && shown.length > 1) {
    const share = (0.95 * MAX_TOKENS) / size(last)
    shown = items.slice(0, Math.max(1, Math.min(shown.length - 1, Math.floor(shown.length * share))))
    last = render(shown, SHORTEST)
    if (fits(last)) return last
  }
  for (const cut of SHORTER) {
    last = render(shown, cut)
    if (fits(last)) break
  }
  return last ?? render(shown, 0)
}

/** The number of characters to which values are shortened so that an answer takes at most this many tokens. */
export const cutFor = (tokens: number, write: (cut: number) => Answer): number =>
  [...CUTS, ...SHORTER].find((cut) => size(write(cut)) <= tokens) ?? 0

/** What ends a value that was shortened; such a value is never written back. */
const CUT_MARK = /… \(\+\d+ (?:characters|more)\)$/

/** Whether a value is, or holds, a text that was shortened when it was read. */
export const isShortened = (value: unknown): boolean =>
  typeof value === 'string'
    ? CUT_MARK.test(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(isShortened)

/** Ids, cursors, times and short words stay whole. */
const KEPT = /^[\w:.+-]{1,36}$/

/** The beginning of a text that is longer than `cut` characters, and how many are missing. */
export function shorten(text: string, cut: number): string {
  if (text.length <= cut || KEPT.test(text)) return text
  // Not between the halves of a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text[cut - 1] ?? '') ? cut - 1 : cut
  return `${text.slice(0, end)}… (+${text.length - end} characters)`
}

/** Up to this many entries of a list, or members of an object, are never left out. */
const FEW = 20

const more = (missing: number) => `… (+${missing} more)`

const LONGEST_SENTENCE = 2_000

/** A refusal that repeats a very long name without the middle of it: its end says what to change. */
export const shortenSentence = (text: string): string =>
  text.length <= LONGEST_SENTENCE
    ? text
    : `${text.slice(0, LONGEST_SENTENCE / 2)}…${text.slice(-LONGEST_SENTENCE / 2)}`.toWellFormed()

/** Shortens every text in a value, and every list and object that is longer than that. */
export function shortenAll(value: unknown, cut: number): unknown {
  if (cut === Number.POSITIVE_INFINITY) return value
  if (typeof value === 'string') return shorten(value, cut)
  if (typeof value !== 'object' || value === null) return value
  const most = Math.max(FEW, cut)
  if (Array.isArray(value)) {
    const shown = value.slice(0, most).map((item) => shortenAll(item, cut))
    return value.length > most ? [...shown, more(value.length - most)] : shown
  }
  const members = Object.entries(value)
  const shown = Object.fromEntries(members.slice(0, most).map(([name, one]) => [name, shortenAll(one, cut)]))
  return members.length > most ? { ...shown, '…': more(members.length - most) } : shown
}

/** Each item of a list, with its values shortened. */
export const shortenEach = <Item>(items: readonly Item[], cut: number): Item[] =>
  items.map((item) => shortenAll(item, cut) as Item)

/** The values of properties, shortened; one that is no text and too long becomes the beginning of its JSON text. */
export function shortenValues(values: Readonly<Record<string, unknown>>, cut: number) {
  const written = Object.entries(values).map(([key, value]) => {
    const json = typeof value === 'object' ? JSON.stringify(value) : ''
    return [key, json.length > cut ? json : value]
  })
  return shortenAll(Object.fromEntries(written), cut) as Record<string, unknown>
}
