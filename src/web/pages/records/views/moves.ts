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

/** The row that had the focus when what showed it was taken from the page. */
let left: string | undefined

/**
 * Keeps the focus on a row that is shown at another place from now on, as it was moved. While it is shown nowhere, what
 * is around all rows has the focus, so that keys go on working there.
 */
export function useKeptFocus(id: string) {
  const ref = useRef<HTMLAnchorElement>(null)
  useLayoutEffect(() => {
    const shown = ref.current
    const around = shown?.closest<HTMLElement>('[tabindex="-1"]')
    const isElsewhere = () => ![document.body, around].includes(document.activeElement as HTMLElement)
    if (left === id && !isElsewhere()) shown?.focus()
    return () => {
      if (document.activeElement !== shown) return
      left = id
      // Once all rows are in their places.
      queueMicrotask(() => !isElsewhere() && around?.focus({ preventScroll: true }))
    }
  }, [])
  return ref
}

/** The row as it is shown: with the values that it was moved to. */
export const shownRow = (row: Row): Row => {
  const moved = moves.value.get(row.id)
  return moved ? { ...row, data: { ...row.data, ...(moved as Row['data']) } } : row
}

/** Writes that are under way, by row; each resolves with the version of the row that it made. */
const writes = new Map<string, Promise<string>>()

async function write(id: string, data: Data, version: string | Promise<string>): Promise<string> {
  const body = { data: data as never, if_unchanged: await version }
  const { record } = await api.patch('/v1/records/{id}', { params: { id }, body })
  return record.updated_at
}

/**
 * Writes values of a row, only if nobody else changed it since it was read; shows them at once, and takes them back if
 * refused. A row may be moved again before that is done.
 */
export function moveRow(structure: Structure, row: Row, data: Data): Promise<void> {
  const before = Object.fromEntries(Object.keys(data).map((key) => [key, row.data[key] ?? null]))
  moves.value = new Map(moves.peek()).set(row.id, data)
  const writing = write(row.id, data, writes.get(row.id) ?? row.updated_at)
  writes.set(row.id, writing)
  return undoStack.perform(async (keep) => {
    try {
      await writing
      keep({
        label: `moving ${rowLabel(structure, row)}`,
        run: async () => {
          await api.patch('/v1/records/{id}', { params: { id: row.id }, body: { data: before as never } })
          await invalidate(new Set(['record']))
        },
      })
      await invalidate(new Set(['record']))
    } finally {
      if (writes.get(row.id) === writing) forget(row.id)
    }
  })
}

function forget(id: string): void {
  writes.delete(id)
  const next = new Map(moves.peek())
  next.delete(id)
  moves.value = next
}
