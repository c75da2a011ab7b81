import type { EditorState, Line } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { syntaxTree } from './syntax.ts'

/* Rows and cells of Markdown tables, as positions in the text. */

/** A cell between two bars. */
export interface Cell {
  /** The range between the bars. */
  readonly start: number
  readonly end: number
  /** The content without padding; an empty cell has one position, where text is typed. */
  readonly from: number
  readonly to: number
}

export interface Row {
  readonly line: Line
  /** The start of the row; quote marks precede it. */
  readonly from: number
  readonly cells: readonly Cell[]
  readonly kind: 'head' | 'delimiter' | 'body'
}

/** Positions of the bars that separate cells; escaped bars are text. */
function barsIn(text: string): number[] {
  const bars: number[] = []
  for (let pos = 0; pos < text.length; pos++)
    if (text[pos] === '\\') pos++
    else if (text[pos] === '|') bars.push(pos)
  return bars
}

function cellBetween(text: string, start: number, end: number): Cell {
  const content = text.slice(start, end)
  const trimmed = content.trim()
  if (trimmed === '') {
    const from = start + Math.min(1, content.length)
    return { start, end, from, to: from }
  }
  const from = start + content.length - content.trimStart().length
  return { start, end, from, to: from + trimmed.length }
}

/** The cells of a row's text; bars at its ends separate nothing. */
export function cellsOf(text: string): Cell[] {
  const bars = barsIn(text)
  const edges = [-1, ...bars, text.length]
  const cells = edges.slice(1).map((end, index) => cellBetween(text, (edges[index] ?? -1) + 1, end))
  const isOutside = ({ start, end }: Cell) => text.slice(start, end).trim() === ''
  if (cells.length > 1 && bars.length > 0 && cells[0] && isOutside(cells[0])) cells.shift()
  const last = cells.at(-1)
  if (cells.length > 1 && last && isOutside(last)) cells.pop()
  return cells
}

const moved = (cell: Cell, by: number): Cell => ({
  start: cell.start + by,
  end: cell.end + by,
  from: cell.from + by,
  to: cell.to + by,
})

/** The table that a line belongs to. */
export function tableAt(state: EditorState, line: Line): SyntaxNode | undefined {
  let table: SyntaxNode | undefined
  syntaxTree(state).iterate({
    from: line.from,
    to: line.to,
    enter: ({ name, node }) => {
      if (name === 'Table') table = node
      return table === undefined
    },
  })
  return table
}

const KINDS: Readonly<Record<string, Row['kind']>> = {
  TableHeader: 'head',
  TableDelimiter: 'delimiter',
  TableRow: 'body',
}

export function rowOf(state: EditorState, node: SyntaxNode): Row {
  const line = state.doc.lineAt(node.from)
  const cells = cellsOf(state.sliceDoc(node.from, line.to)).map((cell) => moved(cell, node.from))
  return { line, from: node.from, cells, kind: KINDS[node.name] ?? 'body' }
}

/** The row of a table that a position is in. */
export function rowAt(state: EditorState, pos: number): Row | undefined {
  const line = state.doc.lineAt(pos)
  const node = tableAt(state, line)?.childAfter(line.from)
  return node && node.from <= line.to ? rowOf(state, node) : undefined
}

/** Index of the cell that a position is in or beside. */
export function cellIndexAt({ cells }: Row, pos: number): number {
  const index = cells.findIndex(({ end }) => pos <= end)
  return index === -1 ? cells.length - 1 : index
}

/** The next or previous row with cells, skipping the delimiter. */
export function neighbour(state: EditorState, { line }: Row, by: 1 | -1): Row | undefined {
  for (let number = line.number + by; number >= 1 && number <= state.doc.lines; number += by) {
    const row = rowAt(state, state.doc.line(number).from)
    if (row?.kind !== 'delimiter') return row && isSameTable(state, line, row.line) ? row : undefined
  }
  return undefined
}

const isSameTable = (state: EditorState, one: Line, other: Line) =>
  tableAt(state, one)?.from === tableAt(state, other)?.from

/** False if the end of a table has not been parsed. */
export function isWhole(state: EditorState, table: SyntaxNode): boolean {
  const parsedTo = syntaxTree(state).length
  return table.to < parsedTo || parsedTo >= state.doc.length
}

/** All rows of the table at a position; undefined if a part of the table has not been parsed. */
export function tableRows(state: EditorState, pos: number): Row[] | undefined {
  const table = tableAt(state, state.doc.lineAt(pos))
  if (!table || !isWhole(state, table)) return undefined
  const rows: Row[] = []
  for (let node = table.firstChild; node; node = node.nextSibling) rows.push(rowOf(state, node))
  return rows
}

/** The nearest position inside a cell, or undefined outside tables and inside delimiter rows. */
export function nearestInCell(row: Row, pos: number): number {
  const cell = row.cells[cellIndexAt(row, pos)]
  return cell ? Math.max(cell.from, Math.min(pos, Math.max(cell.to, cell.from))) : pos
}
