import { isSameValue } from '../../../lib/record-data.ts'
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

/**
 * The row before values were written, for undo. `newest` holds them already if an earlier call was not answered; then
 * the row as it was read when it was edited has the value before.
 */
export function beforeWrite(read: Row, newest: Row, values: Values): Row {
  const repeated = [...values].filter(([{ key }, value]) => isSameValue(newest.data[key], value))
  const earlier = repeated.map(([{ key }]) => [key, read.data[key]])
  return { ...newest, data: { ...newest.data, ...Object.fromEntries(earlier) } }
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
