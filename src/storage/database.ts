import { reach } from '../lib/failure-points.ts'
import type { Histogram } from '../lib/histogram.ts'
import { createIdSource, type IdSource } from '../lib/ids.ts'
import type { Refusal } from '../lib/refusal.ts'
import { Checkpoints, type FollowedLog, type LogFollower } from './connection/checkpoint.ts'
import { Health, WalSync } from './connection/health.ts'
import { LogGrowth } from './connection/log-growth.ts'
import { closeDatabase, type OpenOptions, openWritingConnection } from './connection/open.ts'
import { releasePageCaches } from './connection/page-caches.ts'
import { Reading } from './connection/reading.ts'
import { unlessStorageFails } from './errors.ts'
import type { Reader } from './reader.ts'
import { Sql } from './sql.ts'
import type { WriteFunction } from './writes/transaction.ts'
import { type PausingAction, type Sync, type WriteOptions, WriteQueue } from './writes/write-queue.ts'

/** An open database. All reads use `sql`, all writes use `write`. */
export interface Db extends Reader {
  readonly file: string
  /**
   * The open file of a server. Other threads open the database by its path only while the path leads to this file.
   */
  readonly descriptor: number | undefined
  /** Runs the function in a transaction and returns its result after the commit (`writes/write-queue.ts`). */
  write<T>(run: WriteFunction<T>, options?: WriteOptions): Promise<T>
  /** Pauses writes while `action` writes over another connection (`writes/write-queue.ts`). */
  pauseDuring<T>(action: PausingAction<T>): Promise<T>
  /** Why reads or writes fail: while commits fail, and permanently after an unreadable page. */
  readonly problem: Refusal | undefined
  /** Whether the program that checkpoints the database, with `--checkpoint off`, seems to have stopped. */
  readonly isLogGrowing: boolean
  /** The refusal of every write while the disk does not respond or after a file was replaced. */
  readonly refusal: Refusal | undefined
  /** Calls the listener whenever the disk does not respond; returns a function that stops it. */
  onLateSync(listener: () => void): () => void
  /** Creates ids. */
  readonly ids: IdSource
  /**
   * Resolves once everything that other connections of this process can read is on the disk, usually at once. Rejects
   * after a commit that may be lost.
   */
  synced(): Promise<void>
  /** Differs after every commit of this process, once it is on the disk, and of another process. */
  readonly state: number
  /** A histogram of writes per committed transaction. */
  readonly commitSizes: Histogram
  /** Must be called with every error of a read; an unreadable page becomes a `problem`. */
  noteError(error: unknown): void
  /**
   * Calls the listener once, with a sentence for the operator, after another program replaced or removed a file of
   * the database or its disk failed. Every write is refused by then.
   */
  onLost(listener: (sentence: string) => void): void
  /**
   * Calls the listener within a fraction of a second after a write of another process; returns a function that stops
   * it.
   */
  onExternalWrite(listener: () => void): () => void
  /** Calls the listener after every commit of this process; returns a function that stops it. */
  onCommit(listener: () => void): () => void
  /** Follows the WAL: it restarts only once the follower has all of it. Only for the file of a server. */
  followLog(follower: LogFollower): FollowedLog
  /** Checkpoints as far as readers allow. */
  checkpoint(): void
  /** Long work awaits this between its parts, so that the WAL does not grow faster than it is checkpointed. */
  waitForCheckpoint(): Promise<void>
  /** Must be awaited before a server closes the database, because another thread may be syncing or checkpointing. */
  finishCheckpoint(): Promise<void>
  /**
   * Returns false if the disk of a server does not respond. The database then stays open, and the process must be
   * killed, because a normal exit would close it.
   */
  close(): boolean
}

/** How long the queue retries. The connection of a command waits for the lock by itself (`connection/open.ts`). */
const LOCK_WAIT_MS = { server: 2_000, command: 0 }
const EXTERNAL_POLL_MS = 200

/** Syncs commits in another thread. Until a commit is on the disk, reads see the state before it. */
const syncingWith = (walSync: WalSync, sql: Sql, reading: Reading | undefined): Sync => ({
  get hasResponded() {
    return walSync.hasResponded
  },
  run: () => walSync.run(),
  commit: () => {
    reading?.hold()
    try {
      sql.run('COMMIT')
    } catch (error) {
      reading?.release()
      throw error
    }
    reach('committed')
    return walSync.run()
  },
})

/** Returns a function that calls the listener if another connection has committed since the last call. */
function externalWriteCheck(sql: Sql, listener: () => void): () => void {
  const version = () => sql.scalar<number>('PRAGMA data_version')
  let lastVersion = version()
  return () => {
    const current = version()
    if (current === lastVersion) return
    lastVersion = current
    listener()
  }
}

