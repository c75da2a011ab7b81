import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** This nice value gives a thread about a third of the processor time of an ordinary one. */
const NICE_INCREMENT = 5
const MAX_NICE = 19

/**
 * Lowers the scheduling priority of the calling thread. Only Linux has priorities per thread; on other systems, and
 * where it is not permitted, nothing changes.
 */
export function lowerThreadPriority(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    setPriority(thread, Math.min(MAX_NICE, getPriority(thread) + NICE_INCREMENT))
  } catch {
    // A failure is harmless: large queries only slow down other work more.
  }
}
