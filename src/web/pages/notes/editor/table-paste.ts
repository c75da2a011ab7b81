import { EditorView } from '@codemirror/view'
import { isInCode } from './syntax.ts'
import { BODY, type Rearrange, rearrange } from './table-bar.ts'
import { cellAt, EVENT } from './table-keys.ts'

/* Text pasted into tables, and copied cells pasted elsewhere. */

/** Bars of a cell's text are escaped; a backslash escapes the character after it. */
const escaped = (text: string) => text.trim().replace(/\\.|\|/g, (found) => (found === '|' ? '\\|' : found))

/** Fills cells from the cursor on; rows and columns are added as needed. */
const filledWith =
  (values: readonly (readonly string[])[]): Rearrange =>
  ({ lines, line, column }) => {
    const target = (index: number) => (line < BODY && index > 0 ? index + 1 : line + index)
    const width = values.reduce((most, { length }) => Math.max(most, column + length), lines[0]?.length ?? 0)
    const height = Math.max(lines.length, target(values.length - 1) + 1)
    const next = Array.from({ length: height }, (_, index) => {
      const cells = lines[index] ?? []
      const empty = index === 1 ? '---' : ''
      return Array.from({ length: Math.max(width, cells.length) }, (_, at) => cells[at] ?? empty)
    })
    for (const [index, cells] of values.entries()) next[target(index)]?.splice(column, cells.length, ...cells)
    return { lines: next, line, column }
  }

/** Fills cells with copied cells; other text is inserted at the cursor. */
function pasteIntoCell(view: EditorView, text: string, lines: readonly string[]): boolean {
  const { state } = view
  const values = lines.map((line) => line.split('\t').map(escaped))
  if (text.includes('\t') && rearrange(view, filledWith(values), 'input.paste')) return true
  if (!/[|\t\n]/.test(text)) return false
  view.dispatch({ ...state.replaceSelection(escaped(text.replace(/[\t\r\n]+/g, ' '))), userEvent: EVENT })
  return true
}

/** Copied cells pasted on an empty line become a table. */
function pasteAsTable(view: EditorView, lines: readonly string[]): boolean {
  const { state } = view
  const here = state.doc.lineAt(state.selection.main.head)
  const widths = new Set(lines.map((line) => line.split('\t').length))
  if (lines.length < 2 || widths.size > 1 || here.text !== '' || isInCode(state, here.from)) return false
  const [head = [], ...body] = lines.map((line) => line.split('\t').map(escaped))
  const rows = [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`)
  view.dispatch({ ...state.replaceSelection(rows.join(state.lineBreak)), userEvent: 'input.paste' })
  return true
}

export const tablePaste = EditorView.domEventHandlers({
  paste: ({ clipboardData }, view) => {
    const text = clipboardData?.getData('text/plain').replace(/\r?\n$/, '') ?? ''
    const lines = text.split(/\r?\n/)
    if (text !== '' && cellAt(view.state)) return pasteIntoCell(view, text, lines)
    const isOfPage = clipboardData?.types.includes('text/html')
    return text.includes('\t') && !isOfPage && pasteAsTable(view, lines)
  },
})
