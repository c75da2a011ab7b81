import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_SUFFIXES } from '../../db/file-names.ts'
import { sha256 } from '../../lib/sha256.ts'
import { compareCodePoints } from '../../lib/text.ts'
import { refused } from '../../refusal.ts'
import type { RefusedPart } from '../import-run.ts'
import { systemRefusal } from '../read-file.ts'
import { parseSimpleYaml } from '../simple-yaml.ts'
import { type FolderFile, isNoteFile, skipReason } from './plan/folder-files.ts'
import { decodeNote, type NoteText, readNote, refuseLongFile, type VaultNote } from './plan/note.ts'

export type FolderContent = ReturnType<typeof readFolder>

/**
 * Lists everything in a folder and its subfolders, sorted by path; of a folder that is left out only itself is named.
 * Symbolic links are not followed: they may lead out of the folder or form a circle. The files of `database` are left out
 * when they are in the folder.
 */
export function readFolder(folder: string, database: string) {
  const root = realpathSync(folder)
  const databaseFile = existsSync(database) ? realpathSync(database) : database
  const isDatabase = (path: string) =>
    path.startsWith(databaseFile) && DATABASE_SUFFIXES.includes(path.slice(databaseFile.length))
  const files: FolderFile[] = []
  const unreadable: RefusedPart[] = []
  const skipped: RefusedPart[] = []
  const attempt = (place: string, action: () => void) => {
    try {
      action()
    } catch (error) {
      const refusal = systemRefusal(error)
      if (!refusal) throw error
      unreadable.push({ place, reason: refusal.message })
    }
  }
  const visit = (path: string, entry: Dirent, folders: string[]): void => {
    const fullPath = join(root, path)
    if (isDatabase(fullPath)) return
    const reason = skipReason(entry.name)
    if (reason !== undefined) {
      skipped.push({ place: path, reason })
      return
    }
    const stats = lstatSync(fullPath)
    if (stats.isDirectory()) folders.push(path)
    else if (!stats.isFile()) skipped.push({ place: path, reason: 'it is neither a file nor a folder.' })
    else files.push({ path, bytes: stats.size, modifiedAt: Math.floor(stats.mtimeMs) })
  }
  const folders = ['']
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const parent = next
    attempt(parent, () => {
      for (const entry of readdirSync(join(root, parent), { withFileTypes: true })) {
        const path = parent === '' ? entry.name : `${parent}/${entry.name}`
        attempt(path, () => visit(path, entry, folders))
      }
    })
  }
  files.sort((left, right) => compareCodePoints(left.path, right.path))
  return {
    /** The whole path of the folder, without symbolic links. */
    root,
    notes: files.filter(isNoteFile),
    otherFiles: files.filter((file) => !isNoteFile(file)),
    unreadable,
    skipped: skipped.sort((left, right) => compareCodePoints(left.place, right.place)),
  }
}

/** Refuses a file that is too large for a note or is not text. */
function readNoteText(folder: string, file: FolderFile): NoteText {
  refuseLongFile(file)
  const content = readFileSync(join(folder, file.path))
  return { file, text: decodeNote(content, file), digest: sha256(content) }
}

export const readNoteFile = (now: number, folder: string, file: FolderFile): VaultNote =>
  readNote(readNoteText(folder, file), now, parseSimpleYaml)

export function readBody(folder: string, note: VaultNote): string {
  const { file, bodyStart } = note
  const { text, digest } = readNoteText(folder, file)
  if (digest === note.digest) return text.slice(bodyStart)
  throw refused(`${file.path} was changed while it was imported; import it again.`)
}
