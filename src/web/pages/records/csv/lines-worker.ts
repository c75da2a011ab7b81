import Papa from 'papaparse/papaparse.min.js'
import type { Chunk, LinesRequest } from './lines.ts'

/** The file is read in chunks, so that a large one is never entirely in memory. */
const CHUNK_BYTES = 128 * 1024

const send = (chunk: Chunk) => postMessage(chunk)

let parser: { resume(): void } | undefined

function parse({ file, preview }: Extract<LinesRequest, { file: File }>): void {
  Papa.parse<string[]>(file, {
    chunkSize: CHUNK_BYTES,
    skipEmptyLines: 'greedy',
    ...(preview !== undefined && { preview }),
    chunk: ({ data, meta }, running) => {
      running.pause()
      parser = running
      send({ lines: data, part: Math.min(1, meta.cursor / Math.max(1, file.size)) })
    },
    complete: () => send({ lines: [], part: 1, isLast: true }),
    error: ({ message }) => send({ lines: [], part: 1, isLast: true, error: message }),
  })
}

addEventListener('message', ({ data }: MessageEvent<LinesRequest>) => {
  if (data === 'next') parser?.resume()
  else parse(data)
})
// The page sends the file after this message; earlier messages would be lost.
postMessage('ready')
