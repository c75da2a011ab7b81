import '../../../styles/tables.ts'
import { useSignal } from '@preact/signals'
import type { TargetedClipboardEvent, TargetedEvent, TargetedMouseEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useKeys } from '../../../components/keys.tsx'
import { isNarrow } from '../../../components/narrow.ts'
import type { Field, Row } from '../../../data/records/model.ts'
import { useRowRights } from '../../../data/records/row-rights.ts'
import { openRow, rowAddress } from '../view.ts'
import { Cell } from './cell.tsx'
import { copiedText, readAndCopy } from './clipboard.ts'
import { ColumnMenu } from './column-menu.tsx'
import { cursorAt } from './cursor.ts'
import { useCursorInAddress } from './cursor-address.ts'
import type { Closing } from './editor.tsx'
import type { FieldChange } from './field-dialog.tsx'
import { startFill } from './fill.ts'
import { Foot } from './foot.tsx'
import { type FrozenStarts, frozenAt, frozenStarts } from './frozen.ts'
import { type Geometry, scrollTopFor, sliceAt } from './geometry.ts'
import { GroupRow, toggleGroup } from './group-row.tsx'
import { Head } from './head.tsx'
import { GRID_KEYS, onGridKey } from './keys.ts'
import { ProblemRow } from './problem-row.tsx'
import { ROLES } from './roles.ts'
import { RowCard } from './row-card.tsx'
import { SelectBox } from './select-box.tsx'
import { type GridState, levelOfRows, openEditor } from './state.ts'

const ESTIMATED_ROW_PX = 32
/** Width of the column with row numbers; wide from 100,000 rows on. */
const MARGIN_PX = { narrow: 56, wide: 80 }
/** Width of the head that adds a field. */
const ADD_PX = 40

interface GridProps {
  readonly grid: GridState
  readonly onVisible: (first: number, last: number) => void
  readonly onPaste: (text: string) => void
  readonly onDelete: (row: number) => void
  /** Receives the error of a refused action. */
  readonly onRefused: (message: string) => void
}

