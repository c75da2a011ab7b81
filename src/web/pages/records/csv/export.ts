import { textCell } from '../../../../lib/csv-cells.ts'
import { headingsOf } from '../../../../lib/field-headings.ts'
import { api } from '../../../data/api.ts'
import { saveFile } from '../../../data/download.ts'
import { queryOf, type RowPage, type RowQuery, type Structure } from '../../../data/records/model.ts'
import { cellOf } from './cell.ts'

const PAGE = 500

/** CSV text; every line ends with CR LF. */
export const toCsv = (lines: readonly (readonly string[])[]): string =>
  lines.map((cells) => `${cells.join(',')}\r\n`).join('')

/** Saves CSV text as a file. */
export const saveCsv = (name: string, parts: readonly string[]): void =>
  saveFile(name, new Blob([...parts], { type: 'text/csv' }))

type PageByCursor = Pick<RowPage, 'records'> & { readonly next_cursor: string | null }

/** Downloads every row of the query as a CSV file; `onProgress` receives the number of rows read so far. */
export async function exportCsv(
  structure: Structure,
  rowQuery: RowQuery,
  signal: AbortSignal,
  onProgress: (read: number) => void,
): Promise<void> {
  const { fields } = structure
  const parts = [toCsv([['id', ...headingsOf(fields, 'label').map(textCell), 'created_at', 'updated_at']])]
  let read = 0
  for (let cursor: string | null = 'start'; cursor !== null; ) {
    const query = { ...queryOf(rowQuery), limit: PAGE, cursor }
    const page = (await api.get('/v1/records', { query, signal })) as object as PageByCursor
    const { records } = page
    parts.push(
      toCsv(
        records.map(({ id, data, created_at, updated_at }) => [
          id,
          ...fields.map((field) => cellOf(field, data)),
          created_at,
          updated_at,
        ]),
      ),
    )
    read += records.length
    onProgress(read)
    cursor = page.next_cursor
  }
  saveCsv(`${structure.name}.csv`, parts)
}
