import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Edits, Values } from '../../../data/records/edits.ts'
import { valueText } from '../../../data/records/labels.ts'
import { type Field, type Row, rowLabel, type Structure, type Value } from '../../../data/records/model.ts'
import { latest } from '../../../data/records/patch-row.ts'
import { undoStack } from '../../../data/records/undo.ts'

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

/** The row with its pending move applied; the same object without one. */
export function movedRow(edits: Edits, row: Row, fields: readonly Field[]): Row {
  const newest = latest(edits.source.find(row.id), row)
  const pending = fields.flatMap(({ key }) => {
    const state = edits.of(row.id, key)
    return state?.kind === 'saving' ? [[key, state.value] as const] : []
  })
  return pending.length === 0
    ? newest
    : { ...newest, data: { ...newest.data, ...Object.fromEntries(pending) } }
}

/**
 * Moves a row by writing values, like edited cells: they are shown at once, and sent when the server responds. Resolves to
 * false if a later move replaced this one. Throws if the values are refused, or another user was faster; the row is then
 * shown where it was.
 */
export const moveRow = (edits: Edits, structure: Structure, row: Row, values: Values): Promise<boolean> =>
  undoStack.perform(async (push) => {
    const saved = await writeMove(edits, row, values)
    if (!saved) return false
    const before = saved.fields.map((field): [Field, Value] => [field, saved.before.data[field.key]])
    push({
      label: `moving ${rowLabel(structure, row)}`,
      run: () => writeMove(edits, saved.row, new Map(before)),
    })
    return true
  })

async function writeMove(edits: Edits, row: Row, values: Values) {
  const fields = [...values.keys()]
  const saved = await edits.writeRow(row, values)
  const problem = edits.problemIn(row.id, fields)
  if (!problem) return saved
  edits.drop(row.id, ...fields.map(({ key }) => key))
  const { field, state } = problem
  if (state.kind !== 'conflict') throw new Error('error' in state ? state.error : 'The row was not moved.')
  const theirs = valueText(field, state.theirs)
  throw new Error(`Someone else changed ${field.label} to ${theirs}. Move the row again to replace it.`)
}
