import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../../components/form.tsx'
import { targetOf } from '../labels.ts'
import type { Field } from '../model.ts'
import { isReference } from '../references.ts'
import { type Bar, drawnBars, type Grouping } from './buckets.ts'

const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
/** So many lines of the table are added at a time. */
const PAGE = 200

interface BarsProps {
  readonly all: readonly Bar[]
  readonly isSum: boolean
  readonly grouping: Grouping
  /** The field by which the rows are divided, unless that is when they were written. */
  readonly field: Field | undefined
}

/** The bars, and every figure as a table. */
export function Bars({ all, isSum, grouping: { kind }, field }: BarsProps) {
  const place = useRef<HTMLDivElement>(null)
  const { bars, which, undated } = drawnBars(all, kind)
  const label = ({ of }: Bar) => labelOf(of, kind, field)
  const shown = bars.map((bar) => ({ label: label(bar), value: bar.value }))
  const text = JSON.stringify(shown)
  useEffect(() => {
    const element = place.current
    if (!element || shown.length === 0) return
    let remove = () => {}
    let isOver = false
    void import('./plot.ts').then(({ plot }) => {
      if (!isOver) remove = plot(element, shown)
    })
    return () => {
      isOver = true
      remove()
    }
  }, [text])
  return (
    <div>
      <div class="plot" ref={place} aria-hidden="true" />
      {undated && <p class="dim">Not drawn: {NUMBER.format(undated.value)} without a date</p>}
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

/** The table; its lines are drawn once it is open. */
function Figures({ all, isSum, label, which }: FiguresProps) {
  const [count, setCount] = useState(0)
  return (
    <details
      class="numbers"
      onToggle={({ currentTarget }) => setCount(currentTarget.open ? Math.max(count, PAGE) : 0)}
    >
      <summary>{which === undefined ? 'As a table' : `Drawn are ${which}; all as a table`}</summary>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Of</th>
            <th scope="col" class="number">
              {isSum ? 'Sum' : 'Rows'}
            </th>
          </tr>
        </thead>
        <tbody>
          {all.slice(0, count).map((bar, place) => (
            <tr key={place}>
              <td>{label(bar)}</td>
              <td class="number">{NUMBER.format(bar.value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {count > 0 && count < all.length && (
        <p class="list-end">
          <Button onClick={() => setCount(count + PAGE)}>
            Show {Math.min(PAGE, all.length - count)} more
          </Button>
        </p>
      )}
    </details>
  )
}
