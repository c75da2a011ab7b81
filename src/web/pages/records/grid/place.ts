import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { search, setParameters } from '../../../router.ts'
import type { Field } from '../model.ts'
import { type Cursor, cursorAt } from './cursor.ts'
import { type Geometry, scrollTopFor, scrollTopOf, sliceAt } from './geometry.ts'
import type { GridState } from './state.ts'

/** The address is written once the place has been the same for so long: browsers take few changes of it a second. */
const REST_MS = 400

const FIRST = cursorAt(0, 1)

/** `1210.total` is the cell of that field in row 1,210; `1210` its margin. */
function cellText({ row, column }: Cursor, fields: readonly Field[]): string | undefined {
  if (row === FIRST.row && column === FIRST.column) return undefined
  const field = fields[column - 1]
  return field ? `${row + 1}.${field.key}` : String(row + 1)
}

const numberOf = (text: string | null | undefined): number | undefined =>
  text && /^[1-9][0-9]{0,11}$/.test(text) ? Number(text) - 1 : undefined

/** The cursor that the address names. */
export function cursorOfAddress(fields: readonly Field[]): Cursor {
  const [number, key] = search.peek().get('cell')?.split('.', 2) ?? []
  const row = numberOf(number)
  if (row === undefined) return FIRST
  return cursorAt(
    row,
    key === undefined ? 0 : Math.max(1, fields.findIndex((field) => field.key === key) + 1),
  )
}

/** Where to scroll so that a row is the first, and the row of the cursor is not cut off at the edge. */
function scrollTopAt(geometry: Geometry, first: number, cursorRow: number): number {
  const top = scrollTopOf(geometry, first)
  const { firstSeen, lastSeen } = sliceAt(geometry, top)
  const isNear = cursorRow >= firstSeen && cursorRow <= lastSeen + 1
  return (isNear ? scrollTopFor(geometry, top, cursorRow) : undefined) ?? top
}

/** Goes to the row that the address names, and keeps the place in the address: the row seen first, and the cursor. */
export function usePlaceInAddress(
  { source, cursor, fields }: GridState,
  scroller: { current: HTMLElement | null },
  geometry: Geometry,
  firstSeen: number,
): void {
  /** The row to go to, until it is there or the person goes elsewhere. */
  const wanted = useRef(numberOf(search.peek().get('at')))
  const { total, rowPx } = geometry
  const version = source.version.value
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element || wanted.current === undefined || total === 0) return
    const row = Math.min(wanted.current, total - 1)
    element.scrollTop = scrollTopAt(geometry, row, cursor.peek().row)
    if (source.row(row)) wanted.current = undefined
  }, [total, rowPx, version])
  useEffect(() => {
    const element = scroller.current
    const goElsewhere = () => {
      wanted.current = undefined
    }
    const ways = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const
    for (const way of ways) element?.addEventListener(way, goElsewhere, { passive: true })
    return () => {
      for (const way of ways) element?.removeEventListener(way, goElsewhere)
    }
  }, [])
  const at = firstSeen === 0 ? undefined : String(firstSeen + 1)
  const cell = cellText(cursor.value, fields)
  const written = search.value
  useEffect(() => {
    if (total === 0 || wanted.current !== undefined) return
    if ((written.get('at') ?? undefined) === at && (written.get('cell') ?? undefined) === cell) return
    const timer = setTimeout(() => setParameters({ at, cell }, { replace: true }), REST_MS)
    return () => clearTimeout(timer)
  }, [at, cell, written, total, version])
}
