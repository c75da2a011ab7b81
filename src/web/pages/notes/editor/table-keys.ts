import {
  type ChangeSpec,
  EditorSelection,
  EditorState,
  type Extension,
  Facet,
  type Line,
  Prec,
  type Transaction,
} from '@codemirror/state'
import { EditorView, type KeyBinding } from '@codemirror/view'
import { isInCode } from './syntax.ts'
import {
  type Cell,
  cellIndexAt,
  cellsOf,
  isWhole,
  nearestInCell,
  neighbour,
  type Row,
  rowAt,
  tableAt,
  tableRows,
} from './table-rows.ts'

/*
 * Keys that move through the cells of a table, and the rules that keep it a table: bars and line breaks are never deleted
 * together with text, and typed bars lead to the next cell.
 */

/** The event of changes to tables; the rules below do not apply to them. */
export const EVENT = 'table'

interface CellPosition {
  readonly row: Row
  readonly index: number
  readonly cell: Cell
}

/** The cell of the cursor or of a selection within one row. */
export function cellAt(state: EditorState): CellPosition | undefined {
  const { main, ranges } = state.selection
  if (ranges.length > 1) return undefined
  const row = rowAt(state, main.head)
  if (!row || row.kind === 'delimiter' || main.from < row.line.from || main.to > row.line.to) return undefined
  const index = cellIndexAt(row, main.head)
  const cell = row.cells[index]
  return cell && { row, index, cell }
}

const select = (view: EditorView, anchor: number, head = anchor, changes: ChangeSpec = []) => {
  view.dispatch({ changes, selection: { anchor, head }, scrollIntoView: true, userEvent: EVENT })
  return true
}

/** Selects the content of a cell. */
const enterCell = (view: EditorView, { cells }: Row, index: number) => {
  const cell = cells[Math.min(index, cells.length - 1)]
  return cell ? select(view, cell.from, cell.to) : false
}

/** The start of the lines below a row: quote marks or an indent. The mark of a list item precedes only the head. */
function prefixBelow(state: EditorState, row: Row): string {
  const { line, from } = (row.kind === 'head' && rowAt(state, row.line.to + 1)) || row
  return state.sliceDoc(line.from, from)
}

const columnsOf = (state: EditorState, row: Row): number => {
  const head = tableAt(state, row.line)?.firstChild
  return head ? cellsOf(state.sliceDoc(head.from, head.to)).length : row.cells.length
}

const emptyRow = (columns: number) => `|${'  |'.repeat(columns)}`

/** Adds an empty row below another and moves to its first cell. */
function addRow(view: EditorView, row: Row): boolean {
  const { state } = view
  const prefix = prefixBelow(state, row)
  const insert = state.lineBreak + prefix + emptyRow(columnsOf(state, row))
  const after = row.kind === 'head' ? state.doc.line(row.line.number + 1).to : row.line.to
  return select(view, after + 1 + prefix.length + 2, undefined, { from: after, insert })
}

/** The first line of a table, typed without its delimiter row. */
const HEAD = /^[ \t]*\|(?:[^|\\]|\\.)*(?:\|(?:[^|\\]|\\.)*)+\|[ \t]*$/

function nextCell(view: EditorView): boolean {
  const { state } = view
  const at = cellAt(state)
  if (!at) return nextInLine(view)
  const { row, index } = at
  if (index + 1 < row.cells.length) return enterCell(view, row, index + 1)
  if (row.cells.length < columnsOf(state, row)) {
    const end = row.cells.at(-1)?.end ?? row.line.to
    return select(view, end + 2, undefined, { from: end, insert: '|  ' })
  }
  const below = neighbour(state, row, 1)
  return below ? enterCell(view, below, 0) : addRow(view, row)
}

