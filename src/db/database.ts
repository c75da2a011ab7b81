import type { Histogram } from '../lib/histogram.ts'
import { createIdSource, type IdSource } from '../lib/ids.ts'
import type { Refusal } from '../refusal.ts'
import { Checkpoints } from './connection/checkpoint.ts'
import { CommandCheckpoints } from './connection/command-checkpoint.ts'
import { ExternalWrites } from './connection/external-writes.ts'
import { Health } from './connection/health.ts'
import { IdleMemory } from './connection/idle-memory.ts'
import { LogSync } from './connection/log-sync.ts'
import { MemoizedResults } from './connection/memoized-results.ts'
import {
  closeDatabase,
  type OpenOptions,
  openReadingConnection,
  openWritingConnection,
  shrinkMemory,
} from './connection/open.ts'
import { ReadSnapshot } from './connection/read-snapshot.ts'
import { markWrite, WriteMark } from './connection/write-mark.ts'
import { diskIsFull, unlessStorageFails } from './errors.ts'
import type { Reader } from './reader.ts'
import { Sql } from './sql.ts'
import type { PausingAction, Sync } from './writes/sync.ts'
import type { WriteFunction } from './writes/transaction.ts'
import { WriteQueue } from './writes/write-queue.ts'

/** An open database. Everything is read through `sql`, and written through `write`. */
export interface Db extends Reader {
  readonly file: string
  /** The open file of a server: another thread opens the database by its name only while that leads to this file. */
  readonly descriptor: number | undefined
  /** Runs the function in a transaction and returns its result after the commit (`writes/write-queue.ts`). */
  write<T>(run: WriteFunction<T>, isLong?: boolean): Promise<T>
  /** Delays writes while `action` writes over another connection, however long it takes (`writes/write-queue.ts`). */
  pauseDuring<T>(action: PausingAction<T>): Promise<T>
  /** Why not everything can be read and written: while commits fail, and for good once a page could not be read. */
  readonly problem: Refusal | undefined
  /** That of every write, while nothing can be written: the disk does not respond, or a file was replaced. */
  readonly refusal: Refusal | undefined
  /** Calls the listener whenever the disk does not respond; returns a function that stops it. */
  onLateSync(listener: () => void): () => void
  /** Makes the ids of what is written. */
  readonly ids: IdSource
  /** Resolves once all that can be read over another connection of this process is on the disk; mostly at once. */
  synced(): Promise<void>
  /** A number that differs after every commit of this process, once it is on the disk, and of a command. */
  readonly state: number
  /** How many writes each committed transaction held. */
  readonly commitSizes: Histogram
  /** Must be called with every error of a read: that of a page that could not be read is a `problem`. */
  noteError(error: unknown): void
  /**
   * Calls the listener once when a file of the database was replaced or removed by another program, or its disk failed,
   * with a sentence for the operator; by then every write is refused.
   */
  onLost(listener: (sentence: string) => void): void
  /** Calls the listener, within a fraction of a second, after another process wrote; returns a function that stops it. */
  onExternalWrite(listener: () => void): () => void
  /** Calls the listener after every commit of this process; returns a function that stops it. */
  onCommit(listener: () => void): () => void
  /** Ends the snapshot that is read from, so that the file can be opened in another mode. */
  refresh(): void
  /** Moves the write-ahead log into the file as far as readers allow. */
  checkpoint(): void
  /** Long work awaits it between its parts, so that the write-ahead log does not grow faster than it is moved. */
  waitForCheckpoint(): Promise<void>
  /** Must end before a server closes the database: another thread may be moving or syncing the log. */
  finishCheckpoint(): Promise<void>
  /**
   * Returns false if the disk of a server does not respond: then the database stays open, and the process has to be killed,
   * because ending it would close the database.
   */
  close(): boolean
}

/** For how long the queue retries; the connection of a command waits for the lock by itself (`connection/open.ts`). */
const LOCK_WAIT_MS = { server: 2_000, command: 0 }
/** The connection that requests read from. */
interface Reading {
  readonly reader: Reader
  /** Ends the snapshot: called before each commit of this process. */
  renew(): void
  /** Has every read see what is committed now, until `noteCommit` or `release`. */
  hold(): void
  release(): void
  /** Called after each commit of this process. */
  noteCommit(): void
  /** Called when another connection may have written. */
  refresh(): void
  /** Sees what commands have committed; before every read this is done by itself. */
  renewIfMarked(): void
  /** Empties its page cache. */
  shrink(): void
  close(): void
}

