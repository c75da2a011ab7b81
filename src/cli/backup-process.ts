import { systemClock } from '../lib/clock.ts'
import { openTarget } from '../operation/backups/open-target.ts'
import type { BackupOrder } from '../operation/backups/process.ts'
import { type BackupMessage, runBackups } from '../operation/backups/run.ts'
import { temporaryPrefix } from '../operation/backups/temporary.ts'
import { withCacheOf } from '../storage/connection/open.ts'
import { copyBesideServer } from '../storage/copy.ts'
import type { Io } from './io.ts'
import { withDatabaseFile } from './open-database.ts'

/** The time without any progress after which the process gives up. */
const STALLED_MS = 600_000
const CHECK_STALL_MS = 10_000
/** The check of a drill takes longer with it than with the cache of a server, and less memory beside one. */
const CHECK_CACHE_KIB = 16_384

/**
 * The first line of standard input. The process ends as soon as the server closes it: two processes must never work at
 * one target.
 */
async function readOrder(io: Io): Promise<BackupOrder> {
  const { promise, resolve } = Promise.withResolvers<BackupOrder>()
  const read = async () => {
    let text = ''
    for await (const part of io.readChunks()) {
      text += Buffer.from(part).toString()
      if (text.includes('\n')) resolve(JSON.parse(text))
    }
    io.endWithin(0, 1)
  }
  void read()
  return promise
}

/** Makes the backup that is due at one target, and the drill; reports to the server on standard output. */
export async function performOrder(io: Io): Promise<void> {
  io.yieldProcessor()
  const order = await readOrder(io)
  const clock = systemClock
  let written: Promise<unknown> = Promise.resolve()
  const report = (message: BackupMessage) => {
    written = io.write(Buffer.from(`${JSON.stringify(message)}\n`))
  }
  const end = () => void written.then(() => io.endWithin(0, 0))
  let progressAt = clock.now()
  const onProgress = () => {
    progressAt = clock.now()
  }
  clock.every(CHECK_STALL_MS, () => {
    if (clock.now() - progressAt < STALLED_MS) return
    report({ failed: `${order.target.name} has not responded for ${STALLED_MS / 60_000} minutes.` })
    end()
  })
  const { db, recipients } = order
  await runBackups({
    ...order,
    drillEveryMs: order.drillEveryMs,
    identity: order.identity,
    target: openTarget(order.target, { db, clock, recipients, onProgress }),
    clock,
    folderPrefix: temporaryPrefix(db),
    copy: async (file) => {
      await withDatabaseFile(db, io, (source) => copyBesideServer(source.sql.database, file))
      onProgress()
    },
    check: async (file) => {
      const { findFaults } = await import('../operation/integrity.ts')
      const faults = await withDatabaseFile(file, io, (copy) =>
        withCacheOf(CHECK_CACHE_KIB, copy.sql.database, () => findFaults(copy)),
      )
      onProgress()
      return faults
    },
    report,
  })
  end()
}
