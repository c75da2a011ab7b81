import { markedEncoding } from '../lib/encoding.ts'
import { refused } from '../refusal.ts'

/** A decoder for a file that begins with these bytes: of UTF-8, or UTF-16 with a byte order mark; it throws at anything else. */
export const decoderFor = (beginning: Uint8Array) =>
  new TextDecoder(markedEncoding(beginning) ?? 'utf-8', { fatal: true })

/** An error of a decoder as a refusal that names the file; every other error as it is. */
export const encodingRefusal = (error: unknown, file: string): unknown =>
  error instanceof TypeError ? refused(`${file} is not UTF-8 text; save it as UTF-8.`) : error

/** Decodes the bytes of a file, which is named in the refusal. */
export function decodeText(bytes: Uint8Array, file: string): string {
  try {
    return decoderFor(bytes).decode(bytes)
  } catch (error) {
    throw encodingRefusal(error, file)
  }
}
