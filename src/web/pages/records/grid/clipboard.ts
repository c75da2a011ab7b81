import { formatNumber } from '../../../data/formats.ts'
import { targetOf } from '../labels.ts'
import type { Row } from '../model.ts'
import { isReference } from '../references.ts'
import { editText } from '../values.ts'
import { blockOf } from './cursor.ts'
import { type GridState, rowsOfBlock } from './state.ts'

/** Up to this many rows are copied at a time. */
const MOST_COPIED = 10_000

/** The rows of the selected block; undefined while some of them are not read. */
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

/** The selected block as a spreadsheet takes it; undefined while some of its rows are not read. */
export function copiedText(grid: GridState): string | undefined {
  const rows = knownRows(grid)
  return rows && textOf(grid, rows)
}

/** Reads the rows of the selected block, and copies it. */
export async function readAndCopy(grid: GridState): Promise<void> {
  const { first, count } = rowsOfBlock(grid)
  if (count > MOST_COPIED)
    throw new Error(
      `A block has up to ${formatNumber(MOST_COPIED)} rows when it is copied; export the rows as csv for more.`,
    )
  if (!isSecureContext)
    throw new Error(
      'Over plain http only rows that were in sight are copied; choose fewer, or export them as csv.',
    )
  const text = grid.source
    .read(first, count)
    .then((rows) => new Blob([textOf(grid, rows)], { type: 'text/plain' }))
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]).catch(async () => {
    await text
    throw new Error('The browser does not let this page copy; allow it, or export the rows as csv.')
  })
}

/** Rows as a spreadsheet takes them: a line a row, a tab between cells. */
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
