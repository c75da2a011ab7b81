import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { type Caller, wholeWorkspace } from '../../../context.ts'
import { type FileRow, listFileRows, readParts } from '../../../files/store.ts'
import { fold, normalized } from '../../../lib/text.ts'
import { aliasesOf } from '../../../notes/store.ts'
import type { Reader } from '../../../storage/reader.ts'
import { withNewFile, writeNewFolder } from '../../new-files.ts'
import { fileNameOf, fitName, MANIFEST, splitExtension } from '../../workspace/format.ts'
import type { WrittenFields } from '../earlier-imports.ts'
import { baseName } from '../plan/files.ts'
import { nameOf, titleOfPath } from '../plan/note.ts'
import { ExportedLinks } from './links.ts'
import { NoteTexts } from './note-text.ts'
import { importedTables, tableFileOf } from './table-text.ts'

/**
 * Writes the notes and files of a workspace into a new folder that Obsidian opens: notes in their folders with front
 * matter and links by path, files beside them, and imported databases of Notion as CSV.
 */
export const exportVault = (
  reader: Reader,
  caller: Caller,
  target: string,
  onProgress: (done: number) => void,
) =>
  writeNewFolder(reader, target, (folder) => {
    const tree = planTree(reader, caller, { distinguishesCase: distinguishesCase(folder) })
    const links = new ExportedLinks(reader, caller, tree)
    const texts = new NoteTexts(reader, caller, links)
    for (const [at, note] of tree.notes.entries()) {
      writeDated(folder, note.file.path, note.updatedAt, (path) =>
        writeFileSync(path, texts.fileOf(note).bytes),
      )
      onProgress((at + 1) / tree.notes.length)
    }
    for (const { pk, path, updatedAt } of tree.files)
      writeDated(folder, path, updatedAt, (whole) =>
        withNewFile(whole, (write) => {
          for (const part of readParts(reader, pk)) write(part)
        }),
      )
    for (const table of tree.tables)
      writeDated(folder, table.path, table.structure.updatedAt, (path) =>
        writeFileSync(path, tableFileOf(reader, table).bytes),
      )
    const tables = tree.tables.length
    return { notes: tree.notes.length, files: tree.files.length, ...(tables > 0 && { tables }) }
  })

const withOtherCase = (name: string): string =>
  name.replace(/\p{L}/gu, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )

/** Whether the file system of a folder has two files for names that differ in case. */
export function distinguishesCase(folder: string): boolean {
  const name = basename(folder)
  const other = withOtherCase(name)
  const found = statSync(join(dirname(folder), other), { throwIfNoEntry: false })
  return other !== name && found?.ino !== statSync(folder).ino
}

/** Added to the time of a file, so that it survives the rounding of file systems. */
export const HALF_MS = 0.5

/** Dates the file by the last change. */
function writeDated(folder: string, path: string, instant: number, write: (path: string) => void): void {
  const whole = join(folder, path)
  mkdirSync(dirname(whole), { recursive: true })
  write(whole)
  const seconds = (instant + HALF_MS) / 1_000
  utimesSync(whole, seconds, seconds)
}

/** The notes and files of a workspace, with their exported files. */
export type ExportedTree = ReturnType<typeof planTree>
export type ExportedNote = ExportedTree['notes'][number]
export type ExportedFile = ExportedTree['files'][number]

interface NoteHead {
  readonly pk: number
  readonly id: string
  readonly title: string
  readonly alias: string | null
  /** The further aliases as a JSON array; null until some are given. */
  readonly aliases: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

interface Imported {
  readonly path: string
  readonly title: string | undefined
}

/** Whether the note got its title from the front matter of its file, which then keeps its name. */
const isTitledInside = ({ path, title }: Imported): boolean =>
  title !== undefined && title !== titleOfPath(path)

/**
 * The paths of imported notes and files in their folders, by object id. Files within `root` are relative to it, and take
 * precedence.
 */
function importedPaths({ sql }: Reader, workspace: number, root?: string): Map<string, Imported> {
  const rows = sql.all<{ object: string; folder: string; path: string; fields: string | null }>(
    'SELECT object, folder, path, fields FROM imported_files WHERE workspace = ? ORDER BY pk DESC',
    workspace,
  )
  const isWithin = ({ folder }: { folder: string }) =>
    root !== undefined && `${folder}/`.startsWith(`${root}/`)
  const [within, others] = [rows.filter(isWithin), rows.filter((row) => !isWithin(row))]
  return new Map(
    [...others, ...within].map((row) => {
      const title = row.fields === null ? undefined : (JSON.parse(row.fields) as WrittenFields).title
      const path = isWithin(row) ? `${row.folder}/${row.path}`.slice(`${root}/`.length) : row.path
      return [row.object, { path, title }]
    }),
  )
}

/** Characters that wiki link targets cannot contain. */
const NOT_IN_LINKS = /[[\]#^|]/g

/** The enclosing folders of a path, innermost first; none for a bare name. */
function* foldersAround(path: string): Generator<string> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    yield path.slice(0, end)
}

/**
 * Allocates each path once, also for file systems that ignore case, unless two files came from one that does not and
 * return to such a one. No file gets the path of a folder.
 */
class FreePaths {
  constructor(private readonly distinguishesCase: boolean) {}

