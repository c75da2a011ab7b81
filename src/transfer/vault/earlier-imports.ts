import { type Caller, wholeWorkspace } from '../../context.ts'
import { findFile } from '../../files/store.ts'
import { findNoteSummary, type NoteSummary } from '../../notes/store.ts'
import { findStructure } from '../../records/structures/store.ts'
import { insertInto, updateOf } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { importedFiles } from '../../storage/schema/imported-files.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { baseName } from './plan/files.ts'
import type { VaultNote } from './plan/note.ts'
import type { Original } from './plan/originals.ts'
import type { SourceName } from './plan/sources/source.ts'

/** The parts of a note that an import wrote besides its body. */
export interface WrittenFields {
  readonly title: string
  readonly alias: string | null
  /** The further aliases; absent from records of earlier versions. */
  readonly aliases?: readonly string[]
  /** The ids of its tags. */
  readonly tags: readonly number[]
  /** By the pk of the property. */
  readonly properties: Readonly<Record<string, unknown>>
}

/** All aliases that an import wrote, in the order of the file. */
export const writtenAliases = ({ alias, aliases = [] }: WrittenFields): string[] =>
  alias === null ? [...aliases] : [alias, ...aliases]

/** Aliases of a file as they are recorded. */
export const aliasFields = ([first, ...aliases]: readonly string[]): Pick<
  WrittenFields,
  'alias' | 'aliases'
> => ({ alias: first ?? null, ...(aliases.length > 0 && { aliases }) })

export interface Written {
  readonly digest: string
  readonly written: string | null
  readonly fields: WrittenFields | null
  readonly original: Original | null
  /** The size and time of a file that a browser sent; it cannot compare digests of large files. */
  readonly state?: string
  /** When a browser sent it; the undo of an import selects by it. */
  readonly at?: number
  /** The number of changes of a new structure, by which an export and an undo see whether it changed since. */
  readonly changes?: number
  /** The program that the caller of the command named, for notes. */
  readonly as?: SourceName | undefined
}

/** The record of a file that did not become a note. */
export const writtenFile = (digest: string): Written => ({
  digest,
  written: null,
  fields: null,
  original: null,
})

interface ImportedObject extends Written {
  /** The id of the note or file. */
  readonly object: string
}

/** A file of the folder that was imported before. */
export interface EarlierImport extends Omit<ImportedObject, 'original'> {
  /** Whether the import recorded the parts of the file that the note does not hold. */
  readonly hasOriginal: 0 | 1
  readonly pk: number
  /** Relative to the folder of the current import. */
  readonly path: string
}

/** The note of an earlier import of the same file. */
export interface ExistingNote {
  readonly head: NoteSummary
  readonly earlier: EarlierImport
  /** Whether the file has changed and this import updates the note. */
  readonly isUpdated: boolean
}

export interface PlannedNote {
  readonly note: VaultNote
  /** Undefined for a new note. */
  readonly existing: ExistingNote | undefined
}

type Kind = 'note' | 'file' | 'structure'

const FINDERS: Readonly<Record<Kind, (reader: Reader, workspace: number, id: string) => unknown>> = {
  note: findNoteSummary,
  file: (reader, workspace, id) => findFile(reader, wholeWorkspace(workspace), id),
  structure: (reader, workspace, id) => findStructure(reader, wholeWorkspace(workspace), id),
}

interface Row extends Omit<EarlierImport, 'fields'> {
  readonly kind: Kind
  readonly folder: string
  readonly fields: string | null
}

/**
 * The objects of earlier imports of the files in a folder. An earlier import may have covered this folder, an outer or
 * an inner one.
 */
export class EarlierImports {
  readonly #byPath = new Map<string, EarlierImport>()
  /** Imports whose file is no longer in the folder, by digest. */
  readonly #gone = new Map<string, Set<EarlierImport & { kind: Kind }>>()
  readonly #workspace: number

  constructor(
    reader: Reader,
    { workspacePk }: Caller,
    private readonly folder: string,
    present: ReadonlySet<string>,
    /** The program that the caller named, which later imports of the folder assume. */
    private readonly as: SourceName | undefined,
  ) {
    this.#workspace = workspacePk
    const rows = reader.sql.all<Row>(
      `SELECT pk, folder, path, kind, object, digest, written, fields, original IS NOT NULL AS hasOriginal
       FROM imported_files WHERE workspace = ?`,
      workspacePk,
    )
    for (const { folder: of, path: within, fields, ...row } of rows) {
      const whole = `${of}/${within}`
      if (!whole.startsWith(`${folder}/`)) continue
      const path = whole.slice(folder.length + 1)
      const earlier = { ...row, path, fields: fields === null ? null : (JSON.parse(fields) as WrittenFields) }
      if (present.has(path)) this.#byPath.set(path, earlier)
      else this.#gone.set(row.digest, (this.#gone.get(row.digest) ?? new Set()).add(earlier))
    }
  }

  /** Finds the object of the file at this path, or else of a removed file with the same content. */
  find(path: string, digest: string): EarlierImport | undefined {
    const known = this.#byPath.get(path)
    if (known) return known
    const gone = this.#gone.get(digest)
    if (!gone) return undefined
    const sameName = [...gone].find((earlier) => baseName(earlier.path) === baseName(path))
    const found = sameName ?? (gone.size === 1 ? [...gone][0] : undefined)
    if (found) gone.delete(found)
    return found
  }

  /**
   * The paths of removed files whose objects still exist. Entries without an object are deleted. Must be called at
   * the end.
   */
  listGone(tx: Tx): string[] {
    const paths: string[] = []
    for (const { pk, path, kind, object } of [...this.#gone.values()].flatMap((same) => [...same])) {
      if (FINDERS[kind](tx, this.#workspace, object)) paths.push(path)
      else tx.sql.run('DELETE FROM imported_files WHERE pk = ?', pk)
    }
    return paths.sort()
  }

  add(tx: Tx, kind: Kind, path: string, made: ImportedObject): void {
    insertImported(tx, {
      ...columnsOf({ ...made, as: this.as }),
      workspace: this.#workspace,
      folder: this.folder,
      path,
      kind,
    })
  }

  update(tx: Tx, { pk, path: oldPath }: EarlierImport, path: string, made: Written): void {
    updateImported(tx, pk, {
      ...columnsOf({ ...made, as: this.as }),
      ...(path !== oldPath && { folder: this.folder, path }),
    })
  }
}

/** The program by whose rules a folder was imported, if the caller named it. */
export const namedProgram = (
  { sql }: Reader,
  { workspacePk }: Caller,
  folder: string,
): SourceName | undefined =>
  sql.column<SourceName>(
    `SELECT json_extract(fields, '$.as') FROM imported_files
     WHERE workspace = ? AND folder = ? AND json_extract(fields, '$.as') IS NOT NULL ORDER BY pk DESC LIMIT 1`,
    workspacePk,
    folder,
  )[0]

export const insertImported = insertInto(importedFiles)
export const updateImported = updateOf(importedFiles, importedFiles.pk)

export const columnsOf = <Made extends Omit<Written, 'digest'>>({
  fields,
  state,
  at,
  changes,
  as,
  original,
  ...made
}: Made) => ({
  ...made,
  fields:
    fields || state !== undefined || changes !== undefined
      ? JSON.stringify({ ...fields, state, at, changes, as })
      : null,
  original: original && JSON.stringify(original),
})
