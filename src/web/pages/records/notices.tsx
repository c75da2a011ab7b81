import type { Signal } from '@preact/signals'
import { Button } from '../../components/form.tsx'
import { Banner, Empty } from '../../components/pane.tsx'
import { formatNumber } from '../../data/formats.ts'
import { mayWrite } from '../../data/session.ts'
import { shortNumber } from '../../data/value-formats.ts'
import { setParameters } from '../../router.ts'
import { type JustDone, justDone } from './actions.ts'
import { blockOf } from './grid/cursor.ts'
import type { GridState } from './grid/state.ts'
import { currentOrder } from './orders.ts'
import type { RowList } from './rows.ts'
import { undoRefusal } from './undo.ts'
import { paneAddress } from './view.ts'

interface NoticesProps {
  readonly refusal: Signal<string | undefined>
  readonly source: RowList
}

const sentenceOf = ({ op, count }: JustDone) =>
  count === 1 ? `The row was ${op}.` : `${formatNumber(count)} rows were ${op}.`

const wayBack = ({ op, count }: JustDone) =>
  op === 'changed' ? 'Undo' : count === 1 ? 'Put it back' : 'Put them back'

/** What was done or refused, with the way back. */
export function Notices({ refusal, source }: NoticesProps) {
  const error = refusal.value ?? undoRefusal.value
  const done = justDone.value
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
          <p>{sentenceOf(done)}</p>
          <Button
            onClick={() =>
              done.takeBack().then(
                () => source.refreshNow(),
                (error: Error) => {
                  undoRefusal.value = error.message
                },
              )
            }
          >
            {wayBack(done)}
          </Button>
          <Button
            kind="quiet"
            onClick={() => {
              justDone.value = undefined
            }}
          >
            Close
          </Button>
        </Banner>
      )}
    </>
  )
}

export function NoRows({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty>
        <p>No row matches these filters.</p>
        <Button onClick={() => setParameters({ filter: undefined, q: undefined })}>Remove the filters</Button>
      </Empty>
    )
  return (
    <Empty>
      <p>
        No rows yet.
        {mayWrite.value && ' Write the first, or import a csv file.'}
      </p>
      {mayWrite.value && (
        <p class="actions">
          <a class="button" href={paneAddress('new')}>
            New row
          </a>
          <a class="button" href={paneAddress('import')}>
            Import csv…
          </a>
        </p>
      )}
    </Empty>
  )
}

/** Which rows are seen, in which order, and what the keys do. */
export function GridFoot({ grid, seen }: { grid: GridState; seen: readonly [first: number, last: number] }) {
  const total = grid.source.total.value
  const [first, last] = seen
  const number = (line: number) => formatNumber(grid.source.numberOf(line) + 1)
  const range = total
    ? `Rows ${number(first)} to ${number(last)} of ${formatNumber(total)}`
    : total === 0
      ? 'No rows'
      : 'counting…'
  return (
    <div class="foot">
      <span role="status">
        {chosenCells(grid) ?? (total === 0 ? range : `${range}, ${currentOrder(grid.structure).words}`)}
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
              <kbd>Ctrl V</kbd> paste a block
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

/** Of larger blocks only the size is said. */
const MOST_SUMMED = 10_000

/** How many cells of a block are chosen, and what their numbers come to; undefined while only one is. */
function chosenCells({ cursor, source, fields }: GridState): string | undefined {
  const { top, bottom, left, right } = blockOf(cursor.value)
  const columns = fields.slice(left - 1, right)
  const lines = bottom - top + 1
  if (lines * columns.length <= 1) return undefined
  const numbers: number[] = []
  let cells = 0
  for (let line = top; line <= bottom && lines <= MOST_SUMMED; line++) {
    if (source.group(line)) continue
    cells += columns.length
    for (const { key, type } of columns) {
      const value = source.row(line)?.data[key]
      if (type === 'number' && typeof value === 'number') numbers.push(value)
    }
  }
  const chosen = `${formatNumber(lines <= MOST_SUMMED ? cells : lines * columns.length)} cells chosen`
  if (numbers.length < 2) return chosen
  const sum = numbers.reduce((all, one) => all + one, 0)
  return `${chosen}: sum ${shortNumber(sum)}, mean ${shortNumber(sum / numbers.length)}`
}

/** Goes to a row by its number. */
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
