import '../../../styles/tables.ts'
import { useRef } from 'preact/hooks'
import { quotedCell } from '../../../../lib/csv-cells.ts'
import { Button } from '../../../components/form.tsx'
import { useVirtual } from '../../../components/virtual.ts'
import { ROLES } from '../grid/roles.ts'
import { saveCsv, toCsv } from './export.ts'
import type { RefusedLine } from './import-run.ts'

const ROW_PX = 69

interface RefusedRowsProps {
  readonly refused: readonly RefusedLine[]
  /** The current length: the array is mutated while it grows. */
  readonly count: number
  /** Column names of the file. */
  readonly head: readonly string[]
}

/** All refused rows with their errors, drawn as a virtual list. */
export function RefusedRows({ refused, count, head }: RefusedRowsProps) {
  const scroller = useRef<HTMLElement>(null)
  const virtual = useVirtual({ count, estimate: ROW_PX, scroller: () => scroller.current })
  const items = virtual.getVirtualItems()
  const beforePx = items[0]?.start ?? 0
  const afterPx = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  // Whether an empty cell had quotes is unknown, so it gets none.
  const cellText = (cell: string) => (cell === '' ? '' : quotedCell(cell))
  const save = () =>
    saveCsv('refused.csv', [
      toCsv([
        ['line', 'reason', ...head.map(quotedCell)],
        ...refused.map(({ line, error, cells }) => [String(line), quotedCell(error), ...cells.map(cellText)]),
      ]),
    ])
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
      <section class="refused" aria-label="Refused rows" ref={scroller} tabIndex={0}>
        <table class="table" aria-rowcount={count + 1}>
          <caption class="visually-hidden">Refused rows</caption>
          <thead>
            <tr aria-rowindex={1}>
              <th class="margin" scope="col">
                Line
              </th>
              <th scope="col">Error</th>
            </tr>
          </thead>
          <tbody>
            <Space px={beforePx} />
            {items.map(({ index }) => {
              const row = refused[index]
              return (
                row && (
                  <tr
                    key={index}
                    class="trouble"
                    ref={virtual.measureElement}
                    data-index={index}
                    aria-rowindex={index + 2}
                  >
                    <td class="margin">{row.line}</td>
                    <td class="why-cell">
                      {row.error}
                      <small class="cells">{row.cells.join(' · ')}</small>
                    </td>
                  </tr>
                )
              )
            })}
            <Space px={afterPx} />
          </tbody>
        </table>
      </section>
      <p class="actions">
        <Button onClick={save}>Save refused rows as CSV</Button>
      </p>
    </>
  )
}

/** Takes the height of rows that are not drawn. */
const Space = ({ px }: { px: number }) => (
  <tr {...ROLES.space} class="space" hidden={px <= 0}>
    <td colSpan={2} style={{ height: `${px}px` }} />
  </tr>
)
