import { api } from '../api.ts'
import { keyOfChange } from '../note-text.ts'
import type { Values } from './edits.ts'
import type { Row } from './model.ts'

/** The later of two versions of a row. */
export const latest = (known: Row | undefined, read: Row): Row =>
  known && known.updated_at > read.updated_at ? known : read

export async function readRow(id: string): Promise<Row> {
  const { record } = await api.get('/v1/records/{id}', { params: { id }, isFresh: true })
  return record as Row
}

/** Updates a row if it is unchanged since it was read; else the server refuses with `stale`. */
export async function patchRow(row: Row, values: Values): Promise<Row> {
  const data = Object.fromEntries([...values].map(([{ key }, value]) => [key, value ?? null]))
  const body = { data, if_unchanged: row.updated_at }
  const { record } = await api.patch('/v1/records/{id}', {
    params: { id: row.id },
    body,
    headers: keyOfChange(body),
  })
  return record as Row
}
