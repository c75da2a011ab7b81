import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { api } from '../../../data/api.ts'
import { invalidate } from '../../../data/cache.ts'
import type { Row, Structure } from '../model.ts'
import { rowLabel } from '../model.ts'
import { undoStack } from '../undo.ts'

type Data = Readonly<Record<string, string | number | boolean | null>>

/** What was moved and is not read again yet, by the id of its row. */
export const moves = signal<ReadonlyMap<string, Data>>(new Map())

/** The row that was moved by keys: what shows it gets the focus wherever it appears. */
let inHand: string | undefined

export function takeInHand(id: string | undefined): void {
  inHand = id
}

/** Gives what shows a row the focus when it appears, if the row was just moved by keys. */
export function useFocusInHand(id: string) {
  const ref = useRef<HTMLAnchorElement>(null)
  useLayoutEffect(() => {
    if (inHand === id) ref.current?.focus()
  }, [])
  return ref
}

/** The row as it is shown: with the values that it was moved to. */
export const shownRow = (row: Row): Row => {
  const moved = moves.value.get(row.id)
  return moved ? { ...row, data: { ...row.data, ...(moved as Row['data']) } } : row
}

/** Writes values of a row, only if nobody changed it since it was read; shows them at once, and takes them back if refused. */
export async function moveRow(structure: Structure, row: Row, data: Data): Promise<void> {
  const keep = undoStack.begin()
  const before = Object.fromEntries(Object.keys(data).map((key) => [key, row.data[key] ?? null]))
  moves.value = new Map(moves.peek()).set(row.id, data)
  try {
    await api.patch('/v1/records/{id}', {
      params: { id: row.id },
      body: { data: data as never, if_unchanged: row.updated_at },
    })
    keep({
      label: `moving ${rowLabel(structure, row)}`,
      run: async () => {
        await api.patch('/v1/records/{id}', { params: { id: row.id }, body: { data: before as never } })
        await invalidate(new Set(['record']))
      },
    })
    await invalidate(new Set(['record']))
  } finally {
    const next = new Map(moves.peek())
    next.delete(row.id)
    moves.value = next
  }
}
