import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { mimeTypeOf } from '../../files/extraction/kinds.ts'
import { insertWholeFile, replaceFileContent } from '../../files/new-file.ts'
import { refuseTooLarge } from '../../files/size-limit.ts'
import { findFile } from '../../files/store.ts'
import { refused } from '../../lib/refusal.ts'
import { sha256 } from '../../lib/sha256.ts'
import { compareCodePoints } from '../../lib/text.ts'
import { DATABASE_SUFFIXES } from '../../storage/file-names.ts'
import type { ImportRun } from '../import-run.ts'
import { systemRefusal } from '../read-file.ts'
import { type EarlierImport, type EarlierImports, writtenFile } from './earlier-imports.ts'
import { DELETED, type FolderFile, isNoteFile, skipReason } from './plan/files.ts'
import type { AddedFile } from './plan/links.ts'
import {
  decodeNote,
  fileNameFor,
  type NoteText,
  readNote,
  refuseLongFile,
  type VaultNote,
} from './plan/note.ts'
import { LOGSEQ_SETTINGS } from './plan/sources/logseq.ts'
import { recognizedSource } from './plan/sources/recognize.ts'
import { type Source, type SourceName, sourceNamed } from './plan/sources/source.ts'
import type { Unpacked } from './unpack.ts'

export type FolderContent = ReturnType<typeof readFolder>

/** A folder that is imported. */
export interface VaultFolder {
  readonly folder: string
  /** The archive that was unpacked into the folder, with the files that could not be. */
  readonly archive?: (Unpacked & { readonly path: string }) | undefined
}

/**
 * Lists everything in a folder and its subfolders, sorted by path. A skipped folder is listed without its contents.
 * Symbolic links are not followed: they may lead out of the folder or form a cycle. The files of `database` are omitted
 * if they are in the folder.
 */
export function readFolder({ folder, archive }: VaultFolder, database: string) {
  const base = realpathSync(folder)
  const databaseFile = existsSync(database) ? realpathSync(database) : database
  const isDatabase = (path: string) =>
    path.startsWith(databaseFile) && DATABASE_SUFFIXES.includes(path.slice(databaseFile.length))
  const files: FolderFile[] = []
  const unreadable = [...(archive?.unreadable ?? [])]
  const skipped = [...(archive?.skipped ?? [])]
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
    const fullPath = join(base, path)
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
      for (const entry of readdirSync(join(base, parent), { withFileTypes: true })) {
        const path = parent === '' ? entry.name : `${parent}/${entry.name}`
        attempt(path, () => visit(path, entry, folders))
      }
    })
  }
  files.sort((left, right) => compareCodePoints(left.path, right.path))
  return {
    /** The whole path of the folder, without symbolic links. */
    base,
    /** The path by which later imports recognize the folder. */
    root: archive ? realpathSync(archive.path) : base,
    notes: files.filter(isNoteFile),
    otherFiles: files.filter((file) => !isNoteFile(file)),
    unreadable,
    skipped: skipped.sort((left, right) => compareCodePoints(left.place, right.place)),
  }
}

export const readBytes = ({ base }: Pick<FolderContent, 'base'>, { path }: FolderFile): Uint8Array =>
  readFileSync(join(base, path))

/** Refuses a file that is too large for a note or is not text. */
function readNoteText(folder: string, file: FolderFile): NoteText {
  refuseLongFile(file)
  const bytes = readFileSync(join(folder, file.path))
  return { file, ...decodeNote(bytes, file), digest: sha256(bytes) }
}

export const readNoteFile = (now: number, folder: string, file: FolderFile, source: Source): VaultNote =>
  readNote(readNoteText(folder, file), now, source)

const SAMPLE_BYTES = 4_096

/** The rules by which the notes of a folder are read: of the program named, or of the one that wrote them. */
export function sourceOf({ base, notes, otherFiles }: FolderContent, named?: SourceName): Source {
  const paths = [...notes, ...otherFiles].map(({ path }) => path)
  const beginningOf = (path: string) => textAt(join(base, path), SAMPLE_BYTES)
  const name = named ?? recognizedSource(paths, beginningOf)
  return sourceNamed(name, name === 'logseq' ? textAt(join(base, LOGSEQ_SETTINGS)) : '')
}

