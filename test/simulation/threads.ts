import type { Random } from '../../scripts/lib/random.ts'
import { serveThread, type ThreadOptions } from '../../src/kernel/thread.ts'
import { findOperation } from '../../src/operations.ts'
import { credentials } from '../../src/people/sessions/sessions.ts'
import type { CheckpointTask } from '../../src/storage/connection/checkpoint.ts'
import { runCheckpoint } from '../../src/storage/connection/checkpoint-task.ts'
import type { StartThread, Thread } from '../../src/storage/thread-start.ts'
import type { SimulatedDisk } from './disk.ts'
import type { Platform, SimulatedProcess } from './platform.ts'

/* Threads of a simulated server: each message runs as an event of the process, after a delay that the seed chooses. */

const OPTIONS: ThreadOptions = { findOperation, credentials, isSimulated: true }

interface Surroundings {
  readonly platform: Platform
  readonly process: SimulatedProcess
  readonly random: Random
  readonly disk: SimulatedDisk
}

/** Delivers messages one after another, each some time after it was sent. */
function channel({ platform, process, random }: Surroundings, deliver: (message: unknown) => void) {
  let freeAt = 0
  return (message: unknown, onDelivered = () => {}) => {
    freeAt = Math.max(freeAt, platform.elapsedMs + random.next() * 3)
    platform.schedule(process, freeAt - platform.elapsedMs, () => {
      onDelivered()
      deliver(message)
    })
  }
}

function newThread(connect: (thread: Thread) => (message: unknown) => void): Thread {
  const thread: Thread = {
    onmessage: null,
    onerror: null,
    postMessage: () => {},
    addEventListener: () => {},
    ref: () => {},
    unref: () => {},
    terminate: () => {
      thread.onmessage = null
      thread.postMessage = () => {}
    },
  }
  thread.postMessage = connect(thread)
  return thread
}

/** Runs operations and jobs. A commit in a thread is synced by SQLite itself, before the thread responds. */
const workerThread = (around: Surroundings): Thread =>
  newThread((thread) => {
    const respond = channel(around, (data) => thread.onmessage?.({ data } as MessageEvent))
    const port: Parameters<typeof serveThread>[1] = {
      onmessage: null,
      postMessage: (message) => respond(message, around.disk.committedByThread()),
    }
    serveThread(OPTIONS, port)
    return channel(around, (data) => port.onmessage?.({ data } as MessageEvent))
  })

const checkpointThread = (around: Surroundings): Thread =>
  newThread((thread) => {
    const respond = channel(around, (data) => thread.onmessage?.({ data } as MessageEvent))
    return channel(around, (task) => {
      let result: unknown
      const onSeen = around.disk.checkpointing(() => {
        result = runCheckpoint(task as CheckpointTask)
      })
      respond(result, onSeen)
    })
  })

/** The features whose operations may run in threads here. */
const FEATURES = [
  'account',
  'change-feed',
  'comments',
  'events',
  'files',
  'jobs',
  'lenses',
  'mirror',
  'notes',
  'people',
  'presets',
  'properties',
  'quick-access',
  'records',
  'row-views',
  'sessions',
  'shares',
  'sources',
  'structures',
  'tags',
  'views',
  'webhooks',
]

/** Loads the modules of threads and of agents, which takes real time once. */
export const preloadOperations = async (): Promise<void> => {
  for (const feature of FEATURES) await findOperation(`${feature}.`).catch(() => {})
  await import('../../src/clients/mcp/endpoint.ts')
}

export const startThreadIn =
  (around: Surroundings): StartThread =>
  (program) =>
    program === 'worker.ts' ? workerThread(around) : checkpointThread(around)
