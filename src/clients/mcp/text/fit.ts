import { counted } from '../../../lib/text.ts'
import type { Answer } from '../tool.ts'

/*
 * Limits the size of answers: a read takes at most 8,000 tokens of a model, as text and as structured content. Long
 * values are shortened first; then items are omitted.
 */

/** An estimate, which may be too low by a quarter for unusual texts. */
export const MAX_TOKENS = 6_000

/** Tokens average no more characters than this, so longer texts need no estimate. */
const MAX_LENGTH = 12 * MAX_TOKENS

/** A token has at least one byte, so short texts need no estimate either. */
function tokensOf(text: string): number {
  if (text.length > MAX_LENGTH) return text.length / 2
  const bytes = Buffer.byteLength(text)
  return bytes <= MAX_TOKENS ? bytes : estimateTokens(text)
}

export const size = ({ text, data, links = [] }: Answer): number =>
  Math.max(
    tokensOf(text + links.map(({ uri, name }) => uri + name).join(' ')),
    tokensOf(JSON.stringify(data)),
  )

export const fits = (answer: Answer): boolean => size(answer) <= MAX_TOKENS

/** Texts longer than this are shortened, step by step. */
const CUTS = [Number.POSITIVE_INFINITY, 10_000, 4_000, 1_000, 300, 120]
const SHORTEST = 120
/** For a single item that is still too long, such as a row of a hundred fields or a note of a thousand tags. */
const SHORTER = [40, 12, 0]

/** Writes an answer with these items; values longer than `cut` characters are shortened. */
type Render<Item> = (items: readonly Item[], cut: number) => Answer

/** The answer with as many items, and as much of their values, as fits; it has at least one item. */
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

/** The value length, in characters, at which an answer takes at most this many tokens. */
export const cutFor = (tokens: number, write: (cut: number) => Answer): number =>
  [...CUTS, ...SHORTER].find((cut) => size(write(cut)) <= tokens) ?? 0

/** The end of a shortened value; such a value is never written back. */
const CUT_MARK = /… \(\+\d+ (?:characters|more)\)$/

/** Whether a value is, or contains, a text that was shortened for an answer. */
export const isShortened = (value: unknown): boolean =>
  typeof value === 'string'
    ? CUT_MARK.test(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(isShortened)

/** Ids, cursors, times and short words are never shortened. */
const KEPT = /^[\w:.+-]{1,36}$/

/** The beginning of a text longer than `cut` characters, with the number of omitted characters. */
export function shorten(text: string, cut: number): string {
  if (text.length <= cut || KEPT.test(text)) return text
  // Avoid splitting a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text[cut - 1] ?? '') ? cut - 1 : cut
  return `${text.slice(0, end)}… (+${counted(text.length - end, 'character')})`
}

/** Lists and objects always show up to this many entries or members. */
const FEW = 20

const more = (missing: number) => `… (+${missing} more)`

const LONGEST_SENTENCE = 2_000

/** Removes the middle of a refusal that repeats a very long name: its end says how to fix the call. */
export const shortenSentence = (text: string): string =>
  text.length <= LONGEST_SENTENCE
    ? text
    : `${text.slice(0, LONGEST_SENTENCE / 2)}…${text.slice(-LONGEST_SENTENCE / 2)}`.toWellFormed()

/** Shortens texts in a value to `cut` characters, and lists and objects to `cut` entries, but at least to `FEW`. */
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

export const shortenEach = <Item>(items: readonly Item[], cut: number): Item[] =>
  items.map((item) => shortenAll(item, cut) as Item)

/** The shortened values of properties; a long value that is not a text becomes the beginning of its JSON text. */
export function shortenValues(values: Readonly<Record<string, unknown>>, cut: number) {
  const written = Object.entries(values).map(([key, value]) => {
    const json = typeof value === 'object' ? JSON.stringify(value) : ''
    return [key, json.length > cut ? json : value]
  })
  return shortenAll(Object.fromEntries(written), cut) as Record<string, unknown>
}

/*
 * Estimates the number of tokens of a text without the tables of a tokenizer, on the safe side. Ordinary text takes
 * about two thirds of the estimate, random letters and digits all of it.
 */

/** Consecutive ASCII characters of one class that make up one token. Every other character is its own class. */
const PER_TOKEN = { letters: 3, digits: 3, lineBreaks: 8, repeated: 4 }

const LETTERS = 1
const DIGITS = 2
const SPACES = 3
const LINE_BREAKS = 4

const CLASSES = new Uint8Array(128)
for (let unit = 0; unit < 128; unit++) {
  const character = String.fromCharCode(unit)
  if (/[A-Za-z]/.test(character)) CLASSES[unit] = LETTERS
  else if (/[0-9]/.test(character)) CLASSES[unit] = DIGITS
  else if (character === ' ') CLASSES[unit] = SPACES
  else if (/[\t\r\n]/.test(character)) CLASSES[unit] = LINE_BREAKS
  // A run of any other class repeats a single character.
  else CLASSES[unit] = 128 + unit
}

/** The tokens of a run of ASCII characters of one class. */
function tokensOfRun(kind: number, length: number): number {
  if (kind === LETTERS) return Math.ceil(length / PER_TOKEN.letters)
  if (kind === DIGITS) return Math.ceil(length / PER_TOKEN.digits)
  // A single space is part of the following word's token.
  if (kind === SPACES) return length > 1 ? 1 : 0
  if (kind === LINE_BREAKS) return Math.ceil(length / PER_TOKEN.lineBreaks)
  return Math.ceil(length / PER_TOKEN.repeated)
}

/** In order: common alphabets; scripts with mostly one token per character, sometimes two; all others. */
function tokensBeyondAscii(unit: number): number {
  if (unit < 0x700) return 1
  const isCommon =
    (unit >= 0x900 && unit < 0xf00) ||
    (unit >= 0x2000 && unit < 0x2c00) ||
    (unit >= 0x3000 && unit < 0xa000) ||
    (unit >= 0xac00 && unit < 0xd7b0) ||
    // Each half of a surrogate pair counts.
    (unit >= 0xd800 && unit < 0xe000) ||
    unit >= 0xff00
  return isCommon ? 1.5 : 3
}

export function estimateTokens(text: string): number {
  let tokens = 0
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at)
    if (unit > 127) {
      tokens += tokensBeyondAscii(unit)
      at += 1
      continue
    }
    const kind = CLASSES[unit] ?? 0
    const start = at
    do at += 1
    while (at < text.length && CLASSES[text.charCodeAt(at)] === kind)
    tokens += tokensOfRun(kind, at - start)
  }
  return Math.ceil(tokens)
}
