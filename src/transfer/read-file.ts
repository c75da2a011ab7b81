import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { strictDecoder } from '../lib/decoders.ts'
import { decoderFor, decodeText, encodingRefusal } from '../lib/encoding.ts'
import { type Refusal, refused } from '../lib/refusal.ts'

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'check its permissions',
  EPERM: 'check its permissions',
  ELOOP: 'its symbolic links form a circle, so name the file that they should lead to',
  ENAMETOOLONG: 'its name is too long for this system, so shorten it',
}

/** A failed system call, such as EACCES while reading, as a refusal; undefined for any other error. */
export function systemRefusal(error: unknown, what = 'it'): Refusal | undefined {
  const { syscall, code = '' } = error as NodeJS.ErrnoException
  if (syscall === undefined) return undefined
  return refused(`${what} cannot be read (${code}); ${ADVICE[code] ?? 'check the disk that it is on'}.`)
}

const CHUNK_BYTES = 262_144

/**
 * Decodes a file chunk by chunk, synchronously because a transaction cannot wait. Without an encoding, accepts UTF-8,
 * and UTF-16 with a byte order mark. Refuses bytes that are not of the encoding.
 */
export function* textChunks(file: string, encoding?: string): Generator<{ text: string; bytesRead: number }> {
  const handle = openSync(file, 'r')
  try {
    const chunk = new Uint8Array(CHUNK_BYTES)
    let length = readSync(handle, chunk)
    const decoder = encoding === undefined ? decoderFor(chunk) : strictDecoder(encoding)
    for (let bytesRead = length; length > 0; bytesRead += length) {
      yield { text: decoder.decode(chunk.subarray(0, length), { stream: true }), bytesRead }
      length = readSync(handle, chunk)
    }
    const text = decoder.decode()
    if (text !== '') yield { text, bytesRead: statSync(file).size }
  } catch (error) {
    if (encoding === undefined || !(error instanceof TypeError)) throw encodingRefusal(error, file)
    throw refused(`${file} is not ${encoding} text; name its encoding with --encoding.`)
  } finally {
    closeSync(handle)
  }
}

/** Far more than any exported file that is read at once, and small enough for the memory. */
const MAX_TEXT_BYTES = 268_435_456
/** Longer than any row that can be stored. */
const MAX_LINE_LENGTH = 16_777_216

/** Decodes a whole file at once, with the same rules as `textChunks`. Refuses a file too large to be an export. */
export function readText(file: string): string {
  if (statSync(file).size > MAX_TEXT_BYTES)
    throw refused(`${file} is larger than 256 MiB, which no exported file of this kind is; export again.`)
  return decodeText(readFileSync(file), file)
}

/** The lines of a file without their line feeds; the last one may be empty. Refuses lines longer than any row. */
export function* linesOf(file: string): Generator<string> {
  let rest = ''
  for (const { text } of textChunks(file)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
    if (rest.length > MAX_LINE_LENGTH)
      throw refused(`${file} has a line that is longer than 16 MiB, which no exported row is; export again.`)
  }
  yield rest
}
