import { useEffect, useRef, useState } from 'preact/hooks'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { targetOf } from '../../../data/records/labels.ts'
import type { Field } from '../../../data/records/model.ts'
import { isReference } from '../../../data/records/references.ts'
import { type Bar, drawnBars, type Grouping } from './buckets.ts'

const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
/** Rows of the table added at a time. */
const PAGE_SIZE = 200

interface BarsProps {
  readonly all: readonly Bar[]
  readonly isSum: boolean
  readonly grouping: Grouping
  /** The field that groups the rows; undefined for creation and edit times. */
  readonly field: Field | undefined
}

/** The bars, and all figures as a table. */
export function Bars({ all, isSum, grouping: { kind }, field }: BarsProps) {
  const container = useRef<HTMLDivElement>(null)
  const { bars, which, undated } = drawnBars(all, kind)
  const label = ({ of }: Bar) => labelOf(of, kind, field)
  const shown = bars.map((bar) => ({ label: label(bar), value: bar.value }))
  const text = JSON.stringify(shown)
  useEffect(() => {
    const element = container.current
    if (!element || shown.length === 0) return
    let remove = () => {}
    let isUnmounted = false
    void import('./plot.ts').then(({ plot }) => {
      if (!isUnmounted) remove = plot(element, shown)
    })
    return () => {
      isUnmounted = true
      remove()
    }
  }, [text])
  return (
    <div>
      <div class="plot" ref={container} aria-hidden="true" />
      {undated && <p class="dim">Not shown: {NUMBER.format(undated.value)} without a date</p>}
      <Figures key={kind} all={all} isSum={isSum} label={label} which={which} />
    </div>
  )
}

function labelOf(of: string | undefined, kind: Grouping['kind'], field: Field | undefined): string {
  if (of === undefined) return kind === 'value' ? 'no value' : 'no date'
  return kind === 'value' && field && isReference(field) ? (targetOf(field, of)?.label ?? '…') : of
}

interface FiguresProps {
  readonly all: readonly Bar[]
  readonly isSum: boolean
  readonly label: (bar: Bar) => string
  readonly which: string | undefined
}

/** The table; it is rendered once it is open. */
function Figures({ all, isSum, label, which }: FiguresProps) {
  const [isOpen, setOpen] = useState(false)
  const columns: readonly Column<Bar>[] = [
    { label: 'Group', cell: label },
    { label: isSum ? 'Sum' : 'Rows', isNumber: true, cell: ({ value }) => NUMBER.format(value) },
  ]
  return (
    <details class="numbers" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{which === undefined ? 'Show as table' : `Showing ${which}. Show all as table`}</summary>
      {isOpen && (
        <DataTable
          label="Figures"
          columns={columns}
          items={all}
          keyOf={(_, index) => index}
          pageSize={PAGE_SIZE}
        />
      )}
    </details>
  )
}
