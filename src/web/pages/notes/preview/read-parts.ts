import { startWorker } from '../../../data/worker.ts'
import type { NoteRequest, PartsRequest, PartsResponse } from './parts.ts'

/** Time limit per part. */
const DEADLINE_MS = 2_000

/** Receives the parts in order; each further part is sent after `requestNext` was called. */
export interface PartsHandler {
  onPart(part: Exclude<PartsResponse, 'too large'>, requestNext: () => void): void
  onTooLarge(): void
}

/** Parses a note in a worker, with a time limit per part. Returns the function that cancels it. */
export function readParts(note: NoteRequest, { onPart, onTooLarge }: PartsHandler): () => void {
  const worker = startWorker('preview')
  let deadline: ReturnType<typeof setTimeout> | undefined
  const end = () => {
    clearTimeout(deadline)
    worker.terminate()
  }
  const fail = () => {
    end()
    onTooLarge()
  }
  const send = (request: PartsRequest) => {
    deadline = setTimeout(fail, DEADLINE_MS)
    worker.postMessage(request)
  }
  worker.onerror = fail
  worker.onmessage = ({ data }: MessageEvent<PartsResponse | 'ready'>) => {
    clearTimeout(deadline)
    if (data === 'ready') send(note)
    else if (data === 'too large') fail()
    else {
      onPart(data, () => send('next'))
      if (data.isLast) end()
    }
  }
  return end
}
