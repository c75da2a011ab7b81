import type { InWorkspace } from '../../context.ts'
import { may } from '../../kernel/rights.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import type { StructureRow } from './store.ts'
import { definitionOf, type FieldDefinition } from './store.ts'

export const presentField = (field: FieldDefinition) => ({
  key: field.key,
  type: field.type,
  label: field.label ?? field.key,
  required: field.required,
  unit: field.unit,
  hidden: field.hidden,
  unique: field.unique,
  min: field.min,
  max: field.max,
  options: field.options === null ? null : [...field.options],
  structure: field.structure,
})

export const presentStructure = (row: StructureRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  fields: definitionOf(row).fields.map(presentField),
  label_field: row.labelField,
  unique_together: JSON.parse(row.uniqueTogether) as string[][],
  max_rows: row.maxRows,
  immutable: row.immutable === 1,
  icon: row.icon ?? undefined,
  color: row.color ?? undefined,
  record_count: row.live,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})

type Shown = ReturnType<typeof presentStructure>

/** The same for a caller; callers who may not read the rows do not see their number. */
export function presentStructureTo({ rights }: InWorkspace, row: StructureRow) {
  const { record_count, ...definition } = presentStructure(row)
  return { ...definition, ...(may(rights, row.id, 'read') && { record_count }) } as Shown
}
