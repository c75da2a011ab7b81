import { effect } from '@preact/signals'
import { api } from '../../data/api.ts'
import { newIds } from '../../data/new-ids.ts'
import { actionQueue, deferAction, type RowData } from '../../data/pending-actions.ts'
import type { Row, Structure } from '../../data/records/model.ts'
import { undoStack } from '../../data/records/undo.ts'
import { Unreachable, unreachableSince } from '../../data/request.ts'
import { sessionKey } from '../../data/session-key.ts'
import { sessionState } from '../../data/session-state.ts'

/** The last action on rows, offered for undo. */
export interface LastAction {
  readonly op: 'deleted' | 'changed'
  readonly count: number
  readonly undo: () => Promise<unknown>
}

export const lastAction = sessionState<LastAction | undefined>(undefined)

/** Forgets all undo offers, as another structure is shown. */
export function clearLastAction(): void {
  lastAction.value = undefined
  undoStack.clear()
}

effect(() => {
  void sessionKey.value
  undoStack.clear()
})

export const deleteRow = (row: Row): Promise<void> =>
  undoStack.perform(async (push) => {
    await api.delete('/v1/records/{id}', { params: { id: row.id } })
    const undo = () => {
      undoStack.remove(undo)
      return restoreRow(row.id)
    }
    lastAction.value = { op: 'deleted', count: 1, undo }
    push({ label: 'the deletion of a row', run: undo })
  })

export async function restoreRow(id: string): Promise<Row> {
  const { record } = await api.post('/v1/records/{id}/restore', { params: { id } })
  lastAction.value = undefined
  return record as Row
}

/** Writes rows as one atomic batch. */
export async function writeRows(
  structure: string,
  rows: readonly RowData[],
  { onConflict = 'refuse', key }: { onConflict?: 'refuse' | 'update'; key?: string } = {},
): Promise<{ inserted: number; updated: number; records: readonly Row[] }> {
  const written = await api.post('/v1/records', {
    body: { structure, rows: rows.map((data) => ({ data })), on_conflict: onConflict } as never,
    ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
  })
  return written as unknown as { inserted: number; updated: number; records: readonly Row[] }
}

type Table = Pick<Structure, 'id' | 'name'>

/**
 * Creates a row; undo deletes it. While the server cannot be reached, the row waits in this browser, if it has a queue.
 * Without one, the same call is repeated under the same key.
 */
export const createRow = (table: Table, data: RowData): Promise<unknown> =>
  undoStack.perform(async (push) => {
    const hasQueue = actionQueue.defer !== undefined
    if (hasQueue && unreachableSince.peek() !== undefined) return deferRow(table, data)
    const [key] = hasQueue ? newIds(1) : []
    try {
      const { records } = await writeRows(table.id, [data], key === undefined ? {} : { key })
      const [row] = records
      if (!row) throw new Error('The server did not return the new row.')
      push({
        label: 'a new row',
        run: () => api.delete('/v1/records/{id}', { params: { id: row.id } }),
      })
    } catch (error) {
      if (!(error instanceof Unreachable) || key === undefined) throw error
      // The server may have created the row.
      await deferRow(table, data, key)
    }
  })

async function deferRow({ id: structure, name }: Table, data: RowData, sentWith?: string): Promise<void> {
  const [id = ''] = newIds(1)
  await deferAction({
    kind: 'rows',
    structure: { id: structure, name },
    created: [{ id, data }],
    changed: [],
    ...(sentWith !== undefined && { sentWith }),
  })
}
