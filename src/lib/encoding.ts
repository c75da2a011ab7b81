import { refused } from '../refusal.ts'

/** The encoding that the byte order mark names; undefined without one. */
export function markedEncoding(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

/**
 * A decoder for a file that begins with these bytes: of UTF-8, or UTF-16 with a byte order mark; it throws at
 * anything else.
 */
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
