import { formatNumber } from '../../../data/formats.ts'
import { targetOf } from '../../../data/records/labels.ts'
import type { Row } from '../../../data/records/model.ts'
import { isReference } from '../../../data/records/references.ts'
import { editText } from '../../../data/records/values.ts'
import { blockOf } from './cursor.ts'
import { type GridState, rowsOfBlock } from './state.ts'

const MAX_COPIED = 10_000

/** The rows of the selected block; undefined if some are not loaded. */
function knownRows({ source, cursor }: GridState): readonly Row[] | undefined {
  const { top, bottom } = blockOf(cursor.peek())
  const rows: Row[] = []
  for (let line = top; line <= bottom; line++) {
    const row = source.row(line)
    if (row) rows.push(row)
    else if (!source.group(line)) return undefined
  }
  return rows
}

/** The selected block as tab-separated text; undefined if some of its rows are not loaded. */
export function copiedText(grid: GridState): string | undefined {
  const rows = knownRows(grid)
  return rows && textOf(grid, rows)
}

/** Loads the rows of the selected block and copies it. */
export async function readAndCopy(grid: GridState): Promise<void> {
  const { first, count } = rowsOfBlock(grid)
  if (count > MAX_COPIED)
    throw new Error(`You can copy up to ${formatNumber(MAX_COPIED)} rows. Export the rows as CSV for more.`)
  if (!isSecureContext)
    throw new Error(
      'Over plain http you can only copy rows that are visible. Select fewer, or export the rows as CSV.',
    )
  const text = grid.source
    .read(first, count)
    .then((rows) => new Blob([textOf(grid, rows)], { type: 'text/plain' }))
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]).catch(async () => {
    await text
    throw new Error('The browser blocks copying. Allow clipboard access, or export the rows as CSV.')
  })
}

/** Tab-separated text: one line per row. */
function textOf({ cursor, fields }: GridState, rows: readonly Row[]): string {
  const { left, right } = blockOf(cursor.peek())
  const lines = rows.map((row) =>
    fields.slice(left - 1, right).map((field) => {
      const text = editText(row.data[field.key])
      return quoted(isReference(field) ? (targetOf(field, text)?.label ?? text) : text)
    }),
  )
  return lines.map((cells) => cells.join('\t')).join('\n')
}

const quoted = (text: string): string => (/["\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Parses tab-separated text from a spreadsheet into rows of cells. */
export function pastedCells(text: string): string[][] {
  const rows: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    rows.at(-1)?.push(cell)
    cell = ''
  }
  const source = text.replaceAll(/\r\n?/g, '\n').replace(/\n$/, '')
  for (let index = 0; index < source.length; index++) {
    const character = source[index]
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (source[index + 1] === '"') cell += source[++index]
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
