import { useSignal } from '@preact/signals'
import type { TargetedClipboardEvent, TargetedEvent, TargetedMouseEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useKeys } from '../../../components/keys.tsx'
import { nameOfGroup } from '../grouped-rows.ts'
import { type Field, labelField, type Row } from '../model.ts'
import { chosenRow, rowAddress } from '../view.ts'
import { Cell } from './cell.tsx'
import { copiedText, readAndCopy } from './clipboard.ts'
import { ColumnMenu } from './column-menu.tsx'
import { cursorAt } from './cursor.ts'
import type { Closing } from './editor.tsx'
import { startFill } from './fill.ts'
import { Foot } from './foot.tsx'
import { type FrozenStarts, frozenAt, frozenStarts } from './frozen.ts'
import { type Geometry, scrollTopFor, sliceAt } from './geometry.ts'
import { GroupRow, toggleGroup } from './group-row.tsx'
import { Head } from './head.tsx'
import { GRID_KEYS, onGridKey } from './keys.ts'
import { PickBox } from './pick-box.tsx'
import { usePlaceInAddress } from './place.ts'
import { ROLES } from './roles.ts'
import { type GridState, openEditor } from './state.ts'
import { TroubleRow } from './trouble.tsx'

const FIRST_GUESS_PX = 32
/** Of the column with the numbers of rows. */
const MARGIN_PX = { narrow: 56, wide: 80 }

interface GridProps {
  readonly grid: GridState
  readonly onSeen: (first: number, last: number) => void
  readonly onPaste: (text: string) => void
  readonly onDelete: (row: number) => void
  /** Gets why something that was asked of the grid was not done. */
  readonly onRefused: (sentence: string) => void
}

/** The rows of a source, however many: only those that are seen are drawn. */
export function Grid({ grid, onSeen, onPaste, onDelete, onRefused }: GridProps) {
  useKeys('Rows', GRID_KEYS)
  const scroller = useRef<HTMLElement>(null)
  const [scrollTop, setScrollTop] = useState(0)
  const [view, setView] = useState({ height: 600, width: 1000 })
  const menuOf = useSignal('')
  const [rowPx, setRowPx] = useState(FIRST_GUESS_PX)
  const { source, cursor, fields } = grid
  const total = source.lines.value ?? 0
  const geometry: Geometry = { total, rowPx, viewPx: view.height }
  const { columns } = grid
  const marginPx = total < 100_000 ? MARGIN_PX.narrow : MARGIN_PX.wide
  const slice = sliceAt(geometry, scrollTop)
  const version = source.version.value
  useViewSize(scroller, setView)
  useEffect(() => {
    source.want(slice.first, Math.max(slice.first, slice.end - 1))
    onSeen(slice.firstSeen, slice.lastSeen)
  }, [source, slice.first, slice.end, slice.firstSeen, slice.lastSeen, onSeen])
  useLayoutEffect(() => {
    const height = scroller.current?.querySelector('tbody tr[aria-rowindex]')?.getBoundingClientRect().height
    if (height && Math.abs(height - rowPx) > 0.5) setRowPx(height)
  }, [version, view])
  useCursorInView(grid, scroller, geometry)
  usePlaceInAddress(grid, scroller, geometry, slice.firstSeen)
  const close = (row: Row, field: Field, closing: Closing, text: string) => {
    grid.editing.value = undefined
    if (closing !== 'escape') void grid.edits.save(row, field, text).then(() => returnTo(grid, row, field))
    if (closing === 'blur') return
    const { row: at, column } = cursor.peek()
    const step = closing === 'tab' ? 1 : closing === 'back-tab' ? -1 : 0
    const down = closing === 'enter' ? 1 : 0
    cursor.value = cursorAt(
      Math.min(total - 1, at + down),
      Math.max(1, Math.min(fields.length, column + step)),
    )
    grid.isFocused.value = true
  }
  const places = phonePlaces(grid)
  const starts = frozenStarts(grid, marginPx, view.width)
  const widths = columns.widthsIn(fields, view.width - marginPx)
  const { row: here } = cursor.value
  const tabRow = here >= slice.first && here < slice.end ? here : slice.firstSeen
  const rows = []
  const drawn = new Set<string>()
  for (let index = slice.first; index < slice.end; index++) {
    // A cell goes on being edited when rows before it come and go. While pages are read, a row may be there twice.
    const group = source.group(index)
    if (group) {
      rows.push(
        <GroupRow
          key={nameOfGroup(group.value)}
          grid={grid}
          group={group}
          index={index}
          isTabRow={tabRow === index}
        />,
      )
      continue
    }
    const id = source.row(index)?.id
    const key = id === undefined || drawn.has(id) ? index : id
    drawn.add(id ?? '')
    rows.push(
      <GridRow
        key={key}
        grid={grid}
        index={index}
        tabRow={tabRow}
        places={places}
        starts={starts}
        onClose={close}
      />,
    )
  }
  return (
    <section
      class="scroll"
      aria-label="Rows"
      ref={scroller}
      onScroll={({ currentTarget }) => setScrollTop(currentTarget.scrollTop)}
    >
      <table
        class={grid.picked.value.size > 0 ? 'table grid picking' : 'table grid'}
        {...(grid.groupBy === undefined ? ROLES.grid : ROLES.tree)}
        {...gridState(grid)}
        aria-label={grid.structure.name}
        style={{
          '--width': `${widths.reduce((sum, width) => sum + width, marginPx)}px`,
          '--margin': `${marginPx}px`,
        }}
        aria-rowcount={total + 1}
        aria-colcount={fields.length + 1}
        onKeyDown={(event) => onGridKey(event, { grid, page: pageOf(geometry), onDelete, onRefused })}
        onClick={(event) => choose(grid, event)}
        onPointerDown={(event) => isFillHandle(event) && startFill(event, grid, onRefused)}
        onDblClick={(event) => placeOf(event) && openEditor(grid)}
        onFocusIn={(event) => enter(grid, event)}
        onFocusOut={(event) => {
          if (event.relatedTarget !== null) grid.isFocused.value = isInside(event)
        }}
        onCopy={(event) => copy(grid, event, onRefused)}
        onPaste={(event) => {
          const text = event.clipboardData?.getData('text/plain') ?? ''
          if (!grid.isEditable || grid.editing.peek() || text === '' || isInFoot(event)) return
          event.preventDefault()
          onPaste(text)
        }}
      >
        <colgroup>
          <col style={{ width: `${marginPx}px` }} />
          {fields.map(({ key }, place) => (
            <col key={key} style={{ width: `${widths[place]}px` }} />
          ))}
        </colgroup>
        <Head grid={grid} starts={starts} menuOf={menuOf} />
        <tbody {...ROLES.group}>
          <Space px={slice.beforePx} columns={fields.length + 1} />
          {rows}
          <Space px={slice.afterPx} columns={fields.length + 1} />
        </tbody>
        <Foot grid={grid} starts={starts} />
      </table>
      <ColumnMenu grid={grid} of={menuOf.value} />
    </section>
  )
}

