import { type Column, isTime, operatorsOf } from '../../data/records/conditions.ts'
import type { FilterLanguage } from './language.ts'

/** The fields and operators of filters over rows. An unknown field, such as `*`, is a type of its own. */
export function rowFields(
  columns: readonly Column[],
): Pick<FilterLanguage, 'fields' | 'operatorsOf' | 'isTime'> {
  const typeOf = (field: string) => columns.find(({ key }) => key === field)?.type ?? field
  return {
    fields: columns.map(({ key, label }) => [key, label || key]),
    operatorsOf: (field) => operatorsOf(typeOf(field)),
    isTime: (field) => isTime(typeOf(field)),
  }
}
