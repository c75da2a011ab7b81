/*
 * The words of texts as the text index (`text-index.ts`) holds them: what stands between ASCII characters that are neither
 * letters nor digits. Texts are folded. In a script without spaces a word may be a whole sentence: a long word is held as
 * pieces that overlap, so that each of its parts of up to `MAX_PART` characters lies in one of them.
 */

const WORD = /[a-z0-9\u0080-\uffff]+/g

const PIECE_LENGTH = 32
const PIECE_STEP = 16
/** Of a longer text it is not known whether a row contains it, only whether a row contains its beginning. */
const MAX_PART = PIECE_LENGTH - PIECE_STEP + 1
/** A shorter text occurs in too many words. */
const MIN_PART = 3

export const NO_WORD = 'x'.repeat(PIECE_LENGTH + 1)

const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

/** The piece without halves of characters at its ends: no text that is searched begins or ends within a character. */
function piece(word: string, from: number, to: number): string {
  const start = isLow(word.charCodeAt(from)) ? from + 1 : from
  return word.slice(start, isLow(word.charCodeAt(to)) ? to - 1 : to)
}

function piecesOf(word: string): string[] {
  const pieces: string[] = []
  for (let from = 0; ; from += PIECE_STEP) {
    pieces.push(piece(word, from, Math.min(from + PIECE_LENGTH, word.length)))
    if (from + PIECE_LENGTH >= word.length) return pieces
  }
}

/** The words of a text, long ones in pieces. */
export interface Words {
  readonly words: readonly string[]
  /** A text that FTS5 splits into these. */
  readonly text: string
}

export function wordsOf(text: string): Words {
  const words = text.match(WORD) ?? []
  if (words.every(({ length }) => length <= PIECE_LENGTH)) return { words, text }
  const pieces = words.flatMap((word) => (word.length <= PIECE_LENGTH ? word : piecesOf(word)))
  return { words: pieces, text: pieces.join(' ') }
}

/** What the words of a row must have that contains the text. */
export interface Needle {
  /** These are among them. */
  readonly words: readonly string[]
  /** Each of these is a part of one of them. */
  readonly parts: readonly string[]
  /** Whether a row with such words surely contains the text. */
  readonly isExact: boolean
}

/** Undefined for a text that the text index cannot find. */
export function needleOf(text: string): Needle | undefined {
  const words: string[] = []
  const parts: string[] = []
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const isWhole = index > 0 && index + word.length < text.length
    if (isWhole && word.length <= PIECE_LENGTH) words.push(word)
    else if (word.length >= MIN_PART) parts.push(piece(word, 0, Math.min(word.length, MAX_PART)))
  }
  if (words.length === 0 && parts.length === 0) return undefined
  return { words, parts, isExact: parts[0] === text }
}

const RUN_LENGTH = 4
/** Follows a word, so that its last three characters begin a run. */
const END = '\ue000'

const runs = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - RUN_LENGTH + 1) }, (_, at) =>
    text.slice(at, at + RUN_LENGTH),
  )

/** The runs of four characters of a word, by which it is found. */
export const runsOf = (word: string): string => runs(word + END).join(' ')

/** The FTS5 query for the words that may contain the part: all of its runs, or those that begin with it. */
export const runQuery = (part: string): string =>
  part.length < RUN_LENGTH ? `"${part}" *` : [...new Set(runs(part))].map((run) => `"${run}"`).join(' AND ')
