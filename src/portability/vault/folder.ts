import { type Dirent, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { compareCodePoints } from '../../lib/text.ts'
import { type Refused, systemRefusal } from '../import-run.ts'

/** A file of a folder. */
export interface FolderFile {
  /** Below the folder, with slashes, as the file system spells it. */
  readonly path: string
  readonly bytes: number
  readonly changedAt: number
}

/** What a folder of notes holds, in the order of paths. */
export interface FolderContent {
  readonly notes: readonly FolderFile[]
  readonly others: readonly FolderFile[]
  readonly unread: readonly Refused[]
}

const NOTE = /\.(?:md|markdown)$/i

/** The path of a note without what says that it is one. */
export const withoutExtension = (path: string): string => path.replace(NOTE, '')

/** What belongs to programs: `.obsidian`, `.trash`, `.git` and the like. */
const isSkipped = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

/** What SQLite and the lock of the server put beside a database. */
const BESIDE_DATABASE = new Set(['', '-wal', '-shm', '-journal', '.lock', '.lock-journal'])

/**
 * Everything in a folder and the folders in it. Symbolic links are not followed: they may lead out of the folder or in
 * a circle. The database itself, which may well lie in the folder, is left out with the files beside it.
 */
export function readFolder(folder: string, database: string): FolderContent {
  const root = realpathSync(folder)
  const own = realpathSync(database)
  const isOwn = (path: string) => path.startsWith(own) && BESIDE_DATABASE.has(path.slice(own.length))
  const files: FolderFile[] = []
  const unread: Refused[] = []
  const attempt = (place: string, action: () => void) => {
    try {
      action()
    } catch (error) {
      const refusal = systemRefusal(error)
      if (!refusal) throw error
      unread.push({ place, reason: refusal.message })
    }
  }
  const look = (path: string, entry: Dirent, folders: string[]): void => {
    const whole = join(root, path)
    if (isSkipped(entry.name) || isOwn(whole)) return
    const found = lstatSync(whole)
    if (found.isDirectory()) folders.push(path)
    if (found.isFile()) files.push({ path, bytes: found.size, changedAt: Math.floor(found.mtimeMs) })
  }
  const folders = ['']
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    const at = path
    attempt(at, () => {
      for (const entry of readdirSync(join(root, at), { withFileTypes: true })) {
        const below = at === '' ? entry.name : `${at}/${entry.name}`
        attempt(below, () => look(below, entry, folders))
      }
    })
  }
  files.sort((left, right) => compareCodePoints(left.path, right.path))
  return {
    notes: files.filter(({ path }) => NOTE.test(path)),
    others: files.filter(({ path }) => !NOTE.test(path)),
    unread,
  }
}