/** The text of a file, or its first bytes; empty if it cannot be read. */
function textAt(path: string, bytes?: number): string {
  try {
    return new TextDecoder().decode(readFileSync(path).subarray(0, bytes))
  } catch {
    return ''
  }
}

/** The content without the files of the program itself. */
export function withoutProgramFiles(
  content: FolderContent,
  { skipReason: reasonFor }: Source,
): FolderContent {
  const skipped = content.skipped.slice()
  const isKept = ({ path }: FolderFile) => {
    const reason = reasonFor(path)
    if (reason !== undefined) skipped.push({ place: path, reason })
    return reason === undefined
  }
  const [notes, otherFiles] = [content.notes.filter(isKept), content.otherFiles.filter(isKept)]
  return { ...content, notes, otherFiles, skipped }
}

/** Reads the file of a note again. */
export function readWhole(folder: string, { file, digest: before }: VaultNote): string {
  const { text, digest } = readNoteText(folder, file)
  if (digest === before) return text
  throw refused(`${file.path} was changed while it was imported; import it again.`)
}

export const NOT_UPDATED = 'it was changed since it was imported; give --update to take that over.'

/** Adds each file of a folder once. The next server that runs extracts their text. */
export class VaultFiles {
  readonly #files = new Map<FolderFile, AddedFile | undefined>()
  added = 0
  updated = 0
  unchanged = 0

  constructor(
    private readonly run: ImportRun,
    private readonly folder: FolderContent,
    private readonly earlier: EarlierImports,
    private readonly updates: boolean,
  ) {}

  /**
   * Adds a file, attached to the first note that requests it. Returns undefined if the file is refused or was deleted.
   */
  add(file: FolderFile, note: number | null): AddedFile | undefined {
    if (!this.#files.has(file)) {
      this.#files.set(file, undefined)
      this.run.try(file.path, () => this.#addOnce(file, note))
    }
    return this.#files.get(file)
  }

  #addOnce(file: FolderFile, note: number | null): void {
    const bytes = this.#read(file)
    const digest = sha256(bytes)
    const earlier = this.earlier.find(file.path, digest)
    if (earlier) this.#addAgain(file, earlier, bytes, digest)
    else this.#insert(file, note, bytes, digest)
  }

  #insert(file: FolderFile, note: number | null, bytes: Uint8Array, digest: string): void {
    const { tx } = this.run
    const remark = (what: string) => this.run.change(file.path, what)
    const added = { id: tx.newId(), fileName: fileNameFor(file, remark) }
    const row = {
      ...added,
      workspace: this.run.caller.workspacePk,
      note,
      mimeType: mimeTypeOf(added.fileName),
    }
    const createdAt = Math.min(Math.max(file.modifiedAt, 0), tx.now)
    insertWholeFile({ ...tx, now: createdAt }, this.run.caller, { ...row, size: bytes.length }, bytes)
    this.earlier.add(tx, 'file', file.path, { object: added.id, ...writtenFile(digest) })
    this.#files.set(file, added)
    this.added += 1
  }

  #addAgain(file: FolderFile, earlier: EarlierImport, bytes: Uint8Array, digest: string): void {
    const { tx } = this.run
    const { path } = file
    const row = findFile(tx, this.run.caller, earlier.object)
    if (!row) {
      this.run.skipped.push({ place: path, reason: DELETED })
      return
    }
    this.#files.set(file, { id: row.id, fileName: row.fileName })
    if (earlier.digest === digest && earlier.path === path) {
      this.unchanged += 1
      return
    }
    if (!this.updates) throw refused(NOT_UPDATED)
    if (earlier.digest !== digest) replaceFileContent(tx, this.run.caller, row, bytes)
    else this.run.change(path, `it was "${earlier.path}" before.`)
    this.earlier.update(tx, earlier, path, writtenFile(digest))
    this.updated += 1
  }

  #read(file: FolderFile): Uint8Array {
    refuseTooLarge(file.bytes)
    const bytes = readBytes(this.folder, file)
    // It may have grown since the folder was listed.
    refuseTooLarge(bytes.length)
    return bytes
  }
}
