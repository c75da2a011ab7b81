import { isReference, targetOf } from '../labels.ts'
import { editText } from '../values.ts'
import { blockOf } from './cursor.ts'
import type { GridState } from './state.ts'

/** The selected block as a spreadsheet takes it: a line a row, a tab between cells. */
export function copiedText({ cursor, source, fields }: GridState): string {
  const { top, bottom, left, right } = blockOf(cursor.peek())
  const lines: string[] = []
  for (let index = top; index <= bottom; index++) {
    const row = source.row(index)
    if (!row) continue
    const cells = fields.slice(left - 1, right).map((field) => {
      const text = editText(row.data[field.key])
      return quoted(isReference(field) ? (targetOf(field, text)?.label ?? text) : text)
    })
    lines.push(cells.join('\t'))
  }
  return lines.join('\n')
}

const quoted = (text: string): string => (/["\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** What a spreadsheet copied, as rows of cells. */
export function pastedCells(text: string): string[][] {
  const rows: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    rows.at(-1)?.push(cell)
    cell = ''
  }
  const source = text.replaceAll(/\r\n?/g, '\n').replace(/\n$/, '')
  for (let at = 0; at < source.length; at++) {
    const character = source[at]
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (source[at + 1] === '"') cell += source[++at]
      else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === '\t') endCell()
    else if (character === '\n') {
      endCell()
      rows.push([])
    } else cell += character
  }
  endCell()
  return rows
}