/** A server reads from a connection of its own, in snapshots; commands, and databases in memory, have only one. */
function openReading(
  { file, role, isFull }: OpenOptions,
  writer: Reader,
  onRead: () => void,
  onMark: () => void,
): Reading {
  if (role === 'command' || file === ':memory:')
    return {
      reader: writer,
      renew: () => {},
      hold: () => {},
      release: () => {},
      noteCommit: () => {},
      refresh: () => {},
      renewIfMarked: () => {},
      shrink: () => {},
      close: () => {},
    }
  const database = openReadingConnection(file)
  const snapshot = new ReadSnapshot(database)
  const memoized = new MemoizedResults(snapshot)
  memoized.watch(writer.sql.database)
  // On a full disk there is no room for it, nor for what a command would write.
  const mark = isFull ? undefined : new WriteMark(file)
  /** Changes when another connection than the writing one commits. */
  const version = () => writer.sql.scalar<number>('PRAGMA data_version')
  let heldVersion = 0
  const renewIfMarked = () => {
    if (!mark?.hasChanged()) return
    onMark()
    memoized.clear()
    // A command syncs the log before its commit can be seen, and with it what this process has committed before.
    if (snapshot.isHeld && version() !== heldVersion) snapshot.release()
    else snapshot.leave()
  }
  const enter = () => {
    onRead()
    renewIfMarked()
    snapshot.enter()
  }
  const get = (name: string) => {
    renewIfMarked()
    return memoized.get(name)
  }
  const sql = new Sql(database, { enter, memory: { get, set: (name, made) => memoized.set(name, made) } })
  return {
    reader: { sql },
    renew: () => snapshot.leave(),
    hold: () => {
      heldVersion = version()
      snapshot.hold()
    },
    release: () => snapshot.release(),
    noteCommit: () => {
      snapshot.release()
      memoized.noteCommit()
    },
    refresh: () => {
      snapshot.leave()
      memoized.clear()
    },
    renewIfMarked,
    shrink: () => shrinkMemory(database),
    close: () => {
      snapshot.close()
      sql.finalize()
      database.close()
      mark?.close()
    },
  }
}

/** A commit is synced in another thread, and until it is on the disk reads go on with the state before it. */
const syncingWith = (logSync: LogSync, sql: Sql, reading: Reading): Sync => ({
  get hasResponded() {
    return logSync.hasResponded
  },
  probe: () => logSync.inThread(),
  commit: () => {
    reading.hold()
    try {
      sql.run('COMMIT')
    } catch (error) {
      reading.release()
      throw error
    }
    return logSync.inThread()
  },
  now: () => logSync.now(),
})

