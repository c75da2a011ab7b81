import { type EditorState, StateField } from '@codemirror/state'
import { type EditorView, showTooltip, type Tooltip } from '@codemirror/view'
import { cellIndexAt, isWhole, type Row, rowAt, tableAt, tableRows } from './table-rows.ts'

/* The bar above the table of the cursor: changes to whole rows and columns. */

/** The table at the cursor as texts, to be rearranged and written back. */
interface Grid {
  /** Texts of the cells: the head, the delimiter and the body. */
  readonly lines: readonly (readonly string[])[]
  /** Index of the cursor's line and column. */
  readonly line: number
  readonly column: number
}

export type Rearrange = (grid: Grid) => Grid | undefined

/** The first line after head and delimiter. */
export const BODY = 2

const swapped = <T>(list: readonly T[], one: number, other: number): T[] => {
  const copy = [...list]
  const [first, second] = [copy[one], copy[other]]
  if (first === undefined || second === undefined) return copy
  copy[one] = second
  copy[other] = first
  return copy
}

const insertRow =
  (by: 0 | 1): Rearrange =>
  ({ lines, line, column }) => {
    const at = Math.max(BODY, line + by)
    const empty = (lines[0] ?? []).map(() => '')
    return { lines: lines.toSpliced(at, 0, empty), line: at, column }
  }

const moveRow =
  (by: 1 | -1): Rearrange =>
  ({ lines, line, column }) => {
    const to = line + by
    return line < BODY || to < BODY || to >= lines.length
      ? undefined
      : { lines: swapped(lines, line, to), line: to, column }
  }

const deleteRow: Rearrange = ({ lines, line, column }) =>
  line < BODY
    ? undefined
    : {
        lines: lines.toSpliced(line, 1),
        line: line < lines.length - 1 ? line : line === BODY ? 0 : line - 1,
        column,
      }

const insertColumn =
  (by: 0 | 1): Rearrange =>
  ({ lines, line, column }) => ({
    lines: lines.map((cells, index) => cells.toSpliced(column + by, 0, index === 1 ? '---' : '')),
    line,
    column: column + by,
  })

const moveColumn =
  (by: 1 | -1): Rearrange =>
  ({ lines, line, column }) => {
    const to = column + by
    return to < 0 || to >= (lines[0]?.length ?? 0)
      ? undefined
      : { lines: lines.map((cells) => swapped(cells, column, to)), line, column: to }
  }

const deleteColumn: Rearrange = ({ lines, line, column }) =>
  (lines[0]?.length ?? 0) < 2
    ? undefined
    : { lines: lines.map((cells) => cells.toSpliced(column, 1)), line, column: Math.max(0, column - 1) }

const align =
  (mark: string): Rearrange =>
  ({ lines, line, column }) => ({
    lines: lines.map((cells, index) => (index === 1 ? cells.with(column, mark) : cells)),
    line,
    column,
  })

const MENUS: Readonly<Record<string, Readonly<Record<string, Rearrange>>>> = {
  Row: {
    'Insert above': insertRow(0),
    'Insert below': insertRow(1),
    'Move up': moveRow(-1),
    'Move down': moveRow(1),
    'Delete row': deleteRow,
  },
  Column: {
    'Insert left': insertColumn(0),
    'Insert right': insertColumn(1),
    'Move left': moveColumn(-1),
    'Move right': moveColumn(1),
    'Align left': align('---'),
    'Align center': align(':---:'),
    'Align right': align('---:'),
    'Delete column': deleteColumn,
  },
}

function gridAt(state: EditorState, rows: readonly Row[]): Grid {
  const { head } = state.selection.main
  const line = rows.findIndex((row) => head >= row.line.from && head <= row.line.to)
  const columns = rows[0]?.cells.length ?? 0
  return {
    // Rows can have more cells than the head.
    lines: rows.map(({ cells }) =>
      Array.from({ length: Math.max(columns, cells.length) }, (_, index) =>
        state.sliceDoc(cells[index]?.from, cells[index]?.to ?? 0),
      ),
    ),
    line: Math.max(0, line),
    column: Math.max(0, cellIndexAt(rows[line] as Row, head)),
  }
}

/**
 * Writes a rearranged table over the old one, with the cursor in the same cell. Returns false if a part of the table has
 * not been parsed.
 */
export function rearrange(view: EditorView, change: Rearrange, userEvent = 'table'): boolean {
  const { state } = view
  const rows = tableRows(state, state.selection.main.head)
  const [first, second] = rows ?? []
  const last = rows?.at(-1)
  view.focus()
  if (!rows || !first || !second || !last) return false
  const next = change(gridAt(state, rows))
  if (!next) return true
  // The mark of a list item precedes only the head.
  const prefixes = [first, second].map(({ line, from }) => state.sliceDoc(line.from, from))
  const prefixOf = (line: number) => prefixes[Math.min(line, 1)] ?? ''
  const texts = next.lines.map(
    (cells, line) => `${prefixOf(line)}|${cells.map((cell) => ` ${cell} |`).join('')}`,
  )
  const before = texts.slice(0, next.line).reduce((sum, text) => sum + text.length + 1, first.line.from)
  const cells = next.lines[next.line]?.slice(0, next.column) ?? []
  const start = before + prefixOf(next.line).length + 2
  const anchor = start + cells.reduce((sum, cell) => sum + cell.length + 3, 0)
  view.dispatch({
    changes: { from: first.line.from, to: last.line.to, insert: texts.join(state.lineBreak) },
    selection: { anchor },
    scrollIntoView: true,
    userEvent,
  })
  return true
}

let nextMenu = 0

function menuOf(view: EditorView, name: string): readonly HTMLElement[] {
  const button = document.createElement('button')
  const menu = document.createElement('div')
  Object.assign(button, { type: 'button', className: 'button quiet', textContent: name })
  Object.assign(menu, { id: `table-menu-${nextMenu++}`, className: 'menu', popover: 'auto' })
  button.setAttribute('popovertarget', menu.id)
  for (const [label, change] of Object.entries(MENUS[name] ?? {})) {
    const entry = Object.assign(document.createElement('button'), { type: 'button', textContent: label })
    entry.addEventListener('click', () => {
      menu.hidePopover()
      rearrange(view, change)
    })
    menu.append(entry)
  }
  menu.addEventListener(
    'toggle',
    () => menu.matches(':popover-open') && menu.querySelector('button')?.focus(),
  )
  return [button, menu]
}

function create(view: EditorView) {
  const dom = document.createElement('div')
  dom.className = 'table-bar'
  dom.setAttribute('role', 'toolbar')
  dom.setAttribute('aria-label', 'Table')
  // The cursor stays in its cell.
  dom.addEventListener('mousedown', (event) => event.preventDefault())
  dom.addEventListener('keydown', ({ key }) => key === 'Escape' && view.focus())
  dom.append(...Object.keys(MENUS).flatMap((name) => menuOf(view, name)))
  return { dom }
}

function tooltipOf(state: EditorState, before: Tooltip | null): Tooltip | null {
  if (state.readOnly) return null
  const line = state.doc.lineAt(state.selection.main.head)
  const table = rowAt(state, line.from) && tableAt(state, line)
  if (!table || !isWhole(state, table)) return null
  return before?.pos === table.from ? before : { pos: table.from, above: true, strictSide: true, create }
}

/** The bar is visible only while the editor has the focus, by its style. */
export const tableBar = StateField.define<Tooltip | null>({
  create: (state) => tooltipOf(state, null),
  update: (before, { state, docChanged, selection }) =>
    docChanged || selection ? tooltipOf(state, before) : before,
  provide: (field) => showTooltip.from(field),
})
