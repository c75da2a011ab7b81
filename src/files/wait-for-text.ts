import type { AppContext, InWorkspace } from '../context.ts'
import { takeServerLock } from '../db/connection/server-lock.ts'
import { claimFile } from './claims.ts'
import { readAndKeep } from './read-text.ts'
import { type FileRow, findFile } from './store.ts'

const POLL_MS = 50

/** A server may have files to read before this one. */
const WAIT_MS = 5 * 60_000

function isServed(file: string): boolean {
  const lock = takeServerLock(file)
  lock?.release()
  return lock === undefined
}

/**
 * For a command that added a file: waits some minutes for the server to read its text, or reads it here when no
 * server runs. Answers the file as it then is.
 */
export async function untilRead(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  { workspacePk }: InWorkspace,
  added: FileRow,
): Promise<FileRow> {
  const until = clock.now() + WAIT_MS
  for (;;) {
    const file = findFile(db, workspacePk, added.id)
    if (file?.status !== 'processing' || clock.now() > until) return file ?? added
    if (isServed(db.file)) await Bun.sleep(POLL_MS)
    else await readHere(db, file.pk)
  }
}

async function readHere(db: AppContext['db'], file: number): Promise<void> {
  const claim = await db.write((tx) => claimFile(tx, file))
  if (claim) await readAndKeep(db, claim)
}
