import { type Column, DataTable } from '../../../components/data-table.tsx'
import type { Field, Structure } from '../../../data/records/model.ts'
import { TYPE_LABELS } from './draft.ts'

const COLUMNS: readonly Column<Field>[] = [
  { label: 'Field', isRowHeading: true, cell: ({ label }) => label },
  { label: 'Type', cell: ({ type }) => TYPE_LABELS[type] },
  {
    label: 'Rules',
    cell: ({ required, unique, unit }) =>
      [required && 'required', unique && 'unique', unit].filter(Boolean).join(', '),
  },
]

/** The fields and rules, for users without write access. */
export const ReadOnlyStructure = ({ structure: { name, fields } }: { structure: Structure }) => (
  <DataTable label={`Fields of ${name}`} columns={COLUMNS} items={fields} keyOf={({ key }) => key} />
)
