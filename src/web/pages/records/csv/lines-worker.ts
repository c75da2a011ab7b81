import { MisplacedQuote } from '../../../../lib/csv-parser.ts'
import { CsvReader } from '../../../../lib/csv-reader.ts'
import { EncodingFinder, type FoundEncoding } from '../../../../lib/encoding-finder.ts'
import type { Chunk, FileLines, LinesRequest } from './lines.ts'

/** The file is read in parts, so that a large one is never entirely in memory. */
const PART_BYTES = 128 * 1024

const UNKNOWN = 'This is not text in a known encoding. Save the file as UTF-8, or choose its encoding.'

async function* partsOf(file: File): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < file.size; from += PART_BYTES)
    yield new Uint8Array(await file.slice(from, from + PART_BYTES).arrayBuffer())
}

async function encodingOf(file: File): Promise<FoundEncoding> {
  const finder = new EncodingFinder()
  for await (const part of partsOf(file)) {
    const found = finder.push(part)
    if (found) return found
  }
  return finder.finish()
}

async function* chunksOf({ file, encoding, skipLines, preview }: FileLines): AsyncGenerator<Chunk> {
  const found = encoding === undefined ? await encodingOf(file) : { encoding }
  if (found.encoding === undefined) throw new Error(UNKNOWN)
  const decoder = new TextDecoder(found.encoding)
  const reader = new CsvReader({ skipLines })
  let read = 0
  for await (const bytes of partsOf(file)) {
    read += bytes.length
    const isLast = read >= file.size
    const text = decoder.decode(bytes, { stream: !isLast })
    const lines = reader.push(text, isLast)
    if (lines.length === 0) continue
    yield { lines: lines.slice(0, preview), part: read / file.size, encoding: found.encoding }
    if (preview !== undefined) return
  }
}

function errorText(error: unknown): string {
  if (error instanceof MisplacedQuote) return `In line ${error.row + 1}, ${error.message}`
  return error instanceof Error ? error.message : String(error)
}

let chunks: AsyncGenerator<Chunk> | undefined

async function next(): Promise<Chunk> {
  const end: Chunk = { lines: [], part: 1, isLast: true }
  try {
    return (await chunks?.next())?.value ?? end
  } catch (error) {
    return { ...end, error: errorText(error) }
  }
}

addEventListener('message', async ({ data }: MessageEvent<LinesRequest>) => {
  if (data !== 'next') chunks = chunksOf(data)
  postMessage(await next())
})
// The page sends the file after this message; earlier messages would be lost.
postMessage('ready')
