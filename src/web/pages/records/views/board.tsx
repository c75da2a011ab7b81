import { useSignal } from '@preact/signals'
import type { TargetedKeyboardEvent } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../../components/form.tsx'
import { type Key, useKeys } from '../../../components/keys.tsx'
import { QueryResult } from '../../../components/pane.tsx'
import { api } from '../../../data/api.ts'
import { formatNumber } from '../../../data/formats.ts'
import { mayWrite } from '../../../data/session.ts'
import { useQuery } from '../../../data/use-query.ts'
import { address } from '../../../router.ts'
import { targetOf } from '../labels.ts'
import { type Field, queryOf, type Row, type RowQuery, rowLabel, type Structure } from '../model.ts'
import { isReference } from '../references.ts'
import { ChoiceChip } from '../shown-value.tsx'
import { undoStack } from '../undo.ts'
import { showValue } from '../values.ts'
import { rowAddress } from '../view.ts'
import { type BoardColumn, wordOf } from './columns.ts'
import { startDrag } from './drag.ts'
import { moveRow, shownRow, useKeptFocus } from './moves.ts'

interface BoardProps {
  readonly structure: Structure
  readonly rowQuery: RowQuery
  readonly groupBy: string
  readonly fields: readonly Field[]
  readonly onRefused: (sentence: string | undefined) => void
}

const FEW = 25
const MOST = 200

const KEYS: readonly Key[] = [
  { keys: ['↑', '↓', '←', '→'], does: 'next card' },
  { keys: ['Ctrl', '→'], does: 'move the card to the next column' },
  { keys: ['Ctrl', '←'], does: 'move the card to the column before' },
  { keys: ['Enter'], does: 'open the row' },
  { keys: ['Ctrl', 'Z'], does: 'undo' },
]

/** Rows as cards, in a column for each value of a field. */
export function Board({ structure, rowQuery, groupBy, fields, onRefused }: BoardProps) {
  useKeys('Board', KEYS)
  const [limit, setLimit] = useState(FEW)
  const said = useSignal('')
  const query = { ...queryOf(rowQuery), group_by: groupBy, limit }
  const board = useQuery(
    ['record', 'board', JSON.stringify(query)],
    async ({ signal }) =>
      (await api.get('/v1/records/board', { query, signal })) as { columns: BoardColumn[]; total: number },
    { placeholderData: (before) => before },
  )
  const group = structure.fields.find(({ key }) => key === groupBy)
  const isMovable = mayWrite.value && !structure.immutable
  const move = (row: Row, to: BoardColumn) => {
    if (!isMovable || (row.data[groupBy] ?? null) === to.value) return
    onRefused(undefined)
    said.value = `${rowLabel(structure, row)} moves to ${wordOf(to.value)}.`
    moveRow(structure, row, { [groupBy]: to.value }).then(
      () => {
        said.value = `${rowLabel(structure, row)} is in ${wordOf(to.value)}.`
      },
      (error: Error) => onRefused(error.message),
    )
  }
  return (
    <QueryResult query={board}>
      {({ columns, total }) => {
        const moved = withMoves(columns, groupBy)
        return (
          <>
            <section
              class="board"
              tabIndex={-1}
              aria-label={`Board by ${group?.label ?? groupBy}`}
              onKeyDown={(event) => onKey(event, moved, move)}
            >
              {moved.map((column, at) => (
                <section
                  key={String(column.value)}
                  class={`column ${column.value === null ? '' : `hue-${at % 10}`}`}
                  data-drop={at}
                  aria-label={`${wordOf(column.value)}, ${formatNumber(column.total)} rows`}
                >
                  <header>
                    <span class="choice-chip">{wordOf(column.value)}</span>
                    <span>{formatNumber(column.total)}</span>
                  </header>
                  <ul>
                    {column.records.map((row) => (
                      <li key={row.id}>
                        <Card
                          structure={structure}
                          row={row}
                          fields={fields.filter(({ key }) => key !== groupBy)}
                          onDrop={
                            isMovable ? (target) => move(row, moved[Number(target)] ?? column) : undefined
                          }
                        />
                      </li>
                    ))}
                    {column.has_more && (
                      <li>
                        <More
                          structure={structure}
                          rowQuery={rowQuery}
                          groupBy={groupBy}
                          column={column}
                          onMore={limit < MOST ? () => setLimit(Math.min(MOST, limit * 2)) : undefined}
                        />
                      </li>
                    )}
                  </ul>
                </section>
              ))}
            </section>
            <div class="foot">
              <span role="status">{said.value || `${formatNumber(total)} rows`}</span>
              {isMovable && (
                <span class="keys">
                  <span>
                    <kbd>Ctrl ←</kbd> <kbd>→</kbd> move to a column
                  </span>
                  <span>
                    <kbd>Enter</kbd> open
                  </span>
                  <span>
                    <kbd>Ctrl Z</kbd> undo
                  </span>
                </span>
              )}
            </div>
          </>
        )
      }}
    </QueryResult>
  )
}

