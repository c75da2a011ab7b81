import { strictDecoder } from '../../src/lib/decoders.ts'

const tables = new Map<string, Map<string, number[]>>()

/** The characters of an encoding with one or two bytes each. */
function tableOf(encoding: string): Map<string, number[]> {
  const known = tables.get(encoding)
  if (known) return known
  const table = new Map<string, number[]>()
  const decoder = strictDecoder(encoding)
  const add = (...bytes: number[]) => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes))
      if ([...text].length === 1 && !table.has(text)) table.set(text, bytes)
    } catch {
      // Not a character.
    }
  }
  for (let first = 0; first < 256; first++) add(first)
  const isWide = /jis|jp|big5|kr|gb/.test(encoding)
  for (let first = 0x81; isWide && first < 0xff; first++)
    for (let next = 0x40; next < 0xff; next++) add(first, next)
  tables.set(encoding, table)
  return table
}

/** Text in any encoding that the platform decodes. Throws for a character that the encoding lacks. */
export function encodeAs(encoding: string, text: string): Uint8Array<ArrayBuffer> {
  if (encoding === 'utf-8') return new TextEncoder().encode(text)
  if (encoding === 'utf-16le') return Uint8Array.from(Buffer.from(text, 'utf16le'))
  if (encoding === 'utf-16be') return Uint8Array.from(Buffer.from(text, 'utf16le').swap16())
  const table = tableOf(encoding)
  return Uint8Array.from(
    [...text].flatMap((character) => {
      const bytes = table.get(character)
      if (!bytes) throw new Error(`${encoding} has no ${character}`)
      return bytes
    }),
  )
}