/** Tab in a line of bars that is no table yet makes it one. */
function nextInLine(view: EditorView): boolean {
  const { state } = view
  const { main } = state.selection
  const line = state.doc.lineAt(main.head)
  if (!line.text.trimStart().startsWith('|') || isInCode(state, main.head)) return false
  if (rowAt(state, main.head) || !HEAD.test(line.text)) return true
  // A row far below the head of its table, which has not been parsed.
  const above = line.number > 1 ? state.doc.line(line.number - 1).text : ''
  if (above.trimStart().startsWith('|')) return true
  const columns = cellsOf(line.text).length
  const indent = line.text.slice(0, line.text.indexOf('|'))
  const delimiter = `${indent}|${' --- |'.repeat(columns)}`
  const insert = `${state.lineBreak}${delimiter}${state.lineBreak}${indent}${emptyRow(columns)}`
  const anchor = line.to + 1 + delimiter.length + 1 + indent.length + 2
  return select(view, anchor, undefined, { from: line.to, insert })
}

function previousCell(view: EditorView): boolean {
  const { state } = view
  const at = cellAt(state)
  const { head } = state.selection.main
  if (!at) return state.doc.lineAt(head).text.trimStart().startsWith('|') && !isInCode(state, head)
  if (at.index > 0) return enterCell(view, at.row, at.index - 1)
  const above = neighbour(state, at.row, -1)
  return above ? enterCell(view, above, above.cells.length - 1) : true
}

const isEmpty = ({ cells }: Row) => cells.every(({ from, to }) => from === to)

/** Moves below the table, to a paragraph of its own. */
function leave(view: EditorView, row: Row, changes: { from: number; to: number }): boolean {
  const { state } = view
  const prefix = prefixBelow(state, row).trimEnd()
  const insert = `${state.lineBreak}${prefix}${state.lineBreak}`
  return select(view, changes.from + 2 + prefix.length, undefined, { ...changes, insert })
}

function enterKey(view: EditorView): boolean {
  const { state } = view
  const row = rowAt(state, state.selection.main.head)
  if (row?.kind === 'delimiter') {
    const below = neighbour(state, row, 1)
    return below ? enterCell(view, below, 0) : addRow(view, row)
  }
  const at = cellAt(state)
  if (!at) return false
  const below = neighbour(state, at.row, 1)
  if (below) return enterCell(view, below, at.index)
  if (at.row.kind === 'body' && isEmpty(at.row))
    return leave(view, at.row, { from: at.row.line.from - 1, to: at.row.line.to })
  return addRow(view, at.row)
}

/** Mod-Enter leaves the table from any cell. */
export function leaveTable(view: EditorView): boolean {
  const { state } = view
  const row = cellAt(state)?.row
  const table = row && tableAt(state, row.line)
  if (!table) return false
  if (!isWhole(state, table)) return true
  const end = state.doc.lineAt(table.to).to
  return leave(view, row, { from: end, to: end })
}

/** Moves by a line: within a cell of several lines, then to the same cell of the next row, then out of the table. */
const vertically = (by: 1 | -1) => (view: EditorView) => {
  const { state } = view
  const at = cellAt(state)
  const { main } = state.selection
  if (!at || !main.empty) return false
  const { row, index, cell } = at
  const within = view.moveVertically(main, by === 1).head
  const isWithin = within !== main.head && within > cell.from && within < cell.to
  if (isWithin && isOnOtherLine(view, main.head, within)) return select(view, within)
  const next = neighbour(state, row, by)
  if (next) {
    const target = next.cells[Math.min(index, next.cells.length - 1)]
    return target ? select(view, Math.min(target.to, target.from + main.head - cell.from)) : false
  }
  if (by === -1) return row.line.number === 1 ? true : select(view, row.line.from - 1)
  const end = row.kind === 'head' ? state.doc.line(row.line.number + 1).to : row.line.to
  // Moving never changes the text: Enter in an empty last row leaves a table that nothing follows.
  return end === state.doc.length || select(view, end + 1)
}

function isOnOtherLine(view: EditorView, one: number, other: number): boolean {
  const [from, to] = [view.coordsAtPos(one), view.coordsAtPos(other)]
  return from !== null && to !== null && Math.abs(from.top - to.top) > 4
}

/** Moves from the edge of a cell to the next one, and out of the table. */
const horizontally = (key: 'left' | 'right') => (view: EditorView) => {
  const { state } = view
  const at = cellAt(state)
  const { main } = state.selection
  if (!at || !main.empty) return false
  const isForward = (key === 'right') === (view.textDirectionAt(main.head) === 0)
  const { row, index, cell } = at
  if (isForward ? main.head < cell.to : main.head > cell.from) return false
  const by = isForward ? 1 : -1
  const beside = row.cells[index + by]
  if (beside) return select(view, isForward ? beside.from : beside.to)
  const next = neighbour(state, row, by)
  const target = isForward ? next?.cells[0] : next?.cells.at(-1)
  if (target) return select(view, isForward ? target.from : target.to)
  return vertically(by)(view)
}

