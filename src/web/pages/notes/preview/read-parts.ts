import { startWorker } from '../../../data/worker.ts'
import type { NoteRequest, PartsRequest, PartsResponse } from './parts.ts'

/** What a reader waits for at most. */
const DEADLINE_MS = 2_000

/** Receives each part in turn; the next one comes after `drawn` was called. */
export interface PartsReader {
  onPart(part: Exclude<PartsResponse, 'too much'>, drawn: () => void): void
  onTooMuch(): void
}

/** Takes a note apart off the main thread, and for no longer than a reader waits. Returns the function that ends it. */
export function readParts(note: NoteRequest, { onPart, onTooMuch }: PartsReader): () => void {
  const worker = startWorker('preview')
  let deadline: ReturnType<typeof setTimeout> | undefined
  const end = () => {
    clearTimeout(deadline)
    worker.terminate()
  }
  const giveUp = () => {
    end()
    onTooMuch()
  }
  const ask = (request: PartsRequest) => {
    deadline = setTimeout(giveUp, DEADLINE_MS)
    worker.postMessage(request)
  }
  worker.onerror = giveUp
  worker.onmessage = ({ data }: MessageEvent<PartsResponse | 'ready'>) => {
    clearTimeout(deadline)
    if (data === 'ready') ask(note)
    else if (data === 'too much') giveUp()
    else {
      onPart(data, () => ask('next'))
      if (data.isLast) end()
    }
  }
  return end
}
