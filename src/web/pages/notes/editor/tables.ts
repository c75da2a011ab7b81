import type { EditorState, Range } from '@codemirror/state'
import { Decoration } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { highlightTree } from '@lezer/highlight'
import { highlighting, MARKS } from './markdown.ts'
import { syntaxTree } from './syntax.ts'
import { type Cell, TableRow } from './widgets.ts'

const MAX_WIDTH = 40
const MIN_WIDTH = 6

/** The visible pieces of a cell, without Markdown marks. */
function piecesOf(state: EditorState, { from, to }: SyntaxNode): Piece[] {
  const tree = syntaxTree(state)
  const hidden: Piece[] = []
  tree.iterate({
    from,
    to,
    enter: ({ name, from: start, to: end, node }) => {
      const isAddress = name === 'URL' && node.parent?.name === 'Link'
      if (MARKS.has(name) || isAddress) hidden.push({ from: start, to: end, look: '' })
      else if (name === 'Escape') hidden.push({ from: start, to: start + 1, look: '' })
    },
  })
  const looks: Piece[] = []
  highlightTree(
    tree,
    highlighting,
    (start, end, look) => looks.push({ from: start, to: end, look }),
    from,
    to,
  )
  const edges = [from, to, ...[...hidden, ...looks].flatMap((piece) => [piece.from, piece.to])]
  const cuts = [...new Set(edges)].filter((pos) => pos >= from && pos <= to).sort((one, other) => one - other)
  const isIn = (pos: number) => (piece: Piece) => piece.from <= pos && piece.to > pos
  return cuts.slice(0, -1).flatMap((pos, index) => {
    const look = looks.find(isIn(pos))?.look ?? ''
    return hidden.some(isIn(pos)) ? [] : [{ from: pos, to: cuts[index + 1] ?? to, look }]
  })
}

/** Column alignments from the delimiter row. */
const alignmentsOf = (state: EditorState, table: SyntaxNode): string[] => {
  const line = table.getChild('TableDelimiter')
  const marks = line ? state.sliceDoc(line.from, line.to).match(/:?-+:?/g) : undefined
  return (marks ?? []).map((mark) => (mark.endsWith(':') ? (mark.startsWith(':') ? 'center' : 'right') : ''))
}

interface Piece {
  readonly from: number
  readonly to: number
  readonly look: string
}

const lengthOf = (cell: Cell) => cell.reduce((sum, { text }) => sum + text.length, 0)

/** Rows that determine the column widths. */
const MEASURED_ROWS = 100

/** An empty cell has no node; it is inferred from two adjacent bars. */
function cellsOf(state: EditorState, row: SyntaxNode): Cell[] {
  const cells: Cell[] = []
  let isOpen = false
  for (let child = row.firstChild; child; child = child.nextSibling) {
    if (child.name === 'TableCell') {
      cells.push(
        piecesOf(state, child).map(({ from, to, look }) => ({ text: state.sliceDoc(from, to), look })),
      )
      isOpen = false
    } else if (child.name === 'TableDelimiter') {
      if (isOpen) cells.push([])
      isOpen = child.nextSibling !== null
    }
  }
  return cells
}

function widthsOf(state: EditorState, table: SyntaxNode): number[] {
  const widths: number[] = []
  let row = table.firstChild
  for (let count = 0; row && count < MEASURED_ROWS; count++, row = row.nextSibling)
    for (const [index, cell] of cellsOf(state, row).entries())
      if (row.name === 'TableHeader' || index < widths.length)
        widths[index] = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, widths[index] ?? 0, lengthOf(cell) + 2))
  return widths
}

/** Renders the rows of a table within a range as aligned cells, and hides the delimiter row. */
export function tableDecorations(
  state: EditorState,
  table: SyntaxNode,
  from: number,
  to: number,
): Range<Decoration>[] {
  const widths = widthsOf(state, table)
  const alignments = alignmentsOf(state, table)
  const decorations: Range<Decoration>[] = []
  for (let row = table.childAfter(from); row && row.from <= to; row = row.nextSibling) {
    if (row.name === 'TableDelimiter') decorations.push(...hiddenLine(state, row.from))
    else {
      const widget = new TableRow(cellsOf(state, row), widths, alignments, row.name === 'TableHeader')
      decorations.push(Decoration.replace({ widget }).range(row.from, row.to))
    }
  }
  return decorations
}

function hiddenLine(state: EditorState, pos: number): Range<Decoration>[] {
  const line = state.doc.lineAt(pos)
  return [
    Decoration.line({ class: 'md-hidden-line' }).range(line.from),
    Decoration.replace({}).range(line.from, line.to),
  ]
}
