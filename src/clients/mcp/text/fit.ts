import { counted } from '../../../lib/text.ts'
import type { Answer } from '../tool.ts'

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
type Render<Item> = (items: readonly Item[], cut: number) => Answer

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

/** The end of a truncated value; such a value is never written back. */
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
  return `${text.slice(0, end)}… (+${counted(text.length - end, 'character')})`
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

/*
 * How many tokens a text takes in a model, estimated on the safe side without the tables of a tokenizer: ordinary text
 * takes about two thirds of the estimate, random letters and digits all of it.
 */

/** Of ASCII: how many characters of a class in a row make one token. Other characters are a class each. */
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
  // A run of one of the others is one of the same character.
  else CLASSES[unit] = 128 + unit
}

/** The tokens of a run of ASCII characters of one class. */
function tokensOfRun(kind: number, length: number): number {
  if (kind === LETTERS) return Math.ceil(length / PER_TOKEN.letters)
  if (kind === DIGITS) return Math.ceil(length / PER_TOKEN.digits)
  // A single space belongs to the word after it.
  if (kind === SPACES) return length > 1 ? 1 : 0
  if (kind === LINE_BREAKS) return Math.ceil(length / PER_TOKEN.lineBreaks)
  return Math.ceil(length / PER_TOKEN.repeated)
}

/** Alphabets that are common in texts; then scripts whose characters mostly are one token each, some two; then the rest. */
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
