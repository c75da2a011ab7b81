import { csvCell } from '../../../../lib/csv-cells.ts'
import type { Field, Row } from '../../../data/records/model.ts'

/** A field's value as a CSV cell. `Object.hasOwn`, because a field may be named `constructor`. */
export const cellOf = ({ key, type }: Pick<Field, 'key' | 'type'>, data: Row['data']): string =>
  csvCell(type, Object.hasOwn(data, key) ? data[key] : undefined)
