import { join } from 'node:path'
import { CellFormat } from '../../filter/record/cell-format.ts'
import { folderOf } from '../../lib/paths.ts'
import { Refusal, refused } from '../../lib/refusal.ts'
import { sha256 } from '../../lib/sha256.ts'
import { fold, normalized } from '../../lib/text.ts'
import { checkedName } from '../../people/accounts/names.ts'
import { writeRecords } from '../../records/rows/writing/write-records.ts'
import type { FieldInput } from '../../records/structures/fields.ts'
import { MAX_FIELDS } from '../../records/structures/schema.ts'
import { createStructure } from '../../records/structures/service.ts'
import { findStructure } from '../../records/structures/store.ts'
import { fieldsFor, TypeInference } from '../csv/columns.ts'
import { encodingOf } from '../csv/encoding.ts'
import { dataRows } from '../csv/rows.ts'
import { freeKey } from '../field-keys.ts'
import type { ImportRun } from '../import-run.ts'
import { type EarlierImports, writtenFile } from './earlier-imports.ts'
import { type FolderContent, NOT_UPDATED, readBytes } from './folder.ts'
import { DELETED, type FolderFile } from './plan/files.ts'
import type { VaultNote } from './plan/note.ts'
import { withoutId } from './plan/sources/notion.ts'

/*
 * A database of Notion is a CSV file, and each row has a page in the folder beside it. The database becomes a structure,
 * and its rows link to the notes of their pages. Notion writes a database twice if a view hides some of its rows.
 */

/** The name of a file with a database. */
const DATABASE = /^([^/]*) ([\da-f]{32})(_all)?\.csv$/
const BATCH_SIZE = 500
const OPTIONS = { dateFormats: [], decimal: undefined, nulls: [] }

interface Database {
  readonly file: FolderFile
  readonly name: string
  /** The folders that may hold the pages; newer exports leave the id out. */
  readonly folders: ReadonlySet<string>
}

/** Divides the files of an export into databases, other files, and second copies of databases. */
export function databasesIn(files: readonly FolderFile[]) {
  const databases = new Map<string, Database>()
  const copies: FolderFile[] = []
  const others: FolderFile[] = []
  for (const file of files) {
    const parent = file.path.slice(0, file.path.lastIndexOf('/') + 1)
    const [, name = '', id = '', isWhole] = DATABASE.exec(file.path.slice(parent.length)) ?? []
    if (id === '') {
      others.push(file)
      continue
    }
    const known = databases.get(parent + id)
    const folders = new Set([`${parent}${name} ${id}`, `${parent}${name}`])
    if (known) copies.push(isWhole ? known.file : file)
    if (!known || isWhole) databases.set(parent + id, { file, name, folders })
  }
  return { databases: [...databases.values()], copies, others }
}

interface Pages {
  readonly notes: readonly VaultNote[]
  idOf(note: VaultNote): string
}

interface Parts {
  readonly content: FolderContent
  readonly earlier: EarlierImports
  readonly updates: boolean
  readonly pages: Pages
}

/** Imports each database as a new structure. Returns the number of structures and rows. */
export function importDatabases(run: ImportRun, databases: readonly Database[], parts: Parts) {
  const counts = { structures: 0, rows: 0, unchanged: 0 }
  for (const database of databases)
    run.try(database.file.path, () => {
      const { path } = database.file
      const digest = sha256(readBytes(parts.content, database.file))
      const earlier = parts.earlier.find(path, digest)
      if (!earlier) {
        const { id, rows } = insertDatabase(run, database, parts)
        parts.earlier.add(run.tx, 'structure', path, { object: id, ...writtenFile(digest) })
        counts.structures += 1
        counts.rows += rows
      } else if (!findStructure(run.tx, run.caller, earlier.object))
        run.skipped.push({ place: path, reason: DELETED })
      else if (earlier.digest === digest) counts.unchanged += 1
      else if (!parts.updates) throw refused(NOT_UPDATED)
      else run.skipped.push({ place: path, reason: 'the rows of its table stay as they are.' })
    })
  return counts
}

function insertDatabase({ tx, caller }: ImportRun, database: Database, { content, pages }: Parts) {
  const file = join(content.base, database.file.path)
  const format = { ...OPTIONS, file, ...encodingOf(file), hasHeader: true, skipLines: 0, columns: '' }
  const rows: (readonly string[])[] = []
  let header: readonly string[] = []
  for (const chunk of dataRows(format)) {
    header = chunk.header
    for (const cells of chunk.rows) rows.push(cells)
  }
  const { fields, formats } = fieldsOf(header, rows)
  const taken = new Set(fields.map(({ key }) => key))
  const page = freeKey('page', taken)
  const hasPage = fields.length < MAX_FIELDS
  const [first] = fields
  const structure = createStructure(tx, caller, {
    name: checkedName(
      freeName(database.name, (name) => findStructure(tx, caller, name) !== undefined),
      'structure',
    ),
    fields: hasPage ? [...fields, { key: page, type: 'note', label: 'Page' }] : fields,
    ...(first?.type === 'text' && { label_field: first.key }),
  })
  const rowPages = new RowPages(database, pages)
  const plain = new CellFormat(OPTIONS)
  const dataOf = (cells: readonly string[]) => {
    const data: Record<string, unknown> = {}
    for (const [at, { key, type }] of fields.entries()) {
      const cell = cells[at] ?? ''
      if (!plain.isEmpty(cell)) data[key] = (formats[at] ?? plain).valueOf({ type }, cell, false)
    }
    const id = hasPage ? rowPages.next(cells[0] ?? '') : undefined
    return { data: { ...data, ...(id !== undefined && { [page]: id }) } }
  }
  for (let at = 0; at < rows.length; at += BATCH_SIZE)
    writeRecords(tx, caller, { structure: structure.id, rows: rows.slice(at, at + BATCH_SIZE).map(dataOf) })
  return { id: structure.id, rows: rows.length }
}

/** The fields with the notation of their cells. Dates that can be read in two ways stay text. */
function fieldsOf(header: readonly string[], rows: readonly (readonly string[])[]) {
  const inference = new TypeInference(header, OPTIONS)
  for (const cells of rows) inference.addRow(cells)
  const unclear = new Set<number>()
  for (;;)
    try {
      const formats = inference.formats((at) => unclear.has(at))
      const types = inference.types().map((type, at) => (unclear.has(at) ? 'text' : type))
      return { fields: fieldsFor(header, types) satisfies FieldInput[], formats }
    } catch (error) {
      const open = inference
        .types()
        .findIndex((type, at) => !unclear.has(at) && (type === 'date' || type === 'datetime'))
      if (!(error instanceof Refusal) || open === -1) throw error
      unclear.add(open)
    }
}

function freeName(name: string, isTaken: (name: string) => boolean): string {
  const wanted = withoutId(name).trim() || 'Table'
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? wanted : `${wanted} ${number}`
    if (!isTaken(numbered)) return numbered
  }
}

/** The pages of the rows, by title; of several pages with one title, each belongs to one row. */
class RowPages {
  readonly #byTitle: Map<string, VaultNote[]>

  constructor(
    { folders }: Database,
    private readonly pages: Pages,
  ) {
    const own = pages.notes.filter(({ file }) => folders.has(folderOf(file.path)))
    this.#byTitle = Map.groupBy(own, ({ title }) => keyOf(title))
  }

  next(title: string): string | undefined {
    const page = this.#byTitle.get(keyOf(title))?.shift()
    return page && this.pages.idOf(page)
  }
}

const keyOf = (title: string): string => fold(normalized(title, 'NFC')).trim()
