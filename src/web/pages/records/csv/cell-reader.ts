import type { CellFormat } from '../../../../filter/record/cell-format.ts'
import type { FieldType } from '../../../../filter/record/field-types.ts'

/** Rewrites a cell in the notation in which fields are edited. A cell that it cannot read stays as it is. */
export type CellReader = (cell: string) => string

const HAS_OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/i

/** Reads the cells of a column in one notation. Times without an offset are local ones. */
export const readerOf =
  (type: FieldType, format: CellFormat, isGiven: boolean): CellReader =>
  (cell) => {
    const value = String(format.valueOf({ type }, cell, isGiven))
    return type === 'datetime' && !HAS_OFFSET.test(cell.trim()) ? value.replace(/Z$/, '') : value
  }
