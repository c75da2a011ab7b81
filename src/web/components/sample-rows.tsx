interface SampleRowsProps {
  readonly label: string
  readonly columns: readonly { readonly label: string; readonly type: string }[]
  readonly rows: readonly (readonly string[])[]
}

/** The columns of a new table with their types, and its first rows as written. */
export const SampleRows = ({ label, columns, rows }: SampleRowsProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it.
  <section style={{ overflowX: 'auto' }} aria-label={label} tabIndex={0}>
    <table class="table">
      <thead>
        <tr>
          {columns.map((column, at) => (
            <th key={`${at} ${column.label}`} scope="col">
              {column.label}: {column.type}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={`${row} ${cells[0]}`}>
            {columns.map((column, at) => (
              <td key={`${at} ${column.label}`}>{cells[at]}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
