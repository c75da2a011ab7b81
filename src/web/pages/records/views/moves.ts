import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { api } from '../../../data/api.ts'
import { invalidate } from '../../../data/cache.ts'
import type { Row, Structure } from '../../../data/records/model.ts'
import { rowLabel } from '../../../data/records/model.ts'
import { undoStack } from '../../../data/records/undo.ts'

type Data = Readonly<Record<string, string | number | boolean | readonly string[] | null>>

/** Moved values by row id, until the rows are refetched. */
export const moves = signal<ReadonlyMap<string, Data>>(new Map())

/** The row that was focused when its element was unmounted. */
let focusedRow: string | undefined

/**
 * Keeps the focus on a row that is rendered elsewhere after a move. While it is not rendered, its container has the
 * focus, so that keys keep working.
 */
export function useFocusAfterMove(id: string) {
  const ref = useRef<HTMLAnchorElement>(null)
  useLayoutEffect(() => {
    const element = ref.current
    const container = element?.closest<HTMLElement>('[tabindex="-1"]')
    const isElsewhere = () => ![document.body, container].includes(document.activeElement as HTMLElement)
    if (focusedRow === id && !isElsewhere()) element?.focus()
    return () => {
      if (document.activeElement !== element) return
      focusedRow = id
      // After all rows are rendered.
      queueMicrotask(() => !isElsewhere() && container?.focus({ preventScroll: true }))
    }
  }, [])
  return ref
}

/** The row with its pending move applied. */
export const movedRow = (row: Row): Row => {
  const moved = moves.value.get(row.id)
  return moved ? { ...row, data: { ...row.data, ...(moved as Row['data']) } } : row
}

/** Writes in flight, by row. Each resolves to the resulting version. */
const writes = new Map<string, Promise<string>>()

async function write(id: string, data: Data, version: string | Promise<string>): Promise<string> {
  const body = { data: data as never, if_unchanged: await version }
  const { record } = await api.patch('/v1/records/{id}', { params: { id }, body })
  return record.updated_at
}

/**
 * Writes values of a row, if it is unchanged since it was read. The values are displayed at once and reverted on a
 * refusal. Consecutive moves of a row are chained by version.
 */
export function moveRow(structure: Structure, row: Row, data: Data): Promise<void> {
  const before = Object.fromEntries(Object.keys(data).map((key) => [key, row.data[key] ?? null]))
  moves.value = new Map(moves.peek()).set(row.id, data)
  const writing = write(row.id, data, writes.get(row.id) ?? row.updated_at)
  writes.set(row.id, writing)
  return undoStack.perform(async (push) => {
    try {
      await writing
      push({
        label: `moving ${rowLabel(structure, row)}`,
        run: async () => {
          await api.patch('/v1/records/{id}', { params: { id: row.id }, body: { data: before as never } })
          await invalidate(new Set(['record']))
        },
      })
      await invalidate(new Set(['record']))
    } finally {
      if (writes.get(row.id) === writing) clearMove(row.id)
    }
  })
}

function clearMove(id: string): void {
  writes.delete(id)
  const next = new Map(moves.peek())
  next.delete(id)
  moves.value = next
}
