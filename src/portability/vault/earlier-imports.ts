import { type Caller, wholeWorkspace } from '../../context.ts'
import { insertInto, updateOf } from '../../db/query.ts'
import type { Reader } from '../../db/reader.ts'
import { importedFiles } from '../../db/schema/imported-files.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { findFile } from '../../files/store.ts'
import { findNoteSummary } from '../../notes/store.ts'
import { baseName } from './plan/folder-files.ts'

/** What an import wrote into a note besides its body. */
export interface WrittenFields {
  readonly title: string
  readonly alias: string | null
  /** The ids of its tags. */
  readonly tags: readonly number[]
  /** By the pk of the property. */
  readonly properties: Readonly<Record<string, unknown>>
}

export interface ImportedObject {
  /** The id of the note or file. */
  readonly object: string
  readonly digest: string
  readonly written: string | null
  readonly fields: WrittenFields | null
}

/** A file of the folder that was imported before. */
export interface EarlierImport extends ImportedObject {
  readonly pk: number
  /** In the folder that is imported now. */
  readonly path: string
}

type Kind = 'note' | 'file'

interface Row extends Omit<EarlierImport, 'fields'> {
  readonly kind: Kind
  readonly folder: string
  readonly fields: string | null
}

/** What earlier imports made of the files in a folder, be it that folder, one around it or one in it that was imported. */
export class EarlierImports {
  readonly #byPath = new Map<string, EarlierImport>()
  /** Those whose file is no longer in the folder, by digest. */
  readonly #gone = new Map<string, Set<EarlierImport & { kind: Kind }>>()
  readonly #workspace: number

  constructor(
    reader: Reader,
    { workspacePk }: Caller,
    private readonly folder: string,
    present: ReadonlySet<string>,
  ) {
    this.#workspace = workspacePk
    const rows = reader.sql.all<Row>(
      'SELECT pk, folder, path, kind, object, digest, written, fields FROM imported_files WHERE workspace = ?',
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

  /** What was made of the file at this path or, when none was, of a file that is gone and had the same content. */
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
   * The paths of files that are gone while what was made of them is still there. Those of which nothing is left are
   * forgotten. To be called at the end.
   */
  listGone(tx: Tx): string[] {
    const paths: string[] = []
    for (const { pk, path, kind, object } of [...this.#gone.values()].flatMap((same) => [...same])) {
      const exists =
        kind === 'note'
          ? findNoteSummary(tx, this.#workspace, object)
          : findFile(tx, wholeWorkspace(this.#workspace), object)
      if (exists) paths.push(path)
      else tx.sql.run('DELETE FROM imported_files WHERE pk = ?', pk)
    }
    return paths.sort()
  }

  add(tx: Tx, kind: Kind, path: string, { fields, ...made }: ImportedObject): void {
    insert(tx, {
      ...made,
      workspace: this.#workspace,
      folder: this.folder,
      path,
      kind,
      fields: textOf(fields),
    })
  }

  update(
    tx: Tx,
    { pk, path: oldPath }: EarlierImport,
    path: string,
    { digest, written, fields }: Omit<ImportedObject, 'object'>,
  ): void {
    const moved = path === oldPath ? {} : { folder: this.folder, path }
    update(tx, pk, { digest, written, fields: textOf(fields), ...moved })
  }
}

const insert = insertInto(importedFiles)
const update = updateOf(importedFiles, importedFiles.pk)

const textOf = (fields: WrittenFields | null): string | null => fields && JSON.stringify(fields)
