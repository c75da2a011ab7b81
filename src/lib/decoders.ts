/** A decoder that throws on invalid input. Bun knows every encoding of the Encoding Standard; its types do not. */
export const strictDecoder = (encoding: string): TextDecoder =>
  new TextDecoder(encoding as 'utf-8', { fatal: true })

/** The encodings that a byte order mark names. */
export const MARKED_ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be'] as const
export type MarkedEncoding = (typeof MARKED_ENCODINGS)[number]

/** The encoding that the byte order mark names; undefined without one. */
export function markedEncoding(bytes: Uint8Array): MarkedEncoding | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

/** The encodings that can be named for a file of rows. There is no ISO 8859-12. */
export const ENCODINGS: readonly string[] = [
  ...MARKED_ENCODINGS,
  ...Array.from({ length: 9 }, (_, at) => `windows-125${at}`),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15].map((part) => `iso-8859-${part}`),
  ...['shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr', 'koi8-r'],
]