const gridState = ({ isEditable }: GridState): object => ({
  'aria-readonly': !isEditable,
  'aria-multiselectable': true,
})

const pageOf = ({ viewPx, rowPx }: Geometry) => Math.max(1, Math.floor(viewPx / rowPx) - 1)

const isFillHandle = ({ target }: Event) => target instanceof Element && target.className === 'fill-handle'

const isInFoot = ({ target }: Event) => target instanceof Element && target.closest('tfoot') !== null

const isInside = (event: TargetedEvent<HTMLElement, FocusEvent>) =>
  event.relatedTarget instanceof Element &&
  event.currentTarget.contains(event.relatedTarget) &&
  event.relatedTarget.closest('tfoot') === null

function placeOf(event: Event): { row: number; column: number } | undefined {
  const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null
  return cell ? { row: Number(cell.dataset.row), column: Number(cell.dataset.column) } : undefined
}

/** Puts the cursor where a cell is clicked; with shift the block grows to there. */
function choose(grid: GridState, event: TargetedMouseEvent<HTMLElement>): void {
  const { cursor, editing, source } = grid
  const place = placeOf(event)
  if (!place || editing.peek()) return
  const group = source.group(place.row)
  if (group && !event.shiftKey) toggleGroup(grid, group)
  cursor.value = event.shiftKey
    ? { ...place, anchor: cursor.peek().anchor }
    : cursorAt(place.row, place.column)
}

/** The cursor goes back to a cell that was refused, unless something else is being written by then. */
function returnTo(
  { cursor, editing, edits, fields, source, isFocused }: GridState,
  row: Row,
  field: Field,
): void {
  const state = edits.of(row.id, field.key)
  const index = source.indexOf(row.id)
  if (!state || state.kind === 'saving' || index === undefined || editing.peek()) return
  if (isFocused.peek()) cursor.value = cursorAt(index, fields.indexOf(field) + 1)
}

/** The cursor is where the focus is, however it got there. */
function enter({ cursor, isFocused, editing }: GridState, event: Event): void {
  const place = placeOf(event)
  if (!place) return
  isFocused.value = true
  const { row, column } = cursor.peek()
  if (!editing.peek() && (row !== place.row || column !== place.column))
    cursor.value = cursorAt(place.row, place.column)
}

/** Copies the block at once where its rows are read, else once they are. */
function copy(
  grid: GridState,
  event: TargetedClipboardEvent<HTMLElement>,
  onRefused: (sentence: string) => void,
): void {
  if (grid.editing.peek() || getSelection()?.type === 'Range' || isInFoot(event)) return
  event.preventDefault()
  const text = copiedText(grid)
  if (text !== undefined) event.clipboardData?.setData('text/plain', text)
  else readAndCopy(grid).catch((error: Error) => onRefused(error.message))
}