/** The rows of a source; only the visible ones are drawn. */
export function Grid({ grid, onVisible, onPaste, onDelete, onRefused }: GridProps) {
  useKeys('Rows', GRID_KEYS)
  const scroller = useRef<HTMLElement>(null)
  const [scrollTop, setScrollTop] = useState(0)
  const view = useViewSize(scroller)
  const menuOf = useSignal('')
  const dialog = useSignal<FieldChange | undefined>(undefined)
  const [rowPx, setRowPx] = useState(ESTIMATED_ROW_PX)
  const { source, cursor, fields } = grid
  const total = source.lines.value ?? 0
  const geometry: Geometry = { total, rowPx, viewPx: view.height }
  const { columns } = grid
  const marginPx = total < 100_000 ? MARGIN_PX.narrow : MARGIN_PX.wide
  const slice = sliceAt(geometry, scrollTop)
  const version = source.version.value
  useEffect(() => {
    source.load(slice.first, Math.max(slice.first, slice.end - 1))
    onVisible(slice.firstVisible, slice.lastVisible)
  }, [source, slice.first, slice.end, slice.firstVisible, slice.lastVisible, onVisible])
  useLayoutEffect(() => {
    const height = scroller.current?.querySelector('tbody tr[aria-rowindex]')?.getBoundingClientRect().height
    if (height && Math.abs(height - rowPx) > 0.5) setRowPx(height)
  }, [version, view])
  useCursorInView(grid, scroller, geometry)
  useCursorInAddress(grid, scroller, geometry, slice.firstVisible)
  const close = (row: Row, field: Field, closing: Closing, text: string) => {
    grid.editing.value = undefined
    if (closing !== 'escape') void grid.edits.save(row, field, text).then(() => returnTo(grid, row, field))
    if (closing === 'blur') return
    const { row: current, column } = cursor.peek()
    const step = closing === 'tab' ? 1 : closing === 'back-tab' ? -1 : 0
    const down = closing === 'enter' ? 1 : 0
    cursor.value = cursorAt(
      Math.min(total - 1, current + down),
      Math.max(1, Math.min(fields.length, column + step)),
    )
    grid.isFocused.value = true
  }
  const starts = frozenStarts(grid, marginPx, view.width)
  const { mayWrite } = useRowRights(grid.structure.id)
  const addPx = mayWrite ? ADD_PX : 0
  const widths = columns.widthsIn(fields, view.width - marginPx - addPx)
  const { row: here } = cursor.value
  const tabRow = here >= slice.first && here < slice.end ? here : slice.firstVisible
  const rows = []
  const drawn = new Set<string>()
  for (let index = slice.first; index < slice.end; index++) {
    // Keyed by id, so that an edited cell survives changes above it. While pages load, a row can appear twice.
    const group = source.group(index)
    if (group) {
      rows.push(
        <GroupRow key={group.path} grid={grid} group={group} index={index} isTabRow={tabRow === index} />,
      )
      continue
    }
    const id = source.row(index)?.id
    const key = id === undefined || drawn.has(id) ? index : id
    drawn.add(id ?? '')
    rows.push(<GridRow key={key} grid={grid} index={index} tabRow={tabRow} starts={starts} onClose={close} />)
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
        {...(grid.groupings.length === 0 ? ROLES.grid : ROLES.tree)}
        {...gridState(grid)}
        aria-label={grid.structure.name}
        style={{
          '--width': `${widths.reduce((sum, width) => sum + width, marginPx + addPx)}px`,
          '--margin': `${marginPx}px`,
        }}
        aria-rowcount={total + 1}
        aria-colcount={fields.length + 1}
        onKeyDown={(event) => onGridKey(event, { grid, page: pageOf(geometry), onDelete, onRefused })}
        onClick={(event) => select(grid, event)}
        onPointerDown={(event) => isFillHandle(event) && startFill(event, grid, onRefused)}
        onDblClick={(event) => positionOf(event) && openEditor(grid)}
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
          {fields.map(({ key }, index) => (
            <col key={key} style={{ width: `${widths[index]}px` }} />
          ))}
          {mayWrite && <col style={{ width: `${ADD_PX}px` }} />}
        </colgroup>
        <Head
          grid={grid}
          starts={starts}
          menuOf={menuOf}
          onAdd={() => (dialog.value = { kind: 'add', index: fields.length })}
        />
        <tbody {...ROLES.group}>
          <Space px={slice.beforePx} columns={fields.length + 1} />
          {rows}
          <Space px={slice.afterPx} columns={fields.length + 1} />
        </tbody>
        <Foot grid={grid} starts={starts} />
      </table>
      <ColumnMenu grid={grid} of={menuOf.value} dialog={dialog} />
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

function positionOf(event: Event): { row: number; column: number } | undefined {
  const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null
  return cell ? { row: Number(cell.dataset.row), column: Number(cell.dataset.column) } : undefined
}

/** Moves the cursor to the clicked cell; with Shift the block grows to it. */
function select(grid: GridState, event: TargetedMouseEvent<HTMLElement>): void {
  const { cursor, editing, source } = grid
  const position = positionOf(event)
  if (!position || editing.peek()) return
  const group = source.group(position.row)
  if (group && !event.shiftKey) toggleGroup(grid, group)
  cursor.value = event.shiftKey
    ? { ...position, anchor: cursor.peek().anchor }
    : cursorAt(position.row, position.column)
}

/** Moves the cursor back to a refused cell, unless another cell is being edited. */
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

/** Makes the cursor follow the focus. */
function enter({ cursor, isFocused, editing }: GridState, event: Event): void {
  const position = positionOf(event)
  if (!position) return
  isFocused.value = true
  const { row, column } = cursor.peek()
  if (!editing.peek() && (row !== position.row || column !== position.column))
    cursor.value = cursorAt(position.row, position.column)
}

/** Copies the block, now if its rows are loaded, else after loading them. */
function copy(
  grid: GridState,
  event: TargetedClipboardEvent<HTMLElement>,
  onRefused: (message: string) => void,
): void {
  if (grid.editing.peek() || getSelection()?.type === 'Range' || isInFoot(event)) return
  event.preventDefault()
  const text = copiedText(grid)
  if (text !== undefined) event.clipboardData?.setData('text/plain', text)
  else readAndCopy(grid).catch((error: Error) => onRefused(error.message))
}

interface ViewSize {
  readonly height: number
  readonly width: number
}

/** The size of the last grid. The next one usually has the same, and is then drawn only once. */
let lastSize: ViewSize = { height: 600, width: 1000 }

/** Returns the size of the area between head and foot. */
function useViewSize(scroller: { current: HTMLElement | null }): ViewSize {
  const [size, setSize] = useState(lastSize)
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const heightOf = (part: string) => element.querySelector(part)?.clientHeight ?? 0
    const measure = () => {
      const height = element.clientHeight - heightOf('thead') - heightOf('tfoot')
      const width = element.clientWidth
      if (height !== lastSize.height || width !== lastSize.width) lastSize = { height, width }
      setSize(lastSize)
    }
    measure()
    const observer = new ResizeObserver(measure)
    // The table is observed too: it grows when the foot is rendered.
    for (const part of [element, element.querySelector('table')]) if (part) observer.observe(part)
    return () => observer.disconnect()
  }, [])
  return size
}

