import fs from 'node:fs'
import { dirname } from 'node:path'
import { asSystemError, UnusableDatabase } from './errors.ts'
import { statOf, userName } from './file-access.ts'

/*
 * Commands often run as root beside the database of a service with a user of its own, and the service could not use
 * files that root creates. So every file of a database is created here, before SQLite opens it, with the owner and
 * group of the file that it replaces, of the file that it belongs to, or of its folder. SQLite itself does so for
 * WALs and journals.
 */

/** The file from which a new one takes its owner and group; its folder if neither exists. */
export interface FileModel {
  /** The replaced file, which also determines the permissions. */
  readonly replaces?: string
  readonly beside?: string
}

const PRIVATE_MODE = 0o600
const PERMISSIONS = 0o777
const OF_OWNER = 0o700

/** Creates an empty file; an existing one stays unchanged. Throws the system's error, or UnusableDatabase. */
export function createFile(path: string, { replaces, beside }: FileModel): void {
  let descriptor: number
  try {
    descriptor = fs.openSync(path, 'wx', PRIVATE_MODE)
  } catch (error) {
    if (asSystemError(error)?.code === 'EEXIST') return
    throw error
  }
  try {
    const replaced = statOf(replaces)
    const isOwned = takeOwner(descriptor, replaced ?? statOf(beside) ?? fs.statSync(dirname(path)), path)
    if (replaced) fs.fchmodSync(descriptor, replaced.mode & (isOwned ? PERMISSIONS : OF_OWNER))
  } catch (error) {
    fs.rmSync(path, { force: true })
    throw error
  } finally {
    fs.closeSync(descriptor)
  }
}

/**
 * Whether the file now has the owner and group of the model. Only root must succeed; files of other users stay
 * theirs.
 */
function takeOwner(descriptor: number, model: fs.Stats, path: string): boolean {
  const own = fs.fstatSync(descriptor)
  if (own.uid === model.uid && own.gid === model.gid) return true
  try {
    if (process.getuid?.() === 0 || own.uid === model.uid) fs.fchownSync(descriptor, model.uid, model.gid)
    return own.uid === model.uid || process.getuid?.() === 0
  } catch {
    if (process.getuid?.() !== 0 || own.uid === model.uid) return false
    const user = userName(model.uid)
    throw new UnusableDatabase(
      `${path} cannot be given to ${user}, the user of the database; run the command as that user: runuser -u ${user} -- daybook …`,
    )
  }
}
