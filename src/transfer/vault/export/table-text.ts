import type { Caller } from '../../../context.ts'
import { valueTypeOf } from '../../../filter/record/field-types.ts'
import { csvCell, textCell } from '../../../lib/csv-cells.ts'
import { encodeText } from '../../../lib/encoding.ts'
import { headingsOf } from '../../../lib/field-headings.ts'
import { type RecordData, valueIn } from '../../../lib/record-data.ts'
import { definitionOf, findStructure, type StructureRow } from '../../../records/structures/store.ts'
import type { Reader } from '../../../storage/reader.ts'
import { writeRows } from '../../csv/export.ts'
import type { Written } from '../earlier-imports.ts'
import { isPageField } from '../plan/notion-databases.ts'
import type { Original } from '../plan/originals.ts'

/** The structure of an imported database of Notion, and the path of its file. */
export interface ImportedTable {
  readonly structure: StructureRow
  readonly path: string
  /** The text of the file, if it is not long. */
  readonly original: Original | undefined
  readonly isChanged: boolean
}

interface Row {
  readonly object: string
  readonly folder: string
  readonly path: string
  readonly changes: number | null
  readonly original: string | null
}

/** The structures of imported databases, with paths relative to `root` if they are in it. */
export function importedTables(reader: Reader, caller: Caller, root?: string): ImportedTable[] {
  const rows = reader.sql.all<Row>(
    `SELECT object, folder, path, original, json_extract(fields, '$.changes') AS changes FROM imported_files
     WHERE workspace = ? AND kind = 'structure' AND digest <> '' ORDER BY pk`,
    caller.workspacePk,
  )
  return rows.flatMap(({ object, folder, path, changes, original }): ImportedTable[] => {
    const structure = findStructure(reader, caller, object)
    if (!structure) return []
    const isWithin = root !== undefined && `${folder}/`.startsWith(`${root}/`)
    return [
      {
        structure,
        path: isWithin ? `${folder}/${path}`.slice(root.length + 1) : path,
        original: original === null ? undefined : (JSON.parse(original) as Original),
        // Imports of earlier versions recorded no number.
        isChanged:
          changes !== null && (changes !== structure.changes || structure.updatedAt !== structure.createdAt),
      },
    ]
  })
}

/** The file of a database: as it was imported where nothing changed, otherwise with its present rows. */
export function tableFileOf(reader: Reader, { structure, original, isChanged }: ImportedTable) {
  const { mark } = original ?? {}
  const text = original && !isChanged ? original.front : csvOf(reader, structure)
  return {
    bytes: encodeText(text, mark),
    record: (): Omit<Written, 'digest'> => ({
      ...{ written: null, fields: null, changes: structure.changes },
      original: { front: text, links: [], ...(mark && { mark }) },
    }),
  }
}

/** The rows as CSV, without the links to their pages. */
function csvOf(reader: Reader, structure: StructureRow): string {
  const fields = definitionOf(structure).fields.filter((field) => !isPageField(field))
  const lines = [`${headingsOf(fields, 'label').map(textCell).join(',')}\n`]
  writeRows(reader, structure.pk, {
    hasDeleted: false,
    lineOf: ({ data }) => {
      const values = JSON.parse(data) as RecordData
      return fields.map((field) => csvCell(valueTypeOf(field), valueIn(values, field.key))).join(',')
    },
    write: (rows) => void lines.push(rows),
  })
  return lines.join('')
}
