import { startWorker } from '../../../data/worker.ts'

/** What the page sends to the worker: a file, of which the first lines may be enough, then the wish for more. */
export type LinesRequest = { readonly file: File; readonly preview?: number } | 'next'

/** Lines of the file, and how much of it has been read by then, from 0 to 1. */
export interface Piece {
  readonly lines: readonly (readonly string[])[]
  readonly part: number
  readonly isLast?: boolean
  readonly error?: string
}

/** Reads the lines of a csv file off the main thread; the next are read when they are asked for. */
export async function* readLines(file: File, preview?: number): AsyncGenerator<Piece> {
  const worker = startWorker('csv')
  const received = new Promise<void>((resolve) => {
    worker.onmessage = () => resolve()
  })
  const ask = (request: LinesRequest) =>
    new Promise<Piece>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Piece>) => resolve(data)
      worker.onerror = () => reject(new Error('The file could not be read.'))
      worker.postMessage(request)
    })
  try {
    await received
    let piece = await ask({ file, ...(preview !== undefined && { preview }) })
    while (!piece.isLast) {
      yield piece
      piece = await ask('next')
    }
    if (piece.error !== undefined) throw new Error(piece.error)
  } finally {
    worker.terminate()
  }
}
