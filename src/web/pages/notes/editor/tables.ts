import type { EditorState, Range } from '@codemirror/state'
import {
  BlockWrapper,
  Decoration,
  EditorView,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { hasNewSyntax, syntaxTree } from './syntax.ts'
import { type Cell, type Row, rowOf } from './table-rows.ts'

/*
 * Draws Markdown tables as tables in which text is edited in place: the text of a cell stays text of the editor, in a box
 * of the width of its column; bars, padding and the delimiter row are hidden. Roles make it a table for assistive
 * technology.
 */

const MAX_WIDTH = 40
const MIN_WIDTH = 6

/** Rows that determine the column widths. */
const MEASURED_ROWS = 100

/** Characters of link addresses and marks, which are hidden, count as well: measuring stays cheap. */
function widthsOf(rows: readonly Row[]): number[] {
  const widths: number[] = []
  for (const { cells, kind } of rows.slice(0, MEASURED_ROWS))
    for (const [index, { from, to }] of cells.entries())
      if (kind !== 'delimiter' && (kind === 'head' || index < widths.length))
        widths[index] = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, widths[index] ?? 0, to - from + 2))
  return widths
}

type Alignment = '' | 'right' | 'center'

function alignmentOf(mark: string): Alignment {
  if (!mark.endsWith(':')) return ''
  return mark.startsWith(':') ? 'center' : 'right'
}

const boxes = new Map<string, Decoration>()

type CellRole = 'columnheader' | 'cell'

function boxOf(width: number, alignment: Alignment, role: CellRole): Decoration {
  const classes = `md-cell md-w${width} ${alignment}`.trim()
  const attributes = { dir: 'auto', role }
  const key = `${role} ${classes}`
  const known = boxes.get(key) ?? Decoration.mark({ class: classes, attributes, bidiIsolate: null })
  boxes.set(key, known)
  return known
}

/** The box of a cell without any text between its bars, or that its row lacks. */
class EmptyBox extends WidgetType {
  constructor(
    readonly classes: string,
    readonly role: CellRole,
  ) {
    super()
  }
  override eq({ classes, role }: EmptyBox): boolean {
    return classes === this.classes && role === this.role
  }
  toDOM(): HTMLElement {
    return Object.assign(document.createElement('span'), { className: this.classes, role: this.role })
  }
  override ignoreEvent(): boolean {
    return false
  }
}

const HIDDEN = Decoration.replace({})

const ROWS = {
  head: Decoration.line({ class: 'md-row md-head', attributes: { role: 'row' } }),
  body: Decoration.line({ class: 'md-row', attributes: { role: 'row' } }),
}
const DELIMITER = Decoration.line({ attributes: { role: 'none' } })
const HIDDEN_LINE = Decoration.line({ class: 'md-hidden-line', attributes: { role: 'none' } })
const TABLE = BlockWrapper.create({ tagName: 'div', attributes: { role: 'table' } })

/** The text in a cell's box: its content, one blank before it, and blanks before the cursor. */
function boxRange({ start, end, from, to }: Cell, head: number): { from: number; to: number } {
  const last = head > to && head <= end ? head : to
  return { from: Math.max(start, from - 1), to: Math.max(from, last) }
}

interface TableShape {
  readonly widths: readonly number[]
  readonly alignments: readonly Alignment[]
}

function rowDecorations({ line, from, cells, kind }: Row, { widths, alignments }: TableShape, head: number) {
  const out: Range<Decoration>[] = []
  out.push(ROWS[kind === 'head' ? 'head' : 'body'].range(line.from))
  const role = kind === 'head' ? 'columnheader' : 'cell'
  let pos = from
  // Cells beyond the head are drawn as well, so that no text is invisible.
  for (let index = 0; index < Math.max(widths.length, cells.length); index++) {
    const width = widths[index] ?? MIN_WIDTH
    const cell = cells[index]
    const alignment = alignments[index] ?? ''
    const box = cell ? boxRange(cell, head) : undefined
    if (box && box.from > pos) out.push(HIDDEN.range(pos, box.from))
    if (box && box.to > box.from) out.push(boxOf(width, alignment, role).range(box.from, box.to))
    else {
      const widget = new EmptyBox(`md-cell md-w${width} ${alignment}`, role)
      out.push(Decoration.widget({ widget, side: 1 }).range(box?.to ?? line.to))
    }
    if (box) pos = box.to
  }
  if (line.to > pos) out.push(HIDDEN.range(pos, line.to))
  return out
}

