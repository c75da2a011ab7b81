import { systemClock } from '../lib/clock.ts'
import { refused } from '../lib/refusal.ts'
import { openTarget } from '../operation/backups/open-target.ts'
import type { BackupOrder, CopyReply } from '../operation/backups/process.ts'
import { type BackupMessage, runBackups } from '../operation/backups/run.ts'
import { temporaryPrefix } from '../operation/backups/temporary.ts'
import { withCacheOf } from '../storage/connection/open.ts'
import { copyBesideServer, verifyCopy } from '../storage/copy.ts'
import type { Io } from './io.ts'
import { withDatabaseFile } from './open-database.ts'
import { readOrder, reporter } from './order.ts'

/** The time without any progress after which the process gives up. */
const STALLED_MS = 600_000
const CHECK_STALL_MS = 10_000
/** The check of a drill takes longer with it than with the cache of a server, and less memory beside one. */
const CHECK_CACHE_KIB = 16_384

/** Makes the backup that is due at one target, and the drill; reports to the server on standard output. */
export async function performOrder(io: Io): Promise<void> {
  io.yieldProcessor()
  const reply = Promise.withResolvers<CopyReply>()
  const order = await readOrder<BackupOrder, CopyReply>(io, reply.resolve)
  const clock = systemClock
  const { report, end } = reporter<BackupMessage>(io)
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
  const copyByStream = async (file: string) => {
    report({ copyTo: file })
    const stopWaiting = clock.every(CHECK_STALL_MS, onProgress)
    const copied = await reply.promise
    stopWaiting()
    if ('failure' in copied) throw refused(`The database could not be copied: ${copied.failure}.`)
    verifyCopy(file)
    onProgress()
    return copied.base
  }
  await runBackups({
    ...order,
    drillEveryMs: order.drillEveryMs,
    identity: order.identity,
    target: openTarget(order.target, { db, clock, recipients, onProgress }),
    clock,
    folderPrefix: temporaryPrefix(db),
    copy: async (file) => {
      if (order.isStreamed) return copyByStream(file)
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
