import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller } from '../../context.ts'
import { readParts } from '../../files/store.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { idTime } from '../../lib/ids.ts'
import { type Refusal, refused } from '../../lib/refusal.ts'
import { sha256 } from '../../lib/sha256.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { systemRefusal } from '../read-file.ts'
import { columnsOf, insertImported, updateImported } from './earlier-imports.ts'
import { type ExportedNote, type ExportedTree, planTree } from './export/export.ts'
import { ExportedLinks } from './export/links.ts'
import { NoteTexts } from './export/note-text.ts'
import { tableFileOf } from './export/table-text.ts'
import type { FolderContent } from './folder.ts'

/*
 * A vault is recognized by its paths and digests, wherever its folder lies: an import of a folder that was moved or
 * copied, or of an export of the same workspace, would otherwise create every note again.
 */

interface ImportedRow {
  readonly pk: number
  readonly folder: string
  readonly path: string
  readonly object: string
  readonly digest: string
}

/** A note or file of the workspace that may have the file at this path. */
interface Candidate {
  readonly path: string
  isSame(): boolean
}

/**
 * Recognizes the vault of an earlier import in a folder without one. With `updates`, its objects become those of this
 * folder; otherwise returns a refusal that names the earlier import.
 */
export function recognizeVault(
  tx: Tx,
  caller: Caller,
  content: FolderContent,
  updates: boolean,
): Refusal | undefined {
  const { root } = content
  const paths = [...content.notes, ...content.otherFiles].map(({ path }) => path)
  const folder = new PresentFiles(root, new Map(paths.map((path) => [path, undefined])), content.base)
  if (!updates) return earlierVault(tx, caller, folder)
  const rows = importedRows(tx, caller, folder)
  const group = rows && earlierImport(rows, folder)
  if (group) moveTo(tx, caller, group, root)
  if (!rows || group) return undefined
  const exported = new ExportedFiles(tx, caller, folder)
  if (exported.isHere()) exported.adopt(tx, rows)
  return undefined
}

/** The refusal that names the earlier import of a vault, or an export of the workspace; undefined for a new vault. */
export function earlierVault(
  reader: Reader,
  caller: Caller,
  folder: PresentFiles,
  advice = 'give --update',
): Refusal | undefined {
  const rows = importedRows(reader, caller, folder)
  if (!rows) return undefined
  const group = earlierImport(rows, folder)
  if (group) return alreadyImported(group, advice)
  const exported = new ExportedFiles(reader, caller, folder)
  return exported.isHere() ? exported.refusal(rows, advice) : undefined
}

/** Undefined if the folder itself was imported before. */
function importedRows({ sql }: Reader, caller: Caller, { root }: PresentFiles): ImportedRow[] | undefined {
  const rows = sql.all<ImportedRow>(
    "SELECT pk, folder, path, object, digest FROM imported_files WHERE workspace = ? AND digest <> ''",
    caller.workspacePk,
  )
  return rows.some(({ folder, path }) => `${folder}/${path}`.startsWith(`${root}/`)) ? undefined : rows
}

/** The files of the imported folder, or some of them. */
export class PresentFiles {
  readonly paths: ReadonlySet<string>
  readonly #digests: Map<string, string | undefined>

  /** Digests that are not given are those of the files in `base`. */
  constructor(
    readonly root: string,
    digests: ReadonlyMap<string, string | undefined>,
    private readonly base = '',
  ) {
    this.paths = new Set(digests.keys())
    this.#digests = new Map(digests)
  }

  digestOf(path: string): string {
    const known = this.#digests.get(path) ?? this.#read(path)
    this.#digests.set(path, known)
    return known
  }

  /** Empty for a file that cannot be read, which the import reports. */
  #read(path: string): string {
    try {
      return sha256(readFileSync(join(this.base, path)))
    } catch (error) {
      if (!systemRefusal(error)) throw error
      return ''
    }
  }

  /**
   * Whether half of the candidates, or half of this folder, are the same. Files that many vaults have in common, such
   * as a licence or an empty note, do not suffice: fewer than three count only in a small folder.
   */
  holds(candidates: readonly Candidate[]): boolean {
    const [fewer, more] = [candidates.length, this.paths.size].sort((one, other) => one - other)
    const half = Math.max(1, (fewer ?? 0) / 2)
    const enough = Math.max(half, Math.min(COMMON_FILES + 1, (more ?? 0) / COMMON_SHARE))
    const present = candidates.filter(({ path }) => this.paths.has(path))
    if (present.length < enough) return false
    let same = 0
    for (const candidate of present) {
      if (candidate.isSame()) same += 1
      if (same >= enough) return true
    }
    return false
  }
}

