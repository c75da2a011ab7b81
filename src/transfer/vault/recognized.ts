import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller } from '../../context.ts'
import { readParts } from '../../files/store.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { type Refusal, refused } from '../../lib/refusal.ts'
import { sha256 } from '../../lib/sha256.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { columnsOf, insertImported, updateImported } from './earlier-imports.ts'
import { type ExportedNote, type ExportedTree, planTree } from './export/export.ts'
import { ExportedLinks } from './export/links.ts'
import { NoteTexts } from './export/note-text.ts'
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
  const rows = tx.sql.all<ImportedRow>(
    "SELECT pk, folder, path, object, digest FROM imported_files WHERE workspace = ? AND digest <> ''",
    caller.workspacePk,
  )
  if (rows.some(({ folder, path }) => `${folder}/${path}`.startsWith(`${content.root}/`))) return undefined
  const folder = new PresentFiles(content)
  const group = earlierImport(rows, folder)
  if (group) {
    if (!updates) return alreadyImported(group)
    moveTo(tx, caller, group, content.root)
    return undefined
  }
  const exported = new ExportedFiles(tx, caller, folder)
  if (!exported.isHere()) return undefined
  if (!updates)
    return refused(
      'This folder is an export of this workspace; give --update to bring the workspace up to date with it.',
    )
  exported.adopt(rows)
  return undefined
}

/** The files of the imported folder. */
class PresentFiles {
  readonly root: string
  readonly paths: ReadonlySet<string>
  readonly #digests = new Map<string, string>()

  constructor({ root, notes, otherFiles }: FolderContent) {
    this.root = root
    this.paths = new Set([...notes, ...otherFiles].map(({ path }) => path))
  }

  digestOf(path: string): string {
    const known = this.#digests.get(path) ?? sha256(readFileSync(join(this.root, path)))
    this.#digests.set(path, known)
    return known
  }

  /**
   * Whether half of the candidates, or half of this folder, are the same. Files that many vaults have in common, such
   * as a licence, do not suffice.
   */
  holds(candidates: readonly Candidate[]): boolean {
    const enough = Math.min(candidates.length, Math.max(this.paths.size, 2)) / 2
    const present = candidates.filter(({ path }) => this.paths.has(path))
    if (present.length < enough) return false
    let same = 0
    for (const candidate of present) {
      if (candidate.isSame()) same += 1
      if (same > 0 && same >= enough) return true
    }
    return false
  }
}

function earlierImport(rows: readonly ImportedRow[], folder: PresentFiles): ImportedRow[] | undefined {
  const groups = Map.groupBy(rows, (row) => row.folder)
  return [...groups.values()].find((group) =>
    folder.holds(group.map(({ path, digest }) => ({ path, isSame: () => folder.digestOf(path) === digest }))),
  )
}

const MILLISECONDS = 12

/** The time in an id (UUID version 7, RFC 9562): its first 48 bits. */
const timeOf = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, MILLISECONDS), 16)

function alreadyImported(group: readonly ImportedRow[]): Refusal {
  const times = group.map(({ object }) => timeOf(object))
  const at = isoTimestamp(times.reduce((first, time) => Math.min(first, time)))
  return refused(
    `This vault was imported from ${group[0]?.folder} on ${at}; give --update to bring its notes up to date.`,
  )
}

function moveTo(tx: Tx, { workspacePk }: Caller, group: readonly ImportedRow[], root: string): void {
  const from = group[0]?.folder ?? ''
  tx.sql.run(
    'UPDATE imported_files SET folder = ? WHERE workspace = ? AND folder = ?',
    root,
    workspacePk,
    from,
  )
}

/** The files that an export of the workspace would write now. */
class ExportedFiles {
  readonly #tree: ExportedTree
  readonly #texts: NoteTexts

  constructor(
    private readonly tx: Tx,
    private readonly caller: Caller,
    private readonly folder: PresentFiles,
  ) {
    this.#tree = planTree(tx, caller)
    this.#texts = new NoteTexts(tx, caller, new ExportedLinks(tx, caller, this.#tree))
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

  #digestOfNote = (note: ExportedNote): string => sha256(this.#texts.bytesOf(note))

  #digestOfFile = (pk: number): string => sha256(Buffer.concat([...readParts(this.tx, pk)]))

  /** Records the notes and files as imported from the files of the folder that an export would write for them. */
  adopt(rows: readonly ImportedRow[]): void {
    const earlier = new Map(rows.map(({ object, pk }) => [object, pk]))
    const adopt = (path: string, object: string, digest: () => string, insert: (place: Place) => void) => {
      if (!this.folder.paths.has(path)) return
      const pk = earlier.get(object)
      const place = { folder: this.folder.root, path, digest: digest() }
      if (pk === undefined) insert({ ...place, workspace: this.caller.workspacePk, object })
      else updateImported(this.tx, pk, place)
    }
    for (const note of this.#tree.notes)
      adopt(
        note.file.path,
        note.id,
        () => this.#digestOfNote(note),
        (place) =>
          insertImported(this.tx, { ...place, kind: 'note', ...columnsOf(this.#texts.recordOf(note)) }),
      )
    for (const { id, pk, path } of this.#tree.files)
      adopt(
        path,
        id,
        () => this.#digestOfFile(pk),
        (place) => insertImported(this.tx, { ...place, kind: 'file' }),
      )
  }
}

interface Place {
  readonly workspace: number
  readonly folder: string
  readonly path: string
  readonly object: string
  readonly digest: string
}
