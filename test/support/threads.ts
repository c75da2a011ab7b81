import { serveThread, type ThreadOptions } from '../../src/kernel/thread.ts'
import { findOperation } from '../../src/operations.ts'
import { credentials } from '../../src/people/sessions/sessions.ts'
import type { CheckpointTask } from '../../src/storage/connection/checkpoint.ts'
import { runCheckpoint } from '../../src/storage/connection/checkpoint-task.ts'
import type { StartThread, Thread } from '../../src/storage/thread-start.ts'

/*
 * Threads that run on the thread of the test, for suites that start many services on files and state nothing of threads.
 * A thread of the system costs 90 ms of processor time.
 */

const OPTIONS: ThreadOptions = { findOperation, credentials, isSimulated: true }

type Receive = (message: unknown) => void

/** The handler of the messages to a thread, which responds to its starter. */
function handlerOf(program: string, respond: Receive, options: ThreadOptions): Receive {
  if (program !== 'worker.ts') return (task) => respond(runCheckpoint(task as CheckpointTask))
  const port: Parameters<typeof serveThread>[1] = {
    onmessage: null,
    postMessage: (message, transfer) => respond(structuredClone(message, { transfer })),
  }
  serveThread(options, port)
  return (data) => port.onmessage?.({ data } as MessageEvent)
}

/** Starts threads that find operations in this way; `onMessage` is called with each message to one. */
export const threadsHere =
  (find: ThreadOptions['findOperation'], onMessage: Receive): StartThread =>
  (program) => {
    const thread = startHere(program, { ...OPTIONS, findOperation: find })
    const { postMessage } = thread
    thread.postMessage = (message) => {
      onMessage(message)
      postMessage(message)
    }
    return thread
  }

export const startThreadHere: StartThread = (program) => startHere(program, OPTIONS)

function startHere(program: string, options: ThreadOptions): Thread {
  let hasEnded = false
  const later = (receive: Receive) => (message: unknown) =>
    void setImmediate(() => hasEnded || receive(message))
  const thread: Thread = {
    onmessage: null,
    onerror: null,
    postMessage: () => {},
    addEventListener: () => {},
    ref: () => {},
    unref: () => {},
    terminate: () => {
      hasEnded = true
    },
  }
  thread.postMessage = later(
    handlerOf(
      program,
      later((data) => thread.onmessage?.({ data } as MessageEvent)),
      options,
    ),
  )
  return thread
}
