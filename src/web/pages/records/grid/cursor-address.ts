import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Field } from '../../../data/records/model.ts'
import { search, setParameters } from '../../../router.ts'
import { type Cursor, cursorAt } from './cursor.ts'
import { type Geometry, scrollTopFor, scrollTopOf, sliceAt } from './geometry.ts'
import type { GridState } from './state.ts'

/** Pause before the address is updated: browsers limit the rate of history changes. */
const SETTLE_MS = 400

const FIRST = cursorAt(0, 1)

/** `1210.total` is the cell of field `total` in row 1,210; `1210` is the row's margin. */
function cellText({ row, column }: Cursor, fields: readonly Field[]): string | undefined {
  if (row === FIRST.row && column === FIRST.column) return undefined
  const field = fields[column - 1]
  return field ? `${row + 1}.${field.key}` : String(row + 1)
}

const numberOf = (text: string | null | undefined): number | undefined =>
  text && /^[1-9][0-9]{0,11}$/.test(text) ? Number(text) - 1 : undefined

/** The cursor in the address. */
export function cursorOfAddress(fields: readonly Field[]): Cursor {
  const [number, key] = search.peek().get('cell')?.split('.', 2) ?? []
  const row = numberOf(number)
  if (row === undefined) return FIRST
  return cursorAt(
    row,
    key === undefined ? 0 : Math.max(1, fields.findIndex((field) => field.key === key) + 1),
  )
}

/** The scroll position where a row is first, adjusted so that the cursor's row is not cut off. */
function scrollTopAt(geometry: Geometry, first: number, cursorRow: number): number {
  const top = scrollTopOf(geometry, first)
  const { firstVisible, lastVisible } = sliceAt(geometry, top)
  const isNear = cursorRow >= firstVisible && cursorRow <= lastVisible + 1
  return (isNear ? scrollTopFor(geometry, top, cursorRow) : undefined) ?? top
}

/** Scrolls to the row in the address, and keeps the first visible row and the cursor in the address. */
export function useCursorInAddress(
  { source, cursor, fields }: GridState,
  scroller: { current: HTMLElement | null },
  geometry: Geometry,
  firstVisible: number,
): void {
  /** The row to scroll to, until it is loaded or the user scrolls. */
  const target = useRef(numberOf(search.peek().get('at')))
  const { total, rowPx } = geometry
  const version = source.version.value
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element || target.current === undefined || total === 0) return
    const row = Math.min(target.current, total - 1)
    element.scrollTop = scrollTopAt(geometry, row, cursor.peek().row)
    if (source.row(row)) target.current = undefined
  }, [total, rowPx, version])
  useEffect(() => {
    const element = scroller.current
    const cancel = () => {
      target.current = undefined
    }
    const events = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const
    for (const event of events) element?.addEventListener(event, cancel, { passive: true })
    return () => {
      for (const event of events) element?.removeEventListener(event, cancel)
    }
  }, [])
  const at = firstVisible === 0 ? undefined : String(firstVisible + 1)
  const cell = cellText(cursor.value, fields)
  const current = search.value
  useEffect(() => {
    if (total === 0 || target.current !== undefined) return
    if ((current.get('at') ?? undefined) === at && (current.get('cell') ?? undefined) === cell) return
    const timer = setTimeout(() => setParameters({ at, cell }, { replace: true }), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [at, cell, current, total, version])
}
