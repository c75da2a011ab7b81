import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { refused } from '../lib/refusal.ts'
import type { Reader } from '../storage/reader.ts'

/** The name of an incomplete file or folder, beside its target. */
const unfinishedName = (target: string): string => join(dirname(target), `.${basename(target)}.unfinished`)

/**
 * `fill` writes under a temporary name until the target is complete. `refuse` checks the target's place before and
 * after. The refusal of a failed system call names `what`.
 */
function writeWhole<Result>(
  { target, what, refuse }: { readonly target: string; readonly what: string; refuse(): void },
  fill: (unfinished: string) => Result,
): Result {
  const unfinished = unfinishedName(target)
  const clear = () => rmSync(unfinished, { recursive: true, force: true })
  try {
    refuse()
    clear()
    try {
      const result = fill(unfinished)
      refuse()
      // rmdir only removes an empty folder.
      if (existsSync(target)) rmdirSync(target)
      renameSync(unfinished, target)
      return result
    } finally {
      clear()
    }
  } catch (error) {
    throw asRefusal(error, what)
  }
}

/** Writes one consistent snapshot into a new folder, or into an empty one. */
export function writeNewFolder<Result>(
  reader: Reader,
  folder: string,
  fill: (folder: string) => Result,
): Result {
  const target = existsSync(folder) ? realpathSync(folder) : resolve(folder)
  const place = { target, what: `The folder ${folder}`, refuse: () => refuseNonEmpty(folder) }
  return writeWhole(place, (unfinished) => {
    mkdirSync(unfinished, { recursive: true })
    return inOneSnapshot(reader, () => fill(unfinished))
  })
}

function refuseNonEmpty(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found && !found.isDirectory()) throw refused(`${folder} is not a folder; name another one.`)
  if (found && readdirSync(folder).length > 0)
    throw refused(`The folder ${folder} is not empty; name another one.`)
}

/** Writes a new file, under a temporary name until it is complete. */
export function writeWholeFile<Result>(file: string, fill: (unfinished: string) => Result): Result {
  const refuse = () => {
    if (existsSync(file)) throw refused(`${file} exists already; name another file.`)
  }
  return writeWhole({ target: resolve(file), what: file, refuse }, fill)
}

/** Writes one consistent snapshot into a new file. */
export const writeNewFile = (
  reader: Reader,
  file: string,
  fill: (write: (part: string) => void) => void,
): void => writeWholeFile(file, (unfinished) => inOneSnapshot(reader, () => withNewFile(unfinished, fill)))

/** A failed system call, such as EACCES or ENOSPC, as a sentence. */
export function asRefusal(error: unknown, what: string): unknown {
  const { syscall } = error as { syscall?: string }
  if (syscall === undefined) return error
  return refused(`${what} cannot be written; check its permissions and the space on its disk.`)
}

/** Runs all reads in one snapshot. */
export function inOneSnapshot<Result>({ sql }: Reader, read: () => Result): Result {
  sql.run('BEGIN')
  try {
    return read()
  } finally {
    sql.run('COMMIT')
  }
}

/** Creates a file, which must not exist. A flushed file survives a loss of power after its rename. */
export function withNewFile(
  path: string,
  fill: (write: (part: string | Uint8Array) => void) => void,
  mode: 'buffered' | 'flushed' = 'buffered',
): void {
  const handle = openSync(path, 'wx')
  try {
    fill((part) => {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
    })
    if (mode === 'flushed') fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
