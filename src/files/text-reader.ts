import type { AppContext } from '../context.ts'
import { claimFile, listWaiting } from './claims.ts'
import { keepResult, readText } from './read-text.ts'

/** So many files are read at the same time. */
const AT_ONCE = 2

/** What was put off is tried again so much later. */
const LOOK_EVERY_MS = 5_000

/**
 * Reads the text of files in the background: of those that waited at the start, were being read when a server
 * died, or come from another process. Answers how to stop.
 */
export function startReadingFiles({ db, log }: AppContext): () => void {
  const running = new Set<number>()
  const ending = new AbortController()

  const putOff = (error: unknown): void => {
    if (!ending.signal.aborted) log.warn('reading files is put off', { error: String(error) })
  }

  const read = async (file: number): Promise<void> => {
    const claim = await db.write((tx) => claimFile(tx, file))
    if (!claim || ending.signal.aborted) return
    const extraction = readText(db, claim)
    ending.signal.addEventListener('abort', extraction.stop)
    const result = await extraction.result
    ending.signal.removeEventListener('abort', extraction.stop)
    if (result) await keepResult(db, claim, result, ending.signal)
  }

  const readNext = (): void => {
    if (ending.signal.aborted) return
    const waiting = listWaiting(db).filter((file) => !running.has(file))
    for (const file of waiting.slice(0, AT_ONCE - running.size)) {
      running.add(file)
      const done = read(file).finally(() => running.delete(file))
      done.then(look, putOff)
    }
  }

  const look = (): void => {
    try {
      readNext()
    } catch (error) {
      putOff(error)
    }
  }

  const timer = setInterval(look, LOOK_EVERY_MS)
  const stopListening = db.onExternalWrite(look)
  look()
  return () => {
    ending.abort()
    clearInterval(timer)
    stopListening()
  }
}
