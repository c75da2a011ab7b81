import type { EditorState, Range } from '@codemirror/state'
import { Decoration } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { TableRow } from './widgets.ts'

const MAX_WIDTH = 40
const MIN_WIDTH = 6

/** What a cell shows: its text without the marks that are most common in tables. */
const shownText = (text: string) =>
  text
    .trim()
    .replace(/!?\[\[(?:[^[\]|\n]*\\?\|)?([^[\]|\n]*)\]\]/g, '$1')
    .replace(/\*\*|__|`/g, '')

/** As many rows as decide how wide the columns are. */
const MEASURED_ROWS = 100

/** An empty cell has no node: it is what stands between two bars. */
function cellsOf(state: EditorState, row: SyntaxNode): string[] {
  const cells: string[] = []
  let isOpen = false
  for (let child = row.firstChild; child; child = child.nextSibling) {
    if (child.name === 'TableCell') {
      cells.push(shownText(state.sliceDoc(child.from, child.to)))
      isOpen = false
    } else if (child.name === 'TableDelimiter') {
      if (isOpen) cells.push('')
      isOpen = child.nextSibling !== null
    }
  }
  return cells
}

function widthsOf(state: EditorState, table: SyntaxNode): number[] {
  const widths: number[] = []
  let row = table.firstChild
  for (let count = 0; row && count < MEASURED_ROWS; count++, row = row.nextSibling)
    for (const [at, cell] of cellsOf(state, row).entries())
      if (row.name === 'TableHeader' || at < widths.length)
        widths[at] = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, widths[at] ?? 0, cell.length + 2))
  return widths
}

/** Shows the rows of a table between two places as cells of one width a column, and its second line as nothing. */
export function tableDecorations(
  state: EditorState,
  table: SyntaxNode,
  from: number,
  to: number,
): Range<Decoration>[] {
  const widths = widthsOf(state, table)
  const shown: Range<Decoration>[] = []
  for (let row = table.childAfter(from); row && row.from <= to; row = row.nextSibling) {
    if (row.name === 'TableDelimiter') shown.push(...hiddenLine(state, row.from))
    else {
      const widget = new TableRow(cellsOf(state, row), widths, row.name === 'TableHeader')
      shown.push(Decoration.replace({ widget }).range(row.from, row.to))
    }
  }
  return shown
}

function hiddenLine(state: EditorState, at: number): Range<Decoration>[] {
  const line = state.doc.lineAt(at)
  return [
    Decoration.line({ class: 'md-hidden-line' }).range(line.from),
    Decoration.replace({}).range(line.from, line.to),
  ]
}
