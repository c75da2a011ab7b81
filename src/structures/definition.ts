import type { FieldType, TypedField } from '../filter/record/operators.ts'
import type { StructureRow } from './store.ts'

/** A field as it is stored: what responses show, and the number of its columns. */
export interface FieldDefinition extends TypedField {
  readonly key: string
  readonly type: FieldType
  /** Null if it equals the key. */
  readonly label: string | null
  readonly required: boolean
  readonly unit: string | null
  readonly hidden: boolean
  readonly unique: boolean
  readonly min: number | string | null
  readonly max: number | string | null
  readonly options: readonly string[] | null
  /** The id of the structure whose rows a `record` field points to; null for any. */
  readonly structure: string | null
  readonly column: number
}

/** One rule of uniqueness: a unique field alone, or the fields of a `unique_together` set. */
export type UniqueSet = readonly FieldDefinition[]

/** A parsed definition. */
export interface Definition {
  readonly fields: readonly FieldDefinition[]
  readonly byKey: ReadonlyMap<string, FieldDefinition>
  readonly uniqueSets: readonly UniqueSet[]
}

type Source = Pick<StructureRow, 'fields' | 'uniqueTogether'>

const MAX_DEFINITIONS = 500
const definitions = new Map<string, Definition>()

/** The unique fields, each as a set of its own, and the `unique_together` sets. */
export function uniqueSetsOf(
  fields: readonly FieldDefinition[],
  together: readonly (readonly string[])[],
): UniqueSet[] {
  const single = fields.filter(({ unique }) => unique).map((field) => [field])
  const sets = together.map((keys) => fields.filter(({ key }) => keys.includes(key)))
  return [...single, ...sets]
}

function build({ fields: text, uniqueTogether }: Source): Definition {
  const fields = JSON.parse(text) as FieldDefinition[]
  const together = JSON.parse(uniqueTogether) as string[][]
  return {
    fields,
    byKey: new Map(fields.map((field) => [field.key, field])),
    uniqueSets: uniqueSetsOf(fields, together),
  }
}

/** The parsed definition, cached by its text, so that a change by any process is seen. */
export function definitionOf(row: Source): Definition {
  const text = `${row.fields}${row.uniqueTogether}`
  const found = definitions.get(text)
  if (found) return found
  if (definitions.size >= MAX_DEFINITIONS) definitions.clear()
  const definition = build(row)
  definitions.set(text, definition)
  return definition
}