/** Opens, migrates and prepares the database. Throws UnusableDatabase. */
export function openDatabase(options: OpenOptions): Db {
  const { file, clock, log, role } = options
  const isFileOfServer = role === 'server' && file !== ':memory:'
  const database = openWritingConnection(options)
  const sql = new Sql(database)
  let state = 0
  const noteState = () => {
    state += 1
  }
  /** Commands, and databases in memory, have only one connection. */
  const reading = isFileOfServer ? new Reading(file, sql, noteState) : undefined
  const health = new Health(file, log)
  const { descriptor } = health
  const walSync = isFileOfServer
    ? new WalSync({ file, disk: options.disk, onFailure: (error): void => health.fail(error) })
    : undefined
  const folds = isFileOfServer && options.checkpoint !== 'off'
  const growth = isFileOfServer && !folds ? new LogGrowth(file, sql, clock) : undefined
  const pauseDuring = (action: () => Promise<void>): Promise<void> =>
    queue.pauseDuring((beginSync) => {
      beginSync(() => {})
      return action()
    })
  const noteWrite = () => {
    if (folds) checkpoints.noteCommit()
  }
  const stopReleasing = reading && releasePageCaches(clock, log, [sql, reading.sql])
  const checkpoints = new Checkpoints({
    ...{ file, descriptor, clock, log, sql, pauseDuring },
    startThread: options.startThread,
  })
  const commitListeners = new Set<() => void>()
  const externalPolls = new Set<() => void>()
  const ids = createIdSource()
  const queue = new WriteQueue({
    sql,
    clock,
    log,
    newId: ids,
    lockWaitMs: LOCK_WAIT_MS[role],
    diskClock: options.disk?.clock,
    yieldsLock: role === 'command',
    beforeCommit: () => {
      const refusal = health.refusalOfCommit()
      if (refusal) throw refusal
      reading?.leave()
    },
    ...(walSync && { sync: syncingWith(walSync, sql, reading) }),
    onCommit: (failure) => {
      // Reads stay at the last durable state: a read, or a delivery, of a lost write would show what never happened.
      if (failure) return undefined
      noteState()
      reading?.noteCommit()
      noteWrite()
      for (const listener of commitListeners) listener()
      return health.refusalOfCommit()
    },
  })
  /** Acknowledged writes in a WAL without a name would be lost when this process ends. */
  const saveWal = () => {
    if (health.lostOnlyWal) checkpoints.runNow()
  }
  health.onEnd(({ refusal }) => {
    queue.close(refusal)
    checkpoints.stop()
    reading?.leave()
    saveWal()
  })
  let hasNoResponse = false
  health.start()
  return {
    sql: reading?.sql ?? sql,
    file,
    descriptor,
    write: (run, options) => queue.write(run, options),
    pauseDuring: (action) =>
      queue.pauseDuring((beginSync) => action(beginSync).finally(() => reading?.refresh())),
    ids,
    synced: () => queue.synced(),
    get state() {
      reading?.noteOthers()
      return state
    },
    get problem() {
      return health.problem ?? queue.problem
    },
    get refusal() {
      return queue.refusal
    },
    get isLogGrowing() {
      return growth?.isGrowing ?? false
    },
    onLateSync: (listener) => queue.onLateSync(listener),
    commitSizes: queue.commitSizes,
    noteError: (error) => health.noteError(error),
    onLost: (listener) => health.onEnd(({ sentence }) => listener(sentence)),
    onExternalWrite: (listener) => {
      const check = externalWriteCheck(sql, () => {
        noteWrite()
        // Until a commit that is being synced is on the disk, reads see the state before it, and no commit of
        // other processes.
        queue.afterSync(() => {
          reading?.refresh()
          listener()
        })
      })
      const stop = clock.every(EXTERNAL_POLL_MS, () => unlessStorageFails(log, check))
      externalPolls.add(stop)
      return () => {
        stop()
        externalPolls.delete(stop)
      }
    },
    onCommit: (listener) => {
      commitListeners.add(listener)
      return () => void commitListeners.delete(listener)
    },
    followLog: (follower) => checkpoints.follow(follower),
    checkpoint: () => {
      reading?.leave()
      checkpoints.runNow()
    },
    waitForCheckpoint: async () => {
      if (folds) await checkpoints.keepUp()
    },
    finishCheckpoint: async () => {
      // An empty write shows whether the disk responds. Closing may abandon the thread that waits for it
      // afterwards.
      const emptied = queue
        .write((): void => {})
        .catch(() => {
          hasNoResponse = queue.isLate
        })
      await Promise.all([checkpoints.finish(), emptied])
    },
    close: () => {
      health.stop()
      checkpoints.stop()
      queue.close()
      stopReleasing?.()
      growth?.close()
      for (const stop of externalPolls) stop()
      if (hasNoResponse || queue.isLate || checkpoints.isStuck) {
        log.error('the disk does not respond: the database is left open', { file })
        return false
      }
      walSync?.close()
      if (reading) unlessStorageFails(log, () => reading.close())
      // SQLite removes the WAL when it closes a database, and the paths may now lead to the files of another
      // one.
      if (health.isLost) saveWal()
      else {
        // When the process ends, Bun checkpoints a connection that was not properly closed, also with
        // --checkpoint off.
        sql.finalize()
        closeDatabase(database, options)
      }
      health.close()
      return true
    },
  }
}
