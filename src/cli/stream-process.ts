import { systemClock } from '../lib/clock.ts'
import { openTarget } from '../operation/backups/open-target.ts'
import type { FromStream, StreamOrder, ToStream } from '../operation/backups/stream/messages.ts'
import { Uploader } from '../operation/backups/stream/uploader.ts'
import { realFile } from '../storage/connection/server-lock.ts'
import type { Io } from './io.ts'
import { readOrder, reporter } from './order.ts'

/**
 * Uploads the write-ahead log to one target until the server ends it. It opens the files of the database without SQLite,
 * so that it takes no locks.
 */
export async function performStream(io: Io): Promise<void> {
  let uploader: Uploader | undefined
  const { db, target, recipients } = await readOrder<StreamOrder, ToStream>(io, (message) =>
    uploader?.handle(message),
  )
  const { report, end } = reporter<FromStream>(io)
  const { segments } = openTarget(target, { db, clock: systemClock, recipients })
  if (!segments) return
  uploader = new Uploader({ db: realFile(db), segments, recipients, clock: systemClock, report })
  await uploader.run()
  end()
}