const toEdge = (side: 'from' | 'to') => (view: EditorView) => {
  const at = cellAt(view.state)
  return at ? select(view, at.cell[side]) : false
}

/** A bar leads to the next cell; after a backslash and in links and code it is text. */
function typedBar(view: EditorView): boolean {
  const { state } = view
  const at = cellAt(state)
  const { main } = state.selection
  if (!at || !main.empty) return false
  const before = state.sliceDoc(at.cell.start, main.head)
  if (before.endsWith('\\')) return false
  const isInLink = before.lastIndexOf('[[') > before.lastIndexOf(']')
  if (isInLink || (before.split('`').length - 1) % 2 === 1) {
    view.dispatch({ ...state.replaceSelection('\\|'), userEvent: EVENT })
    return true
  }
  const isStart = before.trim() === ''
  if (isStart) return true
  return at.index + 1 < at.row.cells.length ? enterCell(view, at.row, at.index + 1) : true
}

/** Types an opening bracket with its closing one; empty until the typing aids are loaded. */
export const closedBracket = Facet.define<(state: EditorState, bracket: string) => Transaction | null>()

/** Text typed directly below a table would become a row of it. */
function typedBelow(view: EditorView, text: string): boolean {
  const { state } = view
  const { main } = state.selection
  const line = state.doc.lineAt(main.head)
  if (!main.empty || line.text !== '' || line.number === 1 || text === '|') return false
  if (!tableAt(state, state.doc.line(line.number - 1))) return false
  view.dispatch({
    changes: { from: line.from, insert: state.lineBreak },
    selection: { anchor: line.from + 1 },
    userEvent: 'input.type',
  })
  const closed = view.state.facet(closedBracket)[0]?.(view.state, text)
  view.dispatch(closed ?? { ...view.state.replaceSelection(text), userEvent: 'input.type' })
  return true
}

/**
 * Typing over a selection of several cells empties them and keeps the table. Browsers delete the boxes of such a
 * selection, from which the typed text cannot be read back.
 */
const onTypedOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event
    if (view.composing || inputType !== 'insertText' || data === null || !typedOver(view, data)) return false
    event.preventDefault()
    return true
  },
})

function typedOver(view: EditorView, text: string): boolean {
  const { state } = view
  const { main, ranges } = state.selection
  const table = main.empty || ranges.length > 1 ? undefined : tableAt(state, state.doc.lineAt(main.from))
  const rows = table && tableRows(state, main.from)
  if (!rows || main.from < table.from || main.to > table.to) return false
  if (main.from === table.from && main.to === table.to) return false
  const selected = rows.filter(({ line, kind }) => {
    return kind !== 'delimiter' && line.to >= main.from && line.from <= main.to
  })
  const [first] = selected
  if (!first) return true
  if (selected.length === 1 && cellIndexAt(first, main.from) === cellIndexAt(first, main.to)) return false
  const emptied = selected.flatMap(({ cells }) =>
    cells.flatMap((cell) => {
      const [from, to] = [Math.max(cell.from, main.from), Math.min(cell.to, main.to)]
      return from < to ? { from, to } : []
    }),
  )
  const start = nearestInCell(first, Math.max(main.from, first.from))
  const changes = [...emptied, { from: start, insert: text }]
  return select(view, start + text.length, undefined, changes)
}

const onInput = EditorView.inputHandler.of((view, _from, _to, text) =>
  text === '|' ? typedBar(view) : typedBelow(view, text),
)

/** Ranges of a table between the contents of its cells, with line breaks, which are never deleted with text. */
function bars(rows: readonly Row[]): number[] {
  const edges: number[] = []
  for (const { line, cells, kind } of rows) {
    let pos = line.from
    for (const cell of kind === 'delimiter' ? [] : cells) {
      const from = Math.max(cell.start, Math.min(cell.start + 1, cell.from))
      edges.push(pos, from)
      pos = Math.max(from, cell.end - (cell.end > cell.to ? 1 : 0))
    }
    edges.push(pos, line.to + 1)
  }
  return edges
}

