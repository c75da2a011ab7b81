import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../../context.ts'
import { checkMaking, hides } from '../../../kernel/caller.ts'
import { long, read, write } from '../../../kernel/operation.ts'
import { encodeText } from '../../../lib/encoding.ts'
import { folderOf } from '../../../lib/paths.ts'
import { invalid, refused } from '../../../lib/refusal.ts'
import { sha256 } from '../../../lib/sha256.ts'
import { withCommas } from '../../../lib/text.ts'
import type { Reader } from '../../../storage/reader.ts'
import { columnsOf, updateImported, writtenFile } from '../earlier-imports.ts'
import { insertTable, readTable } from '../notion-tables.ts'
import { type Database, databaseAt } from '../plan/notion-databases.ts'
import type { TableBody, TablePreview, TableTextBody } from './schema.ts'
import { reserve, storedFolder } from './service.ts'

const MAX_SHOWN_ROWS = 10

function database(path: string): Database {
  const found = databaseAt(path)
  if (found) return found
  throw invalid('"path" must be the path of a database in an export of Notion.')
}

/** One transaction writes a whole table; larger ones would hold up other callers. */
const MAX_ROWS = 10_000

function tableIn(file: string, text: string) {
  const table = readTable({ file, encoding: 'utf-8', text })
  if (table.rows.length <= MAX_ROWS) return table
  throw refused(
    `The table has more than ${withCommas(MAX_ROWS)} rows; "daybook import" on the command line makes a table of it.`,
  )
}

/** The columns that a database would get, and its first rows. */
export const previewTable = long(
  read({
    name: 'portability.preview-table',
    covers: 'structures',
    run: (_, __, { body: { path, text } }: { body: Static<typeof TableTextBody> }) => {
      const { name } = database(path)
      const { fields, rows } = tableIn(path, text)
      return {
        name,
        columns: fields.map(({ key, label, type }) => ({ label: label ?? key, type })),
        rows: rows.slice(0, MAX_SHOWN_ROWS).map((cells) => fields.map((_, at) => cells[at] ?? '')),
        row_count: rows.length,
      } satisfies Static<typeof TablePreview>
    },
  }),
)

/** Creates the structure of a database with its rows, after the notes of their pages. */
export const importTable = long(
  write({
    name: 'portability.import-table',
    covers: 'structures',
    check: (_, { rights }) => checkMaking(rights),
    run: (tx, caller, { body }: { body: Static<typeof TableBody> }) => {
      const { folder, path, text, mark, state } = body
      const { name, folders } = database(path)
      const reserved = reserve(tx, caller, folder, path)
      // The response to an earlier call may have been lost.
      if (reserved.isFinished) return { rows: 0 }
      const pages = [...folders].flatMap((inner) => pagesIn(tx, caller, folder, inner))
      const { id, rows, changes } = insertTable(tx, caller, name, tableIn(path, text), pages)
      const made = columnsOf({
        ...writtenFile(sha256(encodeText(text, mark))),
        ...{ state, changes, at: tx.now },
        original: { front: text, links: [], ...(mark && { mark }) },
      })
      updateImported(tx, reserved.pk, { ...made, kind: 'structure', object: id })
      return { rows }
    },
  }),
)

interface Page {
  readonly path: string
  readonly title: string
  readonly id: string
}

/** The notes that were imported from the files of one inner folder, without those of deeper ones, the oldest first. */
function pagesIn({ sql }: Reader, caller: Caller, folder: string, inner: string): Page[] {
  if (hides(caller.rights, 'notes')) return []
  return sql
    .all<Page>(
      `SELECT i.path, n.title, n.id FROM imported_files i JOIN notes n ON n.id = i.object
       WHERE i.workspace = ?1 AND i.folder = ?2 AND i.path > ?3 || '/' AND i.path < ?3 || '0'
       AND i.kind = 'note' AND i.digest <> '' AND n.workspace = ?1 AND n.deleted_at IS NULL
       ORDER BY n.created_at, n.pk`,
      caller.workspacePk,
      storedFolder(caller, folder),
      inner,
    )
    .filter(({ path }) => folderOf(path) === inner)
}
