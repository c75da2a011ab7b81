import { closeSync, openSync, readSync } from 'node:fs'
import { EncodingFinder, type FoundEncoding } from '../../lib/encoding-finder.ts'
import { refused } from '../../lib/refusal.ts'

const CHUNK_BYTES = 1_048_576
const ADVICE = 'name its encoding with --encoding, such as --encoding windows-1252'

/** The encoding that a file names or is guessed to have. Refuses a file that is no text, or damaged UTF-8. */
export function encodingOf(file: string): FoundEncoding & { readonly encoding: string } {
  const { encoding, guess, isDamaged } = foundIn(file)
  if (isDamaged) throw refused(`${file} is UTF-8 text with some bytes that are not; repair it, or ${ADVICE}.`)
  if (encoding === undefined)
    throw refused(`${file} is not text in a known encoding; save it as UTF-8, or ${ADVICE}.`)
  return { encoding, ...(guess && { guess }) }
}

function foundIn(file: string): FoundEncoding {
  const handle = openSync(file, 'r')
  try {
    const finder = new EncodingFinder()
    const chunk = new Uint8Array(CHUNK_BYTES)
    for (let length = readSync(handle, chunk); length > 0; length = readSync(handle, chunk)) {
      const found = finder.push(chunk.subarray(0, length))
      if (found) return found
    }
    return finder.finish()
  } finally {
    closeSync(handle)
  }
}