/** Opens, migrates and prepares the database. Throws UnusableDatabase. */
export function openDatabase(options: OpenOptions): Db {
  const { file, clock, log, role } = options
  /** A server does so in another thread, a command after its commits. */
  const movesLog = file !== ':memory:' && options.checkpoint !== 'off'
  const database = openWritingConnection(options)
  const sql = new Sql(database)
  const writer = { sql }
  const idleMemory = new IdleMemory(() =>
    unlessStorageFails(log, () => {
      shrinkMemory(database)
      reading.shrink()
    }),
  )
  let state = 0
  const noteState = () => {
    state += 1
  }
  const reading = openReading(options, writer, () => idleMemory.noteRead(), noteState)
  const externalWrites = new ExternalWrites(sql, log, clock)
  const health = new Health(file, log)
  const isSound = () => health.refusalOfCommit() === undefined
  const renew = () => reading.renew()
  const pauseDuring = (action: () => Promise<void>): Promise<void> =>
    queue.pauseDuring((beginSync) => {
      beginSync(() => {})
      return action()
    })
  const logSync =
    role === 'server' && file !== ':memory:' && !options.isFull
      ? new LogSync({ file, disk: options.disk, onFailure: (error): void => health.noteFailedSync(error) })
      : undefined
  const { descriptor } = health
  const checkpoints = new Checkpoints({
    file,
    descriptor,
    clock,
    log,
    sql,
    renew,
    isSound,
    pauseDuring,
    probe: async () => {
      if (logSync && !logSync.hasResponded) await logSync.inThread()
    },
  })
  const commandCheckpoints = new CommandCheckpoints({ sql, log, isSound })
  const commitListeners = new Set<() => void>()
  const ids = createIdSource()
  const queue = new WriteQueue({
    ...writer,
    clock,
    log,
    newId: ids,
    lockWaitMs: LOCK_WAIT_MS[role],
    syncWithinMs: options.disk?.withinMs,
    yieldsLock: role === 'command',
    // A commit that moves the write-ahead log into the file can start the log again only while nothing reads from it.
    beforeCommit: () => {
      const refusal = health.refusalOfCommit()
      if (refusal) throw refusal
      reading.renew()
    },
    ...(logSync && { sync: syncingWith(logSync, sql, reading) }),
    onCommit: () => {
      noteState()
      reading.noteCommit()
      idleMemory.noteCommit()
      if (role === 'command') markWrite(file)
      if (movesLog) (role === 'server' ? checkpoints : commandCheckpoints).noteCommit()
      for (const listener of commitListeners) listener()
      return health.refusalAfterCommit()
    },
    onRollback: () => checkpoints.noteEnd(),
  })
  /** Once the log has lost its name, acknowledged writes that are only in the log end with this process. */
  const saveLog = () => {
    if (health.lostOnlyLog) checkpoints.runNow()
  }
  health.onLost(({ refusal }) => {
    queue.close(refusal)
    checkpoints.stop()
    reading.renew()
    saveLog()
  })
  let hasNoResponse = false
  if (options.isFull) queue.close(diskIsFull())
  health.start()
  if (role === 'server') idleMemory.start()
  return {
    ...reading.reader,
    file,
    descriptor,
    write: (run, isLong) => queue.write(run, isLong),
    pauseDuring: (action) =>
      queue.pauseDuring((beginSync) => action(beginSync).finally(() => reading.refresh())),
    ids,
    synced: () => queue.synced(),
    get state() {
      reading.renewIfMarked()
      return state
    },
    get problem() {
      return health.problem ?? queue.problem
    },
    get refusal() {
      return queue.refusal
    },
    onLateSync: (listener) => queue.onLateSync(listener),
    commitSizes: queue.commitSizes,
    noteError: (error) => health.noteError(error),
    onLost: (listener) => health.onLost(({ sentence }) => listener(sentence)),
    onExternalWrite: (listener) =>
      externalWrites.onWrite(() => {
        if (movesLog && role === 'server') checkpoints.noteWrite()
        // Until a commit that is being synced is on the disk, reads see the state before it, and nothing of the others.
        queue.afterSync(() => {
          reading.refresh()
          listener()
        })
      }),
    onCommit: (listener) => {
      commitListeners.add(listener)
      return () => void commitListeners.delete(listener)
    },
    refresh: () => reading.refresh(),
    checkpoint: () => checkpoints.runNow(),
    waitForCheckpoint: async () => {
      if (movesLog && role === 'server') await checkpoints.keepUp()
    },
    finishCheckpoint: async () => {
      // A write that changes nothing shows whether the disk responds. A thread that waits for it may be given up after that.
      const asked = queue
        .write((): void => {})
        .catch(() => {
          hasNoResponse = queue.syncs.isLate
        })
      await Promise.all([checkpoints.finish(), asked])
    },
    close: () => {
      health.stop()
      checkpoints.stop()
      idleMemory.stop()
      queue.close()
      externalWrites.stop()
      if (hasNoResponse || queue.syncs.isLate || checkpoints.isStuck) {
        log.error('the disk does not respond: the database is left open', { file })
        return false
      }
      logSync?.close()
      unlessStorageFails(log, () => reading.close())
      // SQLite removes the log when it closes a database, and the names may now lead to the files of another one.
      if (health.isLost) saveLog()
      else {
        // Bun moves the log of a connection that is not really closed when the process ends, also with --checkpoint off.
        sql.finalize()
        closeDatabase(database, options)
      }
      health.close()
      return true
    },
  }
}
