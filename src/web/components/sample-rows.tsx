import { DataTable } from './data-table.tsx'

interface SampleRowsProps {
  readonly label: string
  readonly columns: readonly { readonly label: string; readonly type: string }[]
  readonly rows: readonly (readonly string[])[]
}

/** The columns of a new table with their types, and its first rows as written. */
export const SampleRows = ({ label, columns, rows }: SampleRowsProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it.
  <section style={{ overflowX: 'auto' }} aria-label={label} tabIndex={0}>
    <DataTable
      label={label}
      columns={columns.map((column, at) => ({
        label: `${column.label}: ${column.type}`,
        cell: (cells: readonly string[]) => cells[at],
      }))}
      items={rows}
      keyOf={(_, row) => row}
    />
  </section>
)
