import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller } from '../../context.ts'
import { CellFormat } from '../../filter/record/cell-format.ts'
import { chosenReading } from '../../filter/record/readings.ts'
import { TypeInference } from '../../filter/record/type-inference.ts'
import { markedEncoding } from '../../lib/decoders.ts'
import { decodeText, encodeText } from '../../lib/encoding.ts'
import { folderOf } from '../../lib/paths.ts'
import { refused } from '../../lib/refusal.ts'
import { sha256 } from '../../lib/sha256.ts'
import { counted, fold, normalized } from '../../lib/text.ts'
import { MAX_CONTENT } from '../../notes/content-length.ts'
import { checkedName } from '../../people/accounts/names.ts'
import { writeRecords } from '../../records/rows/writing/write-records.ts'
import type { FieldInput } from '../../records/structures/fields.ts'
import { MAX_FIELDS } from '../../records/structures/schema.ts'
import { createStructure } from '../../records/structures/service.ts'
import { findStructure, findStructureById, findStructureByName } from '../../records/structures/store.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { fieldsFor } from '../csv/columns.ts'
import { encodingOf } from '../csv/encoding.ts'
import { dataRows, type FileFormat } from '../csv/rows.ts'
import { freeKey } from '../field-keys.ts'
import type { ImportRun } from '../import-run.ts'
import { type EarlierImports, writtenFile } from './earlier-imports.ts'
import { type FolderContent, NOT_UPDATED, readBytes } from './folder.ts'
import { DELETED, type FolderFile } from './plan/files.ts'
import type { VaultNote } from './plan/note.ts'
import { type Database, type databasesIn, PAGE_LABEL } from './plan/notion-databases.ts'
import type { Original } from './plan/originals.ts'

/* Each database of Notion becomes a structure, and its rows link to the notes of their pages. */

const BATCH_SIZE = 500
const OPTIONS = { dateFormats: [], decimal: undefined, nulls: [] }

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

type Databases = ReturnType<typeof databasesIn<FolderFile>>['databases']

/** Imports each database as a new structure. Returns the number of structures and rows. */
export function importDatabases(run: ImportRun, databases: Databases, parts: Parts) {
  const counts = { structures: 0, rows: 0, unchanged: 0 }
  for (const { file, database } of databases)
    run.try(file.path, () => {
      const { path } = file
      const digest = sha256(readBytes(parts.content, file))
      const earlier = parts.earlier.find(path, digest)
      if (!earlier) {
        const { id, rows, ...made } = insertDatabase(run, database, parts, digest)
        parts.earlier.add(run.tx, 'structure', path, { object: id, ...writtenFile(digest), ...made })
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

function insertDatabase(
  { tx, caller }: ImportRun,
  database: Database,
  { content, pages }: Parts,
  digest: string,
) {
  const file = join(content.base, database.path)
  const own = pages.notes.filter(({ file: { path } }) => database.folders.has(folderOf(path)))
  const rowPages = own.map((note) => ({ title: note.title, id: pages.idOf(note) }))
  const table = readTable({ file, ...encodingOf(file) })
  return {
    ...insertTable(tx, caller, database.name, table, rowPages),
    original: originalTable(readFileSync(file), digest),
  }
}

/** The text of a file, so that an export can write it back; null for a long one, or in an encoding without a mark. */
function originalTable(bytes: Uint8Array, digest: string): Original | null {
  if (bytes.length > MAX_CONTENT) return null
  const mark = markedEncoding(bytes)
  try {
    const front = decodeText(bytes, 'the table')
    const isExact = sha256(encodeText(front, mark)) === digest
    return isExact ? { front, links: [], ...(mark && { mark }) } : null
  } catch {
    return null
  }
}

/** A database as read from its file. */
export interface NotionTable {
  readonly fields: readonly FieldInput[]
  readonly formats: readonly (CellFormat | undefined)[]
  readonly rows: readonly (readonly string[])[]
}

export function readTable(source: Pick<FileFormat, 'file' | 'encoding' | 'text'>): NotionTable {
  const rows: (readonly string[])[] = []
  let header: readonly string[] = []
  for (const chunk of dataRows({ ...OPTIONS, ...source, hasHeader: true, skipLines: 0, columns: '' })) {
    header = chunk.header
    for (const cells of chunk.rows) rows.push(checkedRow(cells, header.length, rows.length + 1))
  }
  return { ...fieldsOf(header, rows), rows }
}

/** Refuses a row with values beyond the headings, which would be lost. */
function checkedRow(cells: readonly string[], columns: number, number: number): readonly string[] {
  if (cells.length <= columns || !cells.slice(columns).some((cell) => cell !== '')) return cells
  throw refused(
    `row ${number} has ${counted(cells.length, 'cell')}, and the file has ${counted(columns, 'column')}.`,
  )
}

/** The page of a row. */
interface RowPage {
  readonly title: string
  readonly id: string
}

/** Creates a structure with a name that is still free, and its rows; of pages with one title, each belongs to one row. */
export function insertTable(
  tx: Tx,
  caller: Caller,
  wantedName: string,
  { fields, formats, rows }: NotionTable,
  pages: readonly RowPage[],
) {
  const page = freeKey('page', new Set(fields.map(({ key }) => key)))
  const hasPage = fields.length < MAX_FIELDS
  const [first] = fields
  const isTaken = (name: string) => findStructureByName(tx, caller.workspacePk, fold(name)) !== undefined
  const structure = createStructure(tx, caller, {
    name: checkedName(freeName(wantedName, isTaken), 'structure'),
    fields: hasPage ? [...fields, { key: page, type: 'note', label: PAGE_LABEL }] : [...fields],
    ...(first?.type === 'text' && { label_field: first.key }),
  })
  const byTitle = Map.groupBy(pages, ({ title }) => keyOf(title))
  const plain = new CellFormat(OPTIONS)
  const dataOf = (cells: readonly string[]) => {
    const data: Record<string, unknown> = {}
    for (const [at, { key, type }] of fields.entries()) {
      const cell = cells[at] ?? ''
      if (!plain.isEmpty(cell)) data[key] = (formats[at] ?? plain).valueOf({ type }, cell, false)
    }
    const id = hasPage ? byTitle.get(keyOf(cells[0] ?? ''))?.shift()?.id : undefined
    return { data: { ...data, ...(id !== undefined && { [page]: id }) } }
  }
  for (let at = 0; at < rows.length; at += BATCH_SIZE)
    writeRecords(tx, caller, { structure: structure.id, rows: rows.slice(at, at + BATCH_SIZE).map(dataOf) })
  const { changes = 0 } = findStructureById(tx, caller, structure.id) ?? {}
  return { id: structure.id, rows: rows.length, changes }
}

/** The fields with the notation of their cells. Dates that can be read in two ways stay text. */
function fieldsOf(header: readonly string[], rows: readonly (readonly string[])[]) {
  const inference = new TypeInference(header, OPTIONS)
  for (const cells of rows) inference.addRow(cells)
  const isUnclear = inference.readings().map((readings) => !chosenReading(readings))
  const types = inference.types().map((type, at) => (isUnclear[at] ? 'text' : type))
  const formats = inference.formats((at) => isUnclear[at] === true)
  return { fields: fieldsFor(header, types) satisfies FieldInput[], formats }
}

function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? wanted : `${wanted} ${number}`
    if (!isTaken(numbered)) return numbered
  }
}

const keyOf = (title: string): string => fold(normalized(title, 'NFC')).trim()
