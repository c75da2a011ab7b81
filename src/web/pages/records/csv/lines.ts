import { startWorker } from '../../../data/worker.ts'

/** How the person reads a file. */
export interface FileReading {
  /** Undefined: UTF-8, else a guess. */
  readonly encoding?: string | undefined
  /** Lines above the headings. */
  readonly skipLines?: number | undefined
}

export interface FileLines extends FileReading {
  readonly file: File
  /** Only this many of the first lines. */
  readonly preview?: number | undefined
}

/** A message to the worker: a file, then `next` for each further chunk. */
export type LinesRequest = FileLines | 'next'

/** Lines of the file, and the fraction of it read so far, from 0 to 1. */
export interface Chunk {
  readonly lines: readonly (readonly string[])[]
  readonly part: number
  readonly encoding?: string
  readonly isLast?: boolean
  readonly error?: string
}

/** Reads the lines of a CSV file in a worker; each chunk is read on demand. */
export async function* readLines(lines: FileLines): AsyncGenerator<Chunk> {
  const worker = startWorker('csv')
  const ready = new Promise<void>((resolve) => {
    worker.onmessage = () => resolve()
  })
  const request = (message: LinesRequest) =>
    new Promise<Chunk>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Chunk>) => resolve(data)
      worker.onerror = () => reject(new Error('The file could not be read.'))
      worker.postMessage(message)
    })
  try {
    await ready
    let chunk = await request(lines)
    while (!chunk.isLast) {
      yield chunk
      chunk = await request('next')
    }
    if (chunk.error !== undefined) throw new Error(chunk.error)
  } finally {
    worker.terminate()
  }
}
