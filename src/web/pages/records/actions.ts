import { effect, signal } from '@preact/signals'
import { api } from '../../data/api.ts'
import { sessionKey } from '../../data/session-key.ts'
import type { Row } from './model.ts'
import { undoStack } from './undo.ts'

/** What was done to rows last, so that it can be taken back at once. */
export interface JustDone {
  readonly op: 'deleted' | 'changed'
  readonly count: number
  readonly takeBack: () => Promise<unknown>
}

export const justDone = signal<JustDone | undefined>(undefined)

/** What was done to the rows of one structure, or by one person, is not offered to be taken back elsewhere. */
export function forgetDone(): void {
  justDone.value = undefined
  undoStack.clear()
}

effect(() => {
  void sessionKey.value
  forgetDone()
})

export const deleteRow = (row: Row): Promise<void> =>
  undoStack.perform(async (keep) => {
    await api.delete('/v1/records/{id}', { params: { id: row.id } })
    const takeBack = () => {
      undoStack.forget(takeBack)
      return restoreRow(row.id)
    }
    justDone.value = { op: 'deleted', count: 1, takeBack }
    keep({ label: 'the deletion of a row', run: takeBack })
  })

export async function restoreRow(id: string): Promise<Row> {
  const { record } = await api.post('/v1/records/{id}/restore', { params: { id } })
  justDone.value = undefined
  return record as Row
}

type Data = Record<string, string | number | boolean | null>

/** Writes rows as one batch, whole or not at all. */
export async function writeRows(
  structure: string,
  rows: readonly Data[],
  { onConflict = 'refuse', key }: { onConflict?: 'refuse' | 'update'; key?: string } = {},
): Promise<{ inserted: number; updated: number; records: readonly Row[] }> {
  const written = await api.post('/v1/records', {
    body: { structure, rows: rows.map((data) => ({ data })), on_conflict: onConflict } as never,
    ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
  })
  return written as unknown as { inserted: number; updated: number; records: readonly Row[] }
}

/** Writes one new row; taking it back deletes it. */
export const createRow = (structure: string, data: Data): Promise<Row> =>
  undoStack.perform(async (keep) => {
    const { records } = await writeRows(structure, [data])
    const [row] = records
    if (!row) throw new Error('The server did not return the new row.')
    keep({
      label: 'a new row',
      run: () => api.delete('/v1/records/{id}', { params: { id: row.id } }),
    })
    return row
  })