  readonly #exact = new Set<string>()
  /** Includes the manifest, by which an import recognizes an exported workspace. */
  readonly #taken = new Set([keyOf(MANIFEST)])
  readonly #folders = new Set<string>()

  /** The path itself; undefined if it is taken, leads out of the folder, or names a device on this system. */
  exact(path: string): string | undefined {
    const isDevice = (name: string) =>
      process.platform === 'win32' && !name.startsWith('-') && fitName(name) !== name
    const isPlain = path.split('/').every((name) => name !== '' && !name.startsWith('.') && !isDevice(name))
    return isPlain && this.#take(path, this.distinguishesCase) ? path : undefined
  }

  /** A path in the folder for this name, numbered if taken; at the top if a file has the folder's path. */
  for(wanted: string, name: string, extension: string): string {
    const folder = wanted.split('/').map(fitName).join('/')
    const plain = fileNameOf(name.replace(NOT_IN_LINKS, '-'))
    const parent = this.#isBelowFile(posix.join(folder, plain)) ? '' : folder
    for (let number = 1; ; number++) {
      const path = posix.join(parent, `${plain}${number === 1 ? '' : ` (${number})`}${extension}`)
      if (this.#take(path)) return path
    }
  }

  #take(path: string, isExact = false): boolean {
    const key = keyOf(path)
    const isTaken = isExact && key !== keyOf(MANIFEST) ? this.#exact.has(path) : this.#taken.has(key)
    if (isTaken || this.#folders.has(key) || this.#isBelowFile(path)) return false
    this.#taken.add(key)
    this.#exact.add(path)
    for (const folder of foldersAround(path)) this.#folders.add(keyOf(folder))
    return true
  }

  #isBelowFile = (path: string): boolean =>
    foldersAround(path).some((folder) => this.#taken.has(keyOf(folder)))
}

/** Equal for names that a file system may treat as equal. */
const keyOf = (path: string): string => fold(normalized(path, 'NFKC').toUpperCase())

/**
 * Plans the path of each note and file. Imported objects return to their former paths, unless renamed since. New notes
 * go to the top, and new files beside their notes. Tables are those of imported databases. `root` is the folder that is updated.
 */
export function planTree(
  reader: Reader,
  caller: Caller,
  { root, distinguishesCase = false }: { readonly root?: string; readonly distinguishesCase?: boolean } = {},
) {
  const { workspacePk } = caller
  const imported = importedPaths(reader, workspacePk, root)
  const paths = new FreePaths(distinguishesCase)
  const heads = reader.sql.all<NoteHead>(
    `SELECT pk, id, title, alias, aliases, created_at AS createdAt, updated_at AS updatedAt FROM notes
     WHERE workspace = ? AND deleted_at IS NULL ORDER BY created_at, id`,
    workspacePk,
  )
  const files = listFileRows(reader, wholeWorkspace(workspacePk))
  const kept = new Map<string, string>()
  const keep = (id: string, isSame: (known: Imported) => boolean) => {
    const known = imported.get(id)
    const path = known && isSame(known) ? paths.exact(known.path) : undefined
    if (path !== undefined) kept.set(id, path)
  }
  for (const { id, title } of heads) keep(id, (known) => known.title === title || isTitledInside(known))
  for (const { id, fileName } of files) keep(id, ({ path }) => nameOf(baseName(path)) === fileName)
  const folderOf = (id: string) => posix.dirname(kept.get(id) ?? imported.get(id)?.path ?? '')
  const notes = heads.map(({ alias, aliases, ...head }) => ({
    ...head,
    aliases: aliasesOf({ alias, aliases }),
    importedPath: imported.get(head.id)?.path,
    file: { path: kept.get(head.id) ?? paths.for(folderOf(head.id), head.title, '.md') },
  }))
  const noteFolders = new Map(notes.map(({ id, file }) => [id, posix.dirname(file.path)]))
  const pathOf = ({ id, fileName, noteId }: FileRow) => {
    const beside = imported.has(id) ? folderOf(id) : (noteFolders.get(noteId ?? '') ?? '')
    return kept.get(id) ?? paths.for(beside, ...splitExtension(fileName))
  }
  const tables = importedTables(reader, caller, root).map((table) => ({
    ...table,
    path: paths.exact(table.path) ?? paths.for(posix.dirname(table.path), table.structure.name, '.csv'),
  }))
  return {
    notes,
    files: files.map((row) => ({ ...row, importedPath: imported.get(row.id)?.path, path: pathOf(row) })),
    tables,
  }
}