/** Keeps the cursor's cell visible, and focused while the keyboard is in the grid. */
function useCursorInView(
  grid: GridState,
  scroller: { current: HTMLElement | null },
  geometry: Geometry,
): void {
  const { cursor, isFocused, editing } = grid
  const current = cursor.value
  const scrollToRow = (element: HTMLElement) => {
    const top = scrollTopFor(geometry, element.scrollTop, current.row)
    if (top !== undefined) element.scrollTop = top
  }
  useLayoutEffect(() => {
    if (scroller.current && isFocused.peek()) scrollToRow(scroller.current)
  }, [current, geometry.viewPx])
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element || !isFocused.value || editing.value) return
    const cell = element.querySelector<HTMLElement>(
      `[data-row="${current.row}"][data-column="${current.column}"]`,
    )
    if (cell && !cell.contains(document.activeElement)) {
      cell.focus({ preventScroll: true })
      cell.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      // Browsers count rows hidden behind the foot as visible.
      scrollToRow(element)
    }
  })
}

/** Takes the height of rows that are not drawn. */
const Space = ({ px, columns }: { px: number; columns: number }) => (
  <tr {...ROLES.space} class="space" hidden={px <= 0}>
    <td colSpan={columns} style={{ height: `${px}px` }} />
  </tr>
)

interface GridRowProps {
  readonly grid: GridState
  readonly index: number
  /** The row with the tab stop: the cursor's row, or the first visible one if the cursor is scrolled away. */
  readonly tabRow: number
  readonly starts: FrozenStarts
  readonly onClose: (row: Row, field: Field, closing: Closing, text: string) => void
}

/** A row; empty until it is loaded. */
function GridRow({ grid, index, tabRow, starts, onClose }: GridRowProps) {
  const { source, fields, edits, cursor } = grid
  const row = source.row(index)
  if (!row && isNarrow.value)
    return (
      <tr {...ROLES.row} aria-rowindex={index + 2} aria-busy="true">
        <td {...ROLES.cell} />
      </tr>
    )
  if (!row)
    return (
      <tr {...ROLES.row} aria-rowindex={index + 2} aria-busy="true">
        <td {...ROLES.cell} class="margin" data-row={index} data-column={0}>
          {source.numberOf(index) + 1}
        </td>
        {fields.map(({ key }, column) => (
          <td
            key={key}
            {...ROLES.cell}
            {...frozenAt(starts, column, 'desk')}
            data-row={index}
            data-column={column + 1}
            tabIndex={tabRow === index && cursor.value.column === column + 1 ? 0 : -1}
          />
        ))}
      </tr>
    )
  const number = source.numberOf(index) + 1
  const problem = edits.problemIn(row.id, fields)
  const isNew = source.changedCells.value.has(row.id)
  const isOpen = openRow() === row.id
  const isPicked = grid.picked.value.has(row.id)
  const classes = [(isOpen || isPicked) && 'chosen', problem && 'trouble', isNew && !problem && 'new']
  const isTabStop = tabRow === index && cursor.value.column === 0
  const problemRow = problem && (
    <ProblemRow grid={grid} row={row} field={problem.field} state={problem.state} />
  )
  if (isNarrow.value)
    return (
      <>
        <RowCard grid={grid} index={index} row={row} classes={classes.filter(Boolean).join(' ')} />
        {problemRow}
      </>
    )
  return (
    <>
      <tr
        {...ROLES.row}
        aria-rowindex={index + 2}
        aria-selected={isOpen || isPicked}
        aria-level={levelOfRows(grid)}
        class={classes.filter(Boolean).join(' ')}
      >
        <td {...ROLES.cell} class="margin" data-row={index} data-column={0} tabIndex={isTabStop ? 0 : -1}>
          <a
            href={rowAddress(row.id)}
            tabIndex={-1}
            aria-label={`Open row ${number}${isNew ? ', changed now' : ''}`}
          >
            {isNew ? 'now' : number}
          </a>
          {grid.isEditable && <SelectBox grid={grid} row={row} index={index} />}
        </td>
        {fields.map((field, column) => (
          <Cell
            key={field.key}
            grid={grid}
            row={row}
            index={index}
            field={field}
            column={column + 1}
            isTabRow={tabRow === index}
            starts={starts}
            onClose={onClose}
          />
        ))}
      </tr>
      {problemRow}
    </>
  )
}
