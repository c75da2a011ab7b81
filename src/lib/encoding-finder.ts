import { markedEncoding, strictDecoder } from './decoders.ts'
import { guessEncoding, wideEncoding } from './encoding-guess.ts'

export interface FoundEncoding {
  /** Undefined if the bytes are no text, or UTF-8 of which a part is damaged. */
  readonly encoding: string | undefined
  /** Undefined for UTF-8, and if a byte order mark names the encoding. */
  readonly guess?: 'clear' | 'weak'
  readonly isDamaged?: true
}

const UTF_8: FoundEncoding = { encoding: 'utf-8' }

const MAX_INCOMPLETE = 3

/** Finds the encoding of a file that arrives in parts: UTF-8, what a byte order mark names, or a guess. */
export class EncodingFinder {
  readonly #decoder = strictDecoder('utf-8')
  #isFirst = true
  #last: Uint8Array = new Uint8Array()
  /** Whether earlier parts have characters outside ASCII, so that only UTF-8 explains them. */
  #isUtf8 = false

  /** Undefined while the bytes are UTF-8, which the next part may not be. */
  push(bytes: Uint8Array): FoundEncoding | undefined {
    const isFirst = this.#isFirst
    this.#isFirst = false
    const marked = isFirst ? markedEncoding(bytes) : undefined
    if (marked !== undefined) return { encoding: marked }
    // The zero bytes of UTF-16 are valid UTF-8.
    const wide = isFirst ? wideEncoding(bytes) : undefined
    if (wide !== undefined) return { encoding: wide, guess: 'clear' }
    this.#last = bytes
    return this.#isValid(bytes, true) ? undefined : this.#guess()
  }

  /** The encoding after the last part, if `push` has not returned it. */
  finish(): FoundEncoding {
    return this.#isValid(new Uint8Array(), false) ? UTF_8 : this.#guess()
  }

  #guess = (): FoundEncoding =>
    this.#isUtf8 ? { encoding: undefined, isDamaged: true } : guessFor(this.#last)

  #isValid(bytes: Uint8Array, stream: boolean): boolean {
    try {
      const { length } = this.#decoder.decode(bytes, { stream })
      // Incomplete characters at the ends of parts differ by at most three bytes.
      this.#isUtf8 ||= Math.abs(bytes.length - length) > MAX_INCOMPLETE
      return true
    } catch {
      return false
    }
  }
}

/** The encoding of a whole file. */
export function findEncoding(bytes: Uint8Array): FoundEncoding {
  const finder = new EncodingFinder()
  return finder.push(bytes) ?? finder.finish()
}

function guessFor(bytes: Uint8Array): FoundEncoding {
  if (isDamagedUtf8(bytes)) return { encoding: undefined, isDamaged: true }
  const found = guessEncoding(sampleOf(bytes))
  return found
    ? { encoding: found.encoding, guess: found.isWeak ? 'weak' : 'clear' }
    : { encoding: undefined }
}

const SAMPLE_BYTES = 32_768
const LINE_FEED = 0x0a

/** The lines with bytes outside ASCII. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const sample: number[] = []
  for (let begin = 0; begin < bytes.length && sample.length < SAMPLE_BYTES; ) {
    const found = bytes.indexOf(LINE_FEED, begin)
    const end = found < 0 ? bytes.length : found + 1
    const line = bytes.subarray(begin, Math.min(end, begin + SAMPLE_BYTES))
    if (line.some((byte) => byte > 0x7f)) sample.push(...line)
    begin = end
  }
  return Uint8Array.from(sample)
}

const FIRST_OUTSIDE_ASCII = 0x80

/** Whether most bytes outside ASCII form characters of UTF-8, which other encodings hardly ever do. */
function isDamagedUtf8(bytes: Uint8Array): boolean {
  let characters = 0
  let strange = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte < FIRST_OUTSIDE_ASCII) continue
    const length = lengthAfter(byte)
    const rest = bytes.subarray(at + 1, at + 1 + length)
    if (length > 0 && rest.length === length && rest.every((next) => next >> 6 === 2)) {
      characters++
      at += length
    } else strange++
  }
  return characters > 2 * strange
}

/** How many bytes follow the first one of a character in UTF-8; 0 if none begins with it. */
function lengthAfter(byte: number): number {
  if (byte >= 0xc2 && byte <= 0xdf) return 1
  if (byte >= 0xe0 && byte <= 0xef) return 2
  return byte >= 0xf0 && byte <= 0xf4 ? 3 : 0
}