/** Keeps the size of what is seen between the head and the foot. */
function useViewSize(
  scroller: { current: HTMLElement | null },
  setView: (view: { height: number; width: number }) => void,
): void {
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const heightOf = (part: string) => element.querySelector(part)?.clientHeight ?? 0
    const measure = () =>
      setView({
        height: element.clientHeight - heightOf('thead') - heightOf('tfoot'),
        width: element.clientWidth,
      })
    measure()
    const observer = new ResizeObserver(measure)
    // The foot comes later than the table, which is higher then.
    for (const part of [element, element.querySelector('table')]) if (part) observer.observe(part)
    return () => observer.disconnect()
  }, [])
}

/** Scrolls to the cell under the cursor when it moves, and gives it the focus while the keyboard is in the grid. */
function useCursorInView(
  grid: GridState,
  scroller: { current: HTMLElement | null },
  geometry: Geometry,
): void {
  const { cursor, isFocused, editing } = grid
  const here = cursor.value
  const showRow = (element: HTMLElement) => {
    const top = scrollTopFor(geometry, element.scrollTop, here.row)
    if (top !== undefined) element.scrollTop = top
  }
  useLayoutEffect(() => {
    if (scroller.current && isFocused.peek()) showRow(scroller.current)
  }, [here, geometry.viewPx])
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element || !isFocused.value || editing.value) return
    const cell = element.querySelector<HTMLElement>(`[data-row="${here.row}"][data-column="${here.column}"]`)
    if (cell && !cell.contains(document.activeElement)) {
      cell.focus({ preventScroll: true })
      cell.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      // The browser takes what is behind the foot for seen.
      showRow(element)
    }
  })
}

/** Keeps the height of the rows that are not drawn. */
const Space = ({ px, columns }: { px: number; columns: number }) => (
  <tr {...ROLES.space} class="space" hidden={px <= 0}>
    <td colSpan={columns} style={{ height: `${px}px` }} />
  </tr>
)

/** Which cells a phone shows, and where in the two lines of a row. */
function phonePlaces({ structure, fields }: GridState): ReadonlyMap<string, string> {
  const first = labelField(structure)
  const number = fields.find((field) => field.type === 'number' && field !== first)
  const rest = fields.filter((field) => field !== first && field !== number)
  const order = [
    [first, 'top-start'],
    [number, 'top-end'],
    [rest[0], 'bottom-start'],
    [rest[1], 'bottom-end'],
  ] as const
  return new Map(order.flatMap(([field, place]) => (field ? [[field.key, place] as const] : [])))
}

interface GridRowProps {
  readonly grid: GridState
  readonly index: number
  /** The row that Tab leads to: that of the cursor, or the first that is seen where the cursor is elsewhere. */
  readonly tabRow: number
  readonly places: ReadonlyMap<string, string>
  readonly starts: FrozenStarts
  readonly onClose: (row: Row, field: Field, closing: Closing, text: string) => void
}

/** A row; while it is not known, an empty one of the same height. */
function GridRow({ grid, index, tabRow, places, starts, onClose }: GridRowProps) {
  const { source, fields, edits, cursor } = grid
  const row = source.row(index)
  if (!row)
    return (
      <tr {...ROLES.row} aria-rowindex={index + 2} aria-busy="true">
        <td {...ROLES.cell} class="margin" data-row={index} data-column={0}>
          {source.numberOf(index) + 1}
        </td>
        {fields.map(({ key }, place) => (
          <td
            key={key}
            {...ROLES.cell}
            {...frozenAt(starts, place, places.get(key) ?? 'desk')}
            data-row={index}
            data-column={place + 1}
            tabIndex={tabRow === index && cursor.value.column === place + 1 ? 0 : -1}
          />
        ))}
      </tr>
    )
  const number = source.numberOf(index) + 1
  const trouble = edits.trouble(row.id, fields)
  const isNew = source.moved.value.has(row.id)
  const isChosen = chosenRow() === row.id
  const isPicked = grid.picked.value.has(row.id)
  const classes = [(isChosen || isPicked) && 'chosen', trouble && 'trouble', isNew && !trouble && 'new']
  const isHere = tabRow === index && cursor.value.column === 0
  return (
    <>
      <tr
        {...ROLES.row}
        aria-rowindex={index + 2}
        aria-selected={isChosen || isPicked}
        aria-level={grid.groupBy === undefined ? undefined : 2}
        class={classes.filter(Boolean).join(' ')}
      >
        <td {...ROLES.cell} class="margin" data-row={index} data-column={0} tabIndex={isHere ? 0 : -1}>
          <a
            href={rowAddress(row.id)}
            tabIndex={-1}
            aria-label={`Open row ${number}${isNew ? ', changed now' : ''}`}
          >
            {isNew ? 'now' : number}
          </a>
          {grid.isEditable && <PickBox grid={grid} row={row} index={index} />}
        </td>
        {fields.map((field, place) => (
          <Cell
            key={field.key}
            grid={grid}
            row={row}
            index={index}
            field={field}
            column={place + 1}
            isTabRow={tabRow === index}
            place={places.get(field.key) ?? 'desk'}
            starts={starts}
            onClose={onClose}
          />
        ))}
      </tr>
      {trouble && <TroubleRow grid={grid} row={row} field={trouble.field} state={trouble.state} />}
    </>
  )
}
