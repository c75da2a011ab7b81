import type { Signal } from '@preact/signals'
import { Button } from '../../components/form.tsx'
import { Banner, Empty } from '../../components/pane.tsx'
import { formatNumber } from '../../data/formats.ts'
import type { RowList } from '../../data/records/rows.ts'
import { undoRefusal } from '../../data/records/undo.ts'
import { shortNumber } from '../../data/value-formats.ts'
import { setParameters } from '../../router.ts'
import { type LastAction, lastAction } from './actions.ts'
import { blockOf } from './grid/cursor.ts'
import type { GridState } from './grid/state.ts'
import { currentOrder } from './orders.ts'
import { paneAddress } from './view.ts'

interface NoticesProps {
  readonly refusal: Signal<string | undefined>
  readonly source: RowList
}

const messageOf = ({ op, count }: LastAction) =>
  count === 1 ? `Row ${op}.` : `${formatNumber(count)} rows ${op}.`

const undoLabel = ({ op }: LastAction) => (op === 'changed' ? 'Undo' : 'Restore')

/** The last action with undo, and the last refusal. */
export function Notices({ refusal, source }: NoticesProps) {
  const error = refusal.value ?? undoRefusal.value
  const done = lastAction.value
  return (
    <>
      {error !== undefined && (
        <Banner kind="bad">
          <p>{error}</p>
          <Button
            onClick={() => {
              refusal.value = undefined
              undoRefusal.value = undefined
            }}
          >
            Close
          </Button>
        </Banner>
      )}
      {done && (
        <Banner>
          <p>{messageOf(done)}</p>
          <Button
            onClick={() =>
              done.undo().then(
                () => source.refreshNow(),
                (error: Error) => {
                  undoRefusal.value = error.message
                },
              )
            }
          >
            {undoLabel(done)}
          </Button>
          <Button
            kind="quiet"
            onClick={() => {
              lastAction.value = undefined
            }}
          >
            Close
          </Button>
        </Banner>
      )}
    </>
  )
}

export function NoRows({ isFiltered, mayAdd }: { isFiltered: boolean; mayAdd: boolean }) {
  if (isFiltered)
    return (
      <Empty>
        <p>No rows match these filters.</p>
        <Button onClick={() => setParameters({ filter: undefined, q: undefined, in: undefined })}>
          Clear filters
        </Button>
      </Empty>
    )
  return (
    <Empty>
      <p>
        No rows yet.
        {mayAdd && ' Add a row, or import a CSV file.'}
      </p>
      {mayAdd && (
        <p class="actions">
          <a class="button" href={paneAddress('new')}>
            New row
          </a>
          <a class="button" href={paneAddress('import')}>
            Import CSV…
          </a>
        </p>
      )}
    </Empty>
  )
}

/** The visible range of rows, their order, and the main keyboard shortcuts. */
export function GridFoot({
  grid,
  visible,
}: {
  grid: GridState
  visible: readonly [first: number, last: number]
}) {
  const total = grid.source.total.value
  const [first, last] = visible
  const number = (line: number) => formatNumber(grid.source.numberOf(line) + 1)
  const range = total
    ? `Rows ${number(first)} to ${number(last)} of ${formatNumber(total)}`
    : total === 0
      ? 'No rows'
      : 'Counting…'
  return (
    <div class="foot">
      <span role="status">
        {selectionText(grid) ?? (total === 0 ? range : `${range}, ${currentOrder(grid.structure).words}`)}
      </span>
      <JumpForm grid={grid} />
      <span class="keys">
        <span>
          <kbd>Space</kbd> open
        </span>
        {grid.isEditable && (
          <>
            <span>
              <kbd>Enter</kbd> edit
            </span>
            <span>
              <kbd>Ctrl V</kbd> paste cells
            </span>
            <span>
              <kbd>Ctrl Z</kbd> undo
            </span>
          </>
        )}
      </span>
    </div>
  )
}

/** Larger blocks show only their size. */
const MAX_SUMMED = 10_000

/** The number of selected cells, with sum and average of their numbers; undefined for a single cell. */
function selectionText({ cursor, source, fields }: GridState): string | undefined {
  const { top, bottom, left, right } = blockOf(cursor.value)
  const columns = fields.slice(left - 1, right)
  const lines = bottom - top + 1
  if (lines * columns.length <= 1) return undefined
  const numbers: number[] = []
  let cells = 0
  for (let line = top; line <= bottom && lines <= MAX_SUMMED; line++) {
    if (source.group(line)) continue
    cells += columns.length
    for (const { key, type } of columns) {
      const value = source.row(line)?.data[key]
      if (type === 'number' && typeof value === 'number') numbers.push(value)
    }
  }
  const size = `${formatNumber(lines <= MAX_SUMMED ? cells : lines * columns.length)} cells selected`
  if (numbers.length < 2) return size
  const sum = numbers.reduce((total, number) => total + number, 0)
  return `${size}: sum ${shortNumber(sum)}, average ${shortNumber(sum / numbers.length)}`
}

function JumpForm({ grid }: { grid: GridState }) {
  const total = grid.source.shown.value ?? 0
  if (total < 100) return null
  return (
    <form
      class="jump desk"
      onSubmit={(event) => {
        event.preventDefault()
        const number = Number(new FormData(event.currentTarget).get('row'))
        if (!Number.isInteger(number) || number < 1) return
        const row = grid.source.lineOf(Math.min(total, number) - 1)
        grid.isFocused.value = true
        grid.cursor.value = { row, column: 1, anchor: { row, column: 1 } }
      }}
    >
      <label>
        Go to row <input class="input" name="row" type="number" min={1} max={total} required />
      </label>
    </form>
  )
}
