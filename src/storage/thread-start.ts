import { workerProgram } from '../lib/program.ts'

/**
 * The side of a thread that its starter uses. A `Worker` is one; a simulation passes threads that it schedules itself.
 */
export interface Thread {
  onmessage: ((event: MessageEvent) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  postMessage(message: unknown): void
  addEventListener(type: 'close', listener: () => void): void
  ref(): void
  unref(): void
  terminate(): void
}

/** Starts a program, given by its path in `src`, in a new thread. */
export type StartThread = (program: string) => Thread

export const startWorker: StartThread = (program) => new Worker(workerProgram(program))
