import '../styles/tables.ts'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { restoreFocus } from './focus.ts'
import { Button, ErrorText } from './form.tsx'

/*
 * The table of every list. Phones show each row in two lines, and its cells in their corners; `margin` is left of the
 * rule, and `desk` is hidden there. Roles are explicit, because elements that are laid out as blocks lose their own.
 */
type Corner = 'margin' | 'top-start' | 'top-end' | 'bottom-start' | 'bottom-end' | 'desk'

export interface Column<Item, State = undefined> {
  readonly label: string
  /** True if only assistive technology needs the heading, as over buttons. */
  readonly isLabelHidden?: boolean
  readonly corner?: Corner
  readonly isNumber?: boolean
  /** True for the name of the row. */
  readonly isRowHeading?: boolean
  /** Further classes of the cells. */
  readonly look?: string
  readonly cell: (item: Item, state: State) => ComponentChildren
}

interface RowProps<Item, State> {
  readonly columns: readonly Column<Item, State>[]
  /** A hook of each row, for state that its cells share. */
  readonly useRow?: (item: Item) => State
  readonly highlight?: (item: Item, state: State) => 'trouble' | 'chosen' | undefined
  /** An error, which is shown below the row. */
  readonly errorOf?: (item: Item, state: State) => string | undefined
  /** Details, which are shown below the row. */
  readonly below?: (item: Item, state: State) => ComponentChildren
}

interface DataTableProps<Item, State> extends RowProps<Item, State> {
  readonly label: string
  readonly items: readonly Item[]
  readonly keyOf: (item: Item, index: number) => string | number
  /** Replaces the table if there are no items. */
  readonly empty?: ComponentChildren
  /** The number of rows until more are requested. */
  readonly pageSize?: number
  /** Further classes of the table. */
  readonly look?: string
}

const classes = (...names: readonly (string | false | undefined)[]) =>
  names.filter(Boolean).join(' ') || undefined

const headingClass = ({ corner, isNumber }: Pick<Column<never, never>, 'corner' | 'isNumber'>) =>
  classes(corner === 'margin' && corner, isNumber && 'number')

export function DataTable<Item, State = undefined>({
  label,
  items,
  keyOf,
  empty,
  pageSize = Number.POSITIVE_INFINITY,
  look,
  ...row
}: DataTableProps<Item, State>) {
  const [count, setCount] = useState(pageSize)
  if (items.length === 0) return <>{empty}</>
  const more = Math.min(pageSize, items.length - count)
  const showMore = () => {
    setCount(count + pageSize)
    restoreFocus()
  }
  return (
    <>
      <table {...ROLES.table} class={classes('table', look)} aria-label={label}>
        <thead {...ROLES.group}>
          <tr {...ROLES.row}>
            {row.columns.map((column) => (
              <th key={column.label} {...ROLES.heading} scope="col" class={headingClass(column)}>
                {column.isLabelHidden ? <span class="visually-hidden">{column.label}</span> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...ROLES.group}>
          {items.slice(0, count).map((item, index) => (
            <Row key={keyOf(item, index)} item={item} {...row} />
          ))}
        </tbody>
      </table>
      {more > 0 && (
        <p class="list-end">
          <Button onClick={showMore}>Show {more} more</Button>
        </p>
      )}
    </>
  )
}

const useNothing = (): never => undefined as never

function Row<Item, State>({
  item,
  columns,
  useRow = useNothing,
  highlight,
  errorOf,
  below,
}: RowProps<Item, State> & { item: Item }) {
  const state = useRow(item)
  const error = errorOf?.(item, state)
  const details = below?.(item, state)
  return (
    <>
      <tr {...ROLES.row} class={error === undefined ? highlight?.(item, state) : 'trouble'}>
        {columns.map(({ label, corner, isNumber, isRowHeading, look, cell }) => {
          const content = cell(item, state)
          const name = classes(isNumber && 'number', corner, look)
          return isRowHeading ? (
            <th key={label} {...ROLES.name} scope="row" class={name}>
              {content}
            </th>
          ) : (
            <td key={label} {...ROLES.cell} class={name}>
              {content}
            </td>
          )
        })}
      </tr>
      {error !== undefined && (
        <Wide span={columns.length} look="note-row">
          <ErrorText>{error}</ErrorText>
        </Wide>
      )}
      {details && (
        <Wide span={columns.length} look="open-row">
          {details}
        </Wide>
      )}
    </>
  )
}

/** A row with one cell. */
const Wide = ({ span, look, children }: { span: number; look: string; children: ComponentChildren }) => (
  <tr {...ROLES.row} class={look}>
    <td {...ROLES.cell} colSpan={span}>
      {children}
    </td>
  </tr>
)

const ROLES = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  heading: { role: 'columnheader' },
  name: { role: 'rowheader' },
  cell: { role: 'cell' },
} as const
