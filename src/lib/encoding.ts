import { type MarkedEncoding, markedEncoding, strictDecoder } from './decoders.ts'
import { refused } from './refusal.ts'

/**
 * A decoder for a file that begins with these bytes: UTF-8, or UTF-16 with a byte order mark. It throws on invalid
 * input.
 */
export const decoderFor = (beginning: Uint8Array) => strictDecoder(markedEncoding(beginning) ?? 'utf-8')

/** Turns a decoder error into a refusal that names the file; returns every other error unchanged. */
export const encodingRefusal = (error: unknown, file: string): unknown =>
  error instanceof TypeError ? refused(`${file} is not UTF-8 text; save it as UTF-8.`) : error

/** Decodes a file; refusals name it. */
export function decodeText(bytes: Uint8Array, file: string): string {
  try {
    return decoderFor(bytes).decode(bytes)
  } catch (error) {
    throw encodingRefusal(error, file)
  }
}

const MARK = '\ufeff'

/** The inverse of `decodeText`: the bytes of a file with this byte order mark, or of UTF-8 without one. */
export function encodeText(text: string, mark: MarkedEncoding | undefined): Uint8Array {
  if (mark === undefined) return new TextEncoder().encode(text)
  if (mark === 'utf-8') return new TextEncoder().encode(MARK + text)
  const little = Buffer.from(MARK + text, 'utf16le')
  return mark === 'utf-16le' ? little : little.swap16()
}

const LONG_TEXT = 65_536

/** The bytes of long text, which cross between threads without a copy. */
export const encoded = (text: string): string | Uint8Array<ArrayBuffer> =>
  text.length > LONG_TEXT ? new TextEncoder().encode(text) : text