/** Keeps bars when text of cells is deleted or typed over; whole tables can be deleted. */
const keepBars = EditorState.changeFilter.of((transaction) => {
  if (!transaction.isUserEvent('delete') && !transaction.isUserEvent('input.type')) return true
  const { startState: state, changes } = transaction
  let isDeletion = false
  changes.iterChangedRanges((from, to) => {
    isDeletion ||= to > from
  })
  if (!isDeletion) return true
  const { main } = state.selection
  const row = rowAt(state, main.from)
  if (!row || row.kind === 'delimiter') return true
  const end = rowAt(state, main.to)
  if (!end) return true
  if (end.line.from === row.line.from) return bars([row])
  const rows = tableRows(state, main.from)
  const table = tableAt(state, row.line)
  if (!rows || !table || main.from <= table.from || main.to >= table.to) return true
  return bars(rows.filter(({ line }) => line.to >= main.from && line.from <= main.to))
})

/** Moves the cursor from the hidden marks of a table into the nearest cell. */
export const stayInCells = EditorState.transactionFilter.of((transaction) => {
  const { selection, startState: state, docChanged } = transaction
  if (!selection || docChanged || selection.ranges.length > 1 || !selection.main.empty) return transaction
  const { head } = selection.main
  const line = state.doc.lineAt(head)
  if (!line.text.includes('|')) return transaction
  let row = rowAt(state, head)
  if (row?.kind === 'delimiter' && head !== state.selection.main.head) {
    const by = head > state.selection.main.head ? 1 : -1
    row = neighbour(state, row, by) ?? row
  }
  if (!row || row.kind === 'delimiter') return transaction
  const nearest = nearestInCell(row, Math.max(row.line.from, Math.min(head, row.line.to)))
  return nearest === head ? transaction : [transaction, { selection: EditorSelection.cursor(nearest) }]
})

function focusBar(view: EditorView): boolean {
  const button = view.dom.querySelector<HTMLElement>('.table-bar button')
  button?.focus()
  return button !== null
}

/** Backspace in an empty row deletes it; at the start of the line below a table it moves into the last cell. */
function backspace(view: EditorView): boolean {
  const { state } = view
  const { main } = state.selection
  const at = cellAt(state)
  if (!main.empty) return false
  if (!at) return intoTableAbove(view, state.doc.lineAt(main.head))
  if (at.row.kind !== 'body' || !isEmpty(at.row)) return false
  const above = neighbour(state, at.row, -1)
  const { line } = at.row
  const anchor = above?.cells.at(-1)?.to ?? line.from - 1
  return select(view, anchor, undefined, { from: line.from - 1, to: line.to })
}

/** Without the line break, the line would become a part of the last row. */
function intoTableAbove(view: EditorView, { from, to, number, text }: Line): boolean {
  const { state } = view
  if (state.selection.main.head !== from || number === 1 || rowAt(state, from)) return false
  const row = rowAt(state, from - 1)
  const cell = (row?.kind === 'delimiter' ? neighbour(state, row, -1) : row)?.cells.at(-1)
  const isLast = text === '' && to === state.doc.length
  return cell ? select(view, cell.to, undefined, isLast ? { from: from - 1, to } : []) : false
}

export const tableKeys: readonly KeyBinding[] = [
  { key: 'Tab', run: nextCell, shift: previousCell },
  { key: 'Enter', run: enterKey, shift: enterKey },
  { key: 'ArrowDown', run: vertically(1) },
  { key: 'ArrowUp', run: vertically(-1) },
  { key: 'ArrowLeft', run: horizontally('left') },
  { key: 'ArrowRight', run: horizontally('right') },
  { key: 'Home', run: toEdge('from') },
  { key: 'End', run: toEdge('to') },
  { key: 'Backspace', run: backspace },
  { key: 'Alt-F10', run: focusBar },
]

/** Typing and deleting in tables, before brackets are closed. */
export const tableRules: Extension = [Prec.high(onInput), onTypedOver, keepBars]
