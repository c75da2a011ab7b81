import { CellFormat, type CellOptions } from '../../../../filter/record/cell-format.ts'
import type { FieldType } from '../../../../filter/record/field-types.ts'
import { ReadingFinder } from '../../../../filter/record/readings.ts'
import type { Field } from '../../../data/records/model.ts'
import { type CellReader, readerOf } from './cell-reader.ts'
import { type FileLines, readLines } from './lines.ts'

/** The order of day and month, where the person has chosen one. */
export type DateOrder = 'dmy' | 'mdy' | undefined

const READ_TYPES: ReadonlySet<string> = new Set(['number', 'date', 'datetime'])

export const isDated = (field: Field | undefined): boolean =>
  field?.type === 'date' || field?.type === 'datetime'

/** Finds the notation of the columns that fill numbers and dates, from all rows of the file. */
export async function findReaders(
  lines: FileLines,
  targets: readonly (Field | undefined)[],
  order: DateOrder,
): Promise<(CellReader | undefined)[]> {
  const options: CellOptions = {
    dateFormats: order ? [order] : [],
    decimal: undefined,
    nulls: [],
    readsSigns: true,
  }
  const finders = targets.map((field) =>
    field && !field.multiple && READ_TYPES.has(field.type)
      ? new ReadingFinder(field.type as FieldType, options, true)
      : undefined,
  )
  if (finders.some((finder) => finder?.isOpen)) await addCells(lines, finders)
  return finders.map((finder, at) => {
    const field = targets[at]
    if (!finder || !field) return undefined
    const format = finder.isOpen ? finder.format() : new CellFormat(options)
    if (format) return readerOf(field.type as FieldType, format, true)
    throw new Error(
      `The dates of “${field.label}” can be read in two ways. Choose the order of day and month.`,
    )
  })
}

async function addCells(lines: FileLines, finders: readonly (ReadingFinder | undefined)[]): Promise<void> {
  let isFirst = true
  for await (const chunk of readLines(lines)) {
    for (const cells of isFirst ? chunk.lines.slice(1) : chunk.lines)
      for (const [at, cell] of cells.entries()) if (cell.trim() !== '') finders[at]?.add(cell)
    isFirst = false
  }
}
