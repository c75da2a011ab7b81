import type { AppContext } from '../context.ts'
import { claimFile, listWaiting } from './claims.ts'
import { keepResult, readText } from './reading.ts'

/** So many files are read at the same time. */
const AT_ONCE = 2

/** What was put off is tried again so much later. */
const LOOK_EVERY_MS = 5_000

/**
 * Reads the text of files in the background: of those that waited at the start, were being read when a server
 * died, or come from another process. Answers how to stop.
 */
export function startReadingFiles({ db, log }: AppContext): () => void {
  const running = new Map<number, () => void>()
  let isStopped = false

  const read = async (file: number): Promise<void> => {
    const claim = await db.write((tx) => claimFile(tx, file))
    if (!claim || isStopped) return
    const extraction = readText(db, claim)
    running.set(file, extraction.stop)
    const result = await extraction.result
    if (result && !isStopped) await keepResult(db, claim, result)
  }

  const begin = (file: number): void => {
    running.set(file, () => {})
    const putOff = (error: unknown) => {
      running.delete(file)
      if (!isStopped) log.warn('reading a file is put off', { error: String(error) })
    }
    read(file).then(() => {
      running.delete(file)
      look()
    }, putOff)
  }

  const look = (): void => {
    if (isStopped) return
    const waiting = listWaiting(db).filter((file) => !running.has(file))
    for (const file of waiting.slice(0, AT_ONCE - running.size)) begin(file)
  }

  const timer = setInterval(look, LOOK_EVERY_MS)
  const stopListening = db.onForeignWrite(look)
  look()
  return () => {
    isStopped = true
    clearInterval(timer)
    stopListening()
    for (const stop of running.values()) stop()
  }
}
