import type { rowViews } from '../db/schema/row-views.ts'
import { checkFilter, parseConditions, type RawCondition } from '../filter/record/parse.ts'
import { fail, invalid, refused } from '../refusal.ts'
import { definitionOf, type FieldDefinition, type StructureRow } from '../structures/store.ts'

/** A field that a view shows; without a width it has the usual one. */
export interface ShownColumn {
  readonly key: string
  readonly width?: number
}

/** What a caller decides of a view. */
export type RowViewColumns = Omit<
  typeof rowViews.$inferSelect,
  'pk' | 'id' | 'workspace' | 'structure' | 'owner' | 'ownerName' | 'position' | 'createdAt' | 'updatedAt'
>

export const filterOf = ({ filter }: Pick<RowViewColumns, 'filter'>): RawCondition[] => JSON.parse(filter)

export const columnsOf = ({ columns }: Pick<RowViewColumns, 'columns'>): ShownColumn[] | null =>
  columns === null ? null : JSON.parse(columns)

/** The keys of the fields that a view names. */
export const fieldsNamed = (view: RowViewColumns): (string | null)[] => [
  ...filterOf(view).map(({ field }) => field),
  ...(columnsOf(view) ?? []).map(({ key }) => key),
  ...[view.sort, view.groupBy, view.dateField, view.endField],
]

/** All views of a structure are read when one of them is saved. */
const MAX_FILTER_LENGTH = 200_000
const GROUPING: readonly string[] = ['select', 'bool']
const DATING: readonly string[] = ['date', 'datetime']

/** Refuses a view that names a field which the structure does not have, or which is of the wrong type, and one that lacks what its kind needs. */
export function checkRowView(structure: StructureRow, view: RowViewColumns): void {
  const { byKey } = definitionOf(structure)
  const fieldOf = (place: string, key: string) =>
    byKey.get(key) ?? fail(refused(`"${place}" names "${key}", and the structure has no such field.`))
  if (view.filter.length > MAX_FILTER_LENGTH)
    throw invalid('The conditions of a view are longer than 200,000 characters; take values out of "filter".')
  checkFilter(parseConditions(filterOf(view)), byKey)
  if (view.sort !== null && view.sort !== 'created_at' && view.sort !== 'updated_at')
    fieldOf('sort', view.sort)
  checkColumns(columnsOf(view) ?? [], fieldOf)
  const typed = (place: string, key: string | null, types: readonly string[]) => {
    if (key === null) return undefined
    const field = fieldOf(place, key)
    if (types.includes(field.type)) return field
    throw refused(
      `"${place}" names "${key}", of type ${field.type}; it takes a field of type ${types.join(' or ')}.`,
    )
  }
  typed('group_by', view.groupBy, GROUPING)
  checkDates(typed('date_field', view.dateField, DATING), typed('end_field', view.endField, DATING))
  if (view.kind === 'board' && view.groupBy === null)
    throw invalid('"group_by" is required for a board: the field whose values are its columns.')
  if (view.kind === 'calendar' && view.dateField === null)
    throw invalid('"date_field" is required for a calendar: the field that says the day of a row.')
}

function checkColumns(
  columns: readonly ShownColumn[],
  fieldOf: (place: string, key: string) => unknown,
): void {
  const seen = new Set<string>()
  for (const [at, { key }] of columns.entries()) {
    fieldOf(`columns[${at}].key`, key)
    if (seen.has(key)) throw refused(`"columns" names "${key}" twice; name each field once.`)
    seen.add(key)
  }
}

function checkDates(date: FieldDefinition | undefined, end: FieldDefinition | undefined): void {
  if (!end) return
  if (!date) throw refused('"end_field" goes only with "date_field", the field of the first day.')
  if (date.type !== end.type)
    throw refused(
      `"end_field" names "${end.key}", of type ${end.type}, and "date_field" is of type ${date.type}; both must be of one type.`,
    )
}
