import { startWorker } from '../../../data/worker.ts'

/** A message to the worker: a file, with `preview` only its first lines; then `next` for each further chunk. */
export type LinesRequest = { readonly file: File; readonly preview?: number } | 'next'

/** Lines of the file, and the fraction of it read so far, from 0 to 1. */
export interface Chunk {
  readonly lines: readonly (readonly string[])[]
  readonly part: number
  readonly isLast?: boolean
  readonly error?: string
}

/** Reads the lines of a CSV file in a worker; each chunk is read on demand. */
export async function* readLines(file: File, preview?: number): AsyncGenerator<Chunk> {
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
    let chunk = await request({ file, ...(preview !== undefined && { preview }) })
    while (!chunk.isLast) {
      yield chunk
      chunk = await request('next')
    }
    if (chunk.error !== undefined) throw new Error(chunk.error)
  } finally {
    worker.terminate()
  }
}
