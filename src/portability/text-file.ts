import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { markedEncoding } from '../files/extraction/plain.ts'
import { refused } from '../refusal.ts'

const CHUNK_BYTES = 1_048_576

const decoderFor = (beginning: Uint8Array) =>
  new TextDecoder(markedEncoding(beginning) ?? 'utf-8', { fatal: true })

const asRefusal = (error: unknown, file: string): unknown =>
  error instanceof TypeError ? refused(`${file} is not UTF-8 text; save it as UTF-8.`) : error

/**
 * Decodes a file piece by piece, reading synchronously: a transaction cannot wait. UTF-8, or UTF-16 with a byte order
 * mark; anything else is refused.
 */
export function* textOf(file: string): Generator<{ text: string; bytesRead: number }> {
  const handle = openSync(file, 'r')
  try {
    const chunk = new Uint8Array(CHUNK_BYTES)
    let length = readSync(handle, chunk)
    const decoder = decoderFor(chunk)
    for (let bytesRead = length; length > 0; bytesRead += length) {
      yield { text: decoder.decode(chunk.subarray(0, length), { stream: true }), bytesRead }
      length = readSync(handle, chunk)
    }
    decoder.decode()
  } catch (error) {
    throw asRefusal(error, file)
  } finally {
    closeSync(handle)
  }
}

/** Decodes a file at once, in the same way. */
export function readText(file: string): string {
  const bytes = readFileSync(file)
  try {
    return decoderFor(bytes).decode(bytes)
  } catch (error) {
    throw asRefusal(error, file)
  }
}

/** The lines of a file without their ends; the last one may be empty. */
export function* linesOf(file: string): Generator<string> {
  let rest = ''
  for (const { text } of textOf(file)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  yield rest
}
