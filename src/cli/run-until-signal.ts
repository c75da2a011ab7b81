import type { RunningServer } from '../server.ts'
import type { Io } from './io.ts'

export const LAST_MESSAGES_MS = 1_000
/** Longer than all time limits of a shutdown together. */
const STOP_AT_MOST_MS = 20_000

/**
 * Prints the address of a server, and stops it when the process is asked to end or its database is lost. Returns the
 * exit code.
 */
export async function runUntilSignal(
  server: RunningServer,
  io: Io,
  signal: Promise<unknown> = io.untilSignal(),
  beforeStop = () => {},
): Promise<number> {
  // Signal handlers are installed already, because readers of the line may send a signal at once.
  io.out(`daybook listening on ${server.url}\n`)
  const lost = await Promise.race([signal.then(() => undefined), server.lost])
  io.endWithin(STOP_AT_MOST_MS, 1)
  beforeStop()
  let isClosed = true
  try {
    isClosed = await server.stop()
  } finally {
    if (isClosed) io.endWithin(LAST_MESSAGES_MS)
    else io.killAfter(LAST_MESSAGES_MS)
  }
  if (lost === undefined) return 0
  io.err(`${lost}\n`)
  return 1
}