/** The columns with what was moved and is not read again yet. */
function withMoves(columns: readonly BoardColumn[], groupBy: string): readonly BoardColumn[] {
  const rows = columns.flatMap(({ records }) => records.map(shownRow))
  return columns.map((column) => {
    const records = rows.filter((row) => (row.data[groupBy] ?? null) === column.value)
    return { ...column, records, total: column.total + records.length - column.records.length }
  })
}

const cardsOf = (column: Element | null | undefined) => [
  ...(column?.querySelectorAll<HTMLElement>('a.card') ?? []),
]

/** The arrows lead from card to card; with Ctrl they move the card to the column beside it. */
function onKey(
  event: TargetedKeyboardEvent<HTMLElement>,
  columns: readonly BoardColumn[],
  move: (row: Row, to: BoardColumn) => void,
): void {
  if (event.key === 'z' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault()
    void undoStack.undo()
    return
  }
  const card = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('a.card') : null
  const column = card?.closest<HTMLElement>('[data-drop]')
  const aside = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
  const along = { ArrowUp: -1, ArrowDown: 1 }[event.key]
  if (!card || !column || (aside === undefined && along === undefined)) return
  event.preventDefault()
  const at = Number(column.dataset.drop)
  const place = cardsOf(column).indexOf(card)
  if (along !== undefined) {
    cardsOf(column)[place + along]?.focus()
    return
  }
  const sideways = aside ?? 0
  if (!event.ctrlKey && !event.metaKey) {
    for (let other = at + sideways; columns[other]; other += sideways) {
      const cards = cardsOf(document.querySelector(`[data-drop="${other}"]`))
      if (cards.length === 0) continue
      cards[Math.min(place, cards.length - 1)]?.focus()
      return
    }
    return
  }
  const row = columns[at]?.records[place]
  const to = columns[at + sideways]
  if (!row || !to) return
  move(row, to)
}

interface CardProps {
  readonly structure: Structure
  readonly row: Row
  readonly fields: readonly Field[]
  readonly onDrop: ((target: string) => void) | undefined
}

const SHOWN = 5

/** A row by its label, and its first values. */
export function Card({ structure, row, fields, onDrop }: CardProps) {
  const label = rowLabel(structure, row)
  const values = fields.filter(({ key }) => row.data[key] !== undefined && String(row.data[key]) !== label)
  return (
    <a
      ref={useKeptFocus(row.id)}
      class="card"
      id={`card-${row.id}`}
      href={rowAddress(row.id)}
      draggable={false}
      onPointerDown={(event) => onDrop && startDrag(event, onDrop)}
    >
      <b>{label}</b>
      {values.length > 0 && (
        <span class="values">
          {values.slice(0, SHOWN).map((field) => (
            <span key={field.key} title={field.label}>
              {isReference(field) ? (
                (targetOf(field, String(row.data[field.key]))?.label ?? '…')
              ) : field.type === 'select' ? (
                <ChoiceChip field={field} value={String(row.data[field.key])} />
              ) : field.type === 'bool' ? (
                `${field.label}: ${showValue(field, row.data[field.key])}`
              ) : (
                showValue(field, row.data[field.key])
              )}
            </span>
          ))}
        </span>
      )}
    </a>
  )
}

interface MoreProps {
  readonly structure: Structure
  readonly rowQuery: RowQuery
  readonly groupBy: string
  readonly column: BoardColumn
  readonly onMore: (() => void) | undefined
}

/** The rest of a column: some more, and in the end the list of them all. */
function More({ structure, rowQuery, groupBy, column, onMore }: MoreProps) {
  const more = `${formatNumber(column.total - column.records.length)} more`
  if (onMore)
    return (
      <Button kind="quiet" aria-label={`${more} in ${wordOf(column.value)}`} onClick={onMore}>
        {more}
      </Button>
    )
  const condition =
    column.value === null
      ? { field: groupBy, op: 'is_empty' }
      : { field: groupBy, op: 'eq', value: column.value }
  return (
    <a
      class="button quiet"
      href={address(['records', structure.id], {
        filter: JSON.stringify([...rowQuery.filter, condition]),
        sort: rowQuery.sort,
        direction: rowQuery.direction,
      })}
    >
      {more}, as a table
    </a>
  )
}