function hiddenLine({ line }: Row): Range<Decoration>[] {
  const hidden = HIDDEN_LINE.range(line.from)
  return line.length > 0 ? [hidden, HIDDEN.range(line.from, line.to)] : [hidden]
}

function shapeOf(state: EditorState, table: SyntaxNode): TableShape {
  const rows: Row[] = []
  for (let node = table.firstChild; node && rows.length < MEASURED_ROWS; node = node.nextSibling)
    rows.push(rowOf(state, node))
  const delimiter = rows.find(({ kind }) => kind === 'delimiter')
  const marks = delimiter?.cells.map(({ from, to }) => state.sliceDoc(from, to)) ?? []
  return { widths: widthsOf(rows), alignments: marks.map(alignmentOf) }
}

/** Draws the rows of a table within a range; the delimiter row is visible only while the cursor is in it. */
function tableDecorations(
  state: EditorState,
  table: SyntaxNode,
  from: number,
  to: number,
  hasFocus: boolean,
) {
  const shape = shapeOf(state, table)
  const head = hasFocus ? state.selection.main.head : -1
  const out: Range<Decoration>[] = []
  for (let node = table.childAfter(from); node && node.from <= to; node = node.nextSibling) {
    const row = rowOf(state, node)
    const isInside = head >= row.line.from && head <= row.line.to
    if (row.kind !== 'delimiter') out.push(...rowDecorations(row, shape, head))
    else out.push(...(isInside ? [DELIMITER.range(row.line.from)] : hiddenLine(row)))
  }
  return out
}

function drawn(view: EditorView) {
  const { state, hasFocus } = view
  const out: Range<Decoration>[] = []
  const wrappers = new Map<number, Range<BlockWrapper>>()
  for (const { from, to } of view.visibleRanges)
    syntaxTree(state).iterate({
      from,
      to,
      enter: ({ name, node }) => {
        if (name === 'Table') {
          out.push(...tableDecorations(state, node, from, to, hasFocus))
          const start = state.doc.lineAt(node.from).from
          wrappers.set(start, TABLE.range(start, state.doc.lineAt(node.to).to))
        }
        return name !== 'Table' && name !== 'Paragraph'
      },
    })
  return {
    decorations: Decoration.set(out, true),
    wrappers: BlockWrapper.set([...wrappers.values()], true),
  }
}

const drawing = ViewPlugin.fromClass(
  class {
    drawn
    constructor(view: EditorView) {
      this.drawn = drawn(view)
    }
    update(update: ViewUpdate) {
      if (hasNewSyntax(update) || update.selectionSet || update.focusChanged) this.drawn = drawn(update.view)
    }
  },
  {
    decorations: (plugin) => plugin.drawn.decorations,
    provide: (plugin) =>
      EditorView.blockWrappers.of((view) => view.plugin(plugin)?.drawn.wrappers ?? BlockWrapper.set([])),
  },
)

/** Widths as classes, because the content policy forbids style attributes. */
const widthClasses = EditorView.theme(
  Object.fromEntries(
    Array.from({ length: MAX_WIDTH - MIN_WIDTH + 1 }, (_, index) => MIN_WIDTH + index).map((width) => [
      `.md-w${width}`,
      { '--width': `${width}ch` },
    ]),
  ),
)

export const drawnTables = [drawing, widthClasses]
