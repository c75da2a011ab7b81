import { accessSync, constants, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DATABASE_SUFFIXES } from './file-names.ts'

/*
 * Explains why SQLite cannot open a file. The usual reason is a file of another user, such as one that root created
 * beside the database of a service.
 */

const { F_OK, R_OK, W_OK, X_OK } = constants

/** The system's error code, such as EACCES. */
function refusalOf(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

/** Undefined for a missing or inaccessible path. */
export function statOf(path: string | undefined): Stats | undefined {
  try {
    return path === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** The name of a system user, or the number of a user without a name. */
export function userName(uid: number): string {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.split(':')[2] === String(uid))
    return line?.split(':')[0] ?? String(uid)
  } catch {
    return String(uid)
  }
}

/** Resolves symbolic links; a missing file keeps its path. */
function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

/**
 * Why this process cannot use a database, as two sentences: the reason and the fix. Undefined if permissions are not
 * the reason.
 */
export function accessProblem(database: string): string | undefined {
  const file = realPath(database)
  const folder = dirname(file)
  if (refusalOf(folder, F_OK) === 'ENOENT')
    return `There is no folder ${folder}. Create it, or name another file with --db.`
  return (
    problemOf(folder, W_OK | X_OK, folder) ??
    DATABASE_SUFFIXES.map((suffix) => problemOf(file + suffix, R_OK | W_OK, folder)).find(Boolean)
  )
}

function problemOf(path: string, mode: number, folder: string): string | undefined {
  const code = refusalOf(path, mode)
  if (code === undefined || code === 'ENOENT') return undefined
  if (code === 'EROFS') return `The file system of ${path} is mounted read-only. Mount it for writing.`
  const uid = process.getuid?.()
  const stat = statOf(path)
  const owner = stat && userName(stat.uid)
  if (stat === undefined || owner === undefined || uid === undefined)
    return `${path} cannot be read and written (${code}). Check its permissions.`
  const user = userName(uid)
  if (stat.uid === uid)
    return `${path} belongs to ${user}, but its permissions do not let ${user} read and write it. Run "chmod u+rw${path === folder ? 'x' : ''} ${path}".`
  const reason = `${path} belongs to ${owner}, and daybook runs as ${user}.`
  const isOwnFolder = path !== folder && statOf(folder)?.uid === uid
  if (isOwnFolder || stat.uid === 0)
    return `${reason} Run "chown ${user}: ${path}" as root, or name another file with --db.`
  return `${reason} Run the command as ${owner}: runuser -u ${owner} -- daybook …`
}