/** Two vaults may have so many equal files by chance, unless they are a quarter of the larger one. */
const COMMON_FILES = 2
const COMMON_SHARE = 4

function earlierImport(rows: readonly ImportedRow[], folder: PresentFiles): ImportedRow[] | undefined {
  const groups = Map.groupBy(rows, (row) => row.folder)
  return [...groups.values()].find((group) =>
    folder.holds(group.map(({ path, digest }) => ({ path, isSame: () => folder.digestOf(path) === digest }))),
  )
}

function alreadyImported(group: readonly ImportedRow[], advice: string): Refusal {
  const times = group.map(({ object }) => idTime(object))
  const at = isoTimestamp(times.reduce((first, time) => Math.min(first, time)))
  // An import from a browser has the id of the user before the name of the folder.
  const folder = group[0]?.folder.replace(/^[0-9a-f-]{36}\//, '')
  return refused(`This vault was imported from ${folder} on ${at}; ${advice} to bring its notes up to date.`)
}

/** Imports of folders within the moved one move with it. */
function moveTo(tx: Tx, { workspacePk }: Caller, group: readonly ImportedRow[], root: string): void {
  const from = group[0]?.folder ?? ''
  tx.sql.run(
    `UPDATE imported_files SET folder = ?1 || substr(folder, length(?2) + 1)
     WHERE workspace = ?3 AND substr(folder || '/', 1, length(?2) + 1) = ?2 || '/'`,
    root,
    from,
    workspacePk,
  )
}

/** The files that an export of the workspace would write now. */
class ExportedFiles {
  readonly #tree: ExportedTree
  readonly #texts: NoteTexts

  constructor(
    private readonly reader: Reader,
    private readonly caller: Caller,
    private readonly folder: PresentFiles,
  ) {
    this.#tree = planTree(reader, caller)
    this.#texts = new NoteTexts(reader, caller, new ExportedLinks(reader, caller, this.#tree))
  }

  isHere(): boolean {
    const notes = this.#tree.notes.map((note) => ({
      path: note.file.path,
      isSame: () => this.#digestOfNote(note) === this.folder.digestOf(note.file.path),
    }))
    const files = this.#tree.files.map(({ pk, path }) => ({
      path,
      isSame: () => this.#digestOfFile(pk) === this.folder.digestOf(path),
    }))
    return this.folder.holds([...notes, ...files])
  }

  /** Names the import that most of the notes and files come from. */
  refusal(rows: readonly ImportedRow[], advice: string): Refusal {
    const ids = new Set([...this.#tree.notes, ...this.#tree.files].map(({ id }) => id))
    const groups = Map.groupBy(
      rows.filter(({ object }) => ids.has(object)),
      ({ folder }) => folder,
    )
    const [largest] = [...groups.values()].sort((one, other) => other.length - one.length)
    return largest
      ? alreadyImported(largest, advice)
      : refused(
          `This folder is an export of this workspace; ${advice} to bring the workspace up to date with it.`,
        )
  }

  #digestOfNote = (note: ExportedNote): string => sha256(this.#texts.fileOf(note).bytes)

  #digestOfFile = (pk: number): string => sha256(Buffer.concat([...readParts(this.reader, pk)]))

  /** Records the notes and files as imported from the files of the folder that an export would write for them. */
  adopt(tx: Tx, rows: readonly ImportedRow[]): void {
    const earlier = new Map(rows.map(({ object, pk }) => [object, pk]))
    const { root, paths } = this.folder
    const adopt = (
      kind: 'note' | 'file' | 'structure',
      object: string,
      file: { path: string; digest: string },
      record: object,
    ) => {
      const pk = earlier.get(object)
      const place = { ...file, ...record, folder: root }
      if (pk === undefined) insertImported(tx, { ...place, kind, workspace: this.caller.workspacePk, object })
      else updateImported(tx, pk, place)
    }
    for (const note of this.#tree.notes) {
      const { path } = note.file
      if (!paths.has(path)) continue
      const { bytes, record } = this.#texts.fileOf(note)
      adopt('note', note.id, { path, digest: sha256(bytes) }, columnsOf(record()))
    }
    for (const { id, pk, path } of this.#tree.files)
      if (paths.has(path)) adopt('file', id, { path, digest: this.#digestOfFile(pk) }, {})
    for (const table of this.#tree.tables) {
      const { path, structure } = table
      if (!paths.has(path)) continue
      const { bytes, record } = tableFileOf(this.reader, table)
      adopt('structure', structure.id, { path, digest: sha256(bytes) }, columnsOf(record()))
    }
  }
}
