import { Database } from 'bun:sqlite'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { reach } from '../lib/failure-points.ts'
import { workerProgram } from '../lib/program.ts'
import { withCacheOf } from './connection/open.ts'
import { asReadError, asSystemError, isStorageFailure, showsDamage, UnusableDatabase } from './errors.ts'
import { createFile, type FileModel } from './new-file.ts'
import { BEGIN_EPOCHS } from './schema/changes.ts'

/** The name holds the process id, because another process may be writing a copy to the same target. */
const partialCopy = (target: string): string => `${target}.partial-${process.pid}`

export interface CopyOptions {
  readonly model?: FileModel
}

/** Copying reads and writes each page once, so a large cache only takes memory from the server. */
const COPY_CACHE_KIB = 4_096

/** Like `copyVerified`, beside a server that writes: the copy is synced continuously. */
export async function copyBesideServer(database: Database, target: string): Promise<void> {
  const stop = await syncContinuously(partialCopy(target))
  try {
    withCacheOf(COPY_CACHE_KIB, database, () => copyVerified(database, target))
  } finally {
    stop()
  }
}

/** Returns a function that stops it. Resolves once the thread runs, because copying blocks this one. */
async function syncContinuously(path: string): Promise<() => void> {
  const worker = new Worker(workerProgram('storage/backup-sync-worker.ts'))
  const { promise, resolve } = Promise.withResolvers<void>()
  worker.onmessage = () => resolve()
  worker.onerror = () => resolve()
  await promise
  worker.postMessage(path)
  return () => worker.terminate()
}

/**
 * Writes a consistent copy of the open database to `target`. The copy is written beside `target`, verified with
 * `integrity_check` and then renamed, so that `target` is never an incomplete copy. It gets the owner of the model,
 * by default of the file that it replaces. Throws UnusableDatabase.
 */
export function copyVerified(
  database: Database,
  target: string,
  { model = { replaces: target } }: CopyOptions = {},
): void {
  const partial = partialCopy(target)
  try {
    removePartial(partial)
    createFile(partial, model)
    database.query('VACUUM INTO ?').run(partial)
    reach('copy written')
    beginEpochs(partial)
    reach('copy begun')
    verifyCopy(partial)
    syncFile(partial)
    reach('copy synced')
    renameSync(partial, target)
    reach('copy renamed')
    syncFolder(dirname(target))
  } catch (error) {
    const read = asReadError(error, database)
    const cause = read === error ? causeOutside(error) : undefined
    if (cause === undefined) throw read
    throw new UnusableDatabase(
      `No copy could be written to ${target} (${cause}); check the space and the permissions there.`,
    )
  } finally {
    removePartial(partial)
  }
}

/** Throws UnusableDatabase for a copy that does not pass `integrity_check`. */
export function verifyCopy(file: string): void {
  const copy = new Database(file, { readonly: true })
  const verdict = copy.query('PRAGMA integrity_check').get() as { integrity_check: string }
  copy.close()
  if (verdict.integrity_check !== 'ok')
    throw new UnusableDatabase(`The copy did not pass its integrity check: ${verdict.integrity_check}`)
}

function removePartial(partial: string): void {
  for (const suffix of ['', '-journal']) if (existsSync(partial + suffix)) rmSync(partial + suffix)
}

/** The system's reason for a failed copy; undefined for a damaged original and for any other error. */
function causeOutside(error: unknown): string | undefined {
  if (showsDamage(error)) return undefined
  return isStorageFailure(error) ? (error as Error).message : asSystemError(error)?.message
}

/**
 * Begins a new epoch of the change log in the copy, which may replace the original: later changes of the original are
 * not in its history (`log/cursors.ts`).
 */
function beginEpochs(partial: string): void {
  const copy = new Database(partial, { readwrite: true, create: false })
  try {
    const hasLog = copy.query("SELECT 1 FROM sqlite_schema WHERE name = 'change_epochs'").get() !== null
    if (hasLog) copy.run(BEGIN_EPOCHS)
  } finally {
    copy.close()
  }
}

/** Makes the content of a file survive a power loss. */
export const syncFile = (path: string): void => syncToDisk(path, 'r+')

/** Makes a new name in a folder survive a power loss. Windows has no such call and does not need it. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  syncToDisk(folder, 'r')
}

function syncToDisk(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags)
  fsyncSync(descriptor)
  closeSync(descriptor)
}
