import Papa from 'papaparse/papaparse.min.js'
import type { LinesRequest, Piece } from './lines.ts'

/** The file is read in pieces of this size, so that a large one is never whole in memory. */
const PIECE_BYTES = 128 * 1024

const send = (piece: Piece) => postMessage(piece)

let parser: { resume(): void } | undefined

function parse({ file, preview }: Extract<LinesRequest, { file: File }>): void {
  Papa.parse<string[]>(file, {
    chunkSize: PIECE_BYTES,
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
// The page waits for this before it sends the file: until now a message would have been lost.
postMessage('ready')
