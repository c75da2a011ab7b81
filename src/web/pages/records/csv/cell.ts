import { csvCell } from '../../../../lib/csv-cells.ts'
import type { Field, Row } from '../model.ts'

/** The cell of a field in a file; a field may be called `constructor`. */
export const cellOf = ({ key, type }: Pick<Field, 'key' | 'type'>, data: Row['data']): string =>
  csvCell(type, Object.hasOwn(data, key) ? data[key] : undefined)
