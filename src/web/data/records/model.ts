import type { components } from '../api-types.d.ts'
import type { Condition } from './conditions.ts'

export type Structure = components['schemas']['Structure']
export type Field = components['schemas']['Field']

/** Whether the server computes the values, so that no screen edits them. */
export const isComputed = ({ expression, via }: Field): boolean =>
  expression !== undefined || via !== undefined

const shownTypes = new WeakMap<Structure, Structure>()

/** The structure with the types of values: screens of rows show a formula like a field of its result. */
export function withValueTypes(structure: Structure): Structure {
  if (!structure.fields.some(isComputed)) return structure
  const known = shownTypes.get(structure)
  if (known) return known
  const fields = structure.fields.map((field) => ({ ...field, type: field.result ?? field.type }))
  const shown = { ...structure, fields }
  shownTypes.set(structure, shown)
  return shown
}

/** A value of a field; undefined if empty. */
export type Value = string | number | boolean | readonly string[] | undefined

export interface Row {
  readonly id: string
  readonly data: Readonly<Record<string, Value>>
  readonly created_at: string
  readonly updated_at: string
  readonly deleted_at: string | null
}

/** A column of a board, in the API's format. */
export interface BoardColumn {
  readonly value: string | boolean | null
  readonly total: number
  readonly records: readonly Row[]
  readonly has_more: boolean
}

export interface RowPage {
  readonly records: readonly Row[]
  readonly total: number
  readonly has_more: boolean
}

/** The fields that are not hidden. */
export const shownFields = ({ fields }: Structure): Field[] => fields.filter(({ hidden }) => !hidden)

export { recordLabel as rowLabel, titleKey } from '../../../lib/record-label.ts'

/** The title field: the declared one, else the first visible field. */
export const labelField = (structure: Structure): Field | undefined =>
  structure.fields.find(({ key }) => key === structure.label_field) ?? shownFields(structure)[0]

/** Filter and order of the displayed rows. */
export interface RowQuery {
  readonly structure: string
  readonly filter: readonly Condition[]
  readonly sort: string | undefined
  readonly direction: 'asc' | 'desc'
}

/** The query as request parameters. */
export const queryOf = ({ structure, filter, sort, direction }: RowQuery) => ({
  structure,
  ...(filter.length > 0 && { filter: JSON.stringify(filter) }),
  ...(sort !== undefined && { sort }),
  direction,
})
