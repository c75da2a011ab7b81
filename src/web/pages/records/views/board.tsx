import { useSignal } from '@preact/signals'
import type { TargetedKeyboardEvent } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../../components/form.tsx'
import { type Key, useKeys } from '../../../components/keys.tsx'
import { QueryResult } from '../../../components/pane.tsx'
import { api } from '../../../data/api.ts'
import { formatNumber } from '../../../data/formats.ts'
import type { Edits } from '../../../data/records/edits.ts'
import { groupConditions } from '../../../data/records/grouping.ts'
import { valueText } from '../../../data/records/labels.ts'
import {
  type BoardColumn,
  type Field,
  isComputed,
  queryOf,
  type Row,
  type RowQuery,
  rowLabel,
  type Structure,
  type Value,
} from '../../../data/records/model.ts'
import { useRowRights } from '../../../data/records/row-rights.ts'
import { undoStack } from '../../../data/records/undo.ts'
import { useQuery } from '../../../data/use-query.ts'
import { address } from '../../../router.ts'
import { pendingText } from '../saving.ts'
import { ChoiceChip } from '../value-view.tsx'
import { rowAddress } from '../view.ts'
import { valueLabel } from './columns.ts'
import { startDrag } from './drag.ts'
import { movedRow, moveRow, useFocusAfterMove } from './moves.ts'

interface BoardProps {
  readonly structure: Structure
  readonly edits: Edits
  readonly rowQuery: RowQuery
  readonly groupBy: string
  readonly fields: readonly Field[]
  readonly onRefused: (message: string | undefined) => void
}

const INITIAL_CARDS = 25
const MAX_CARDS = 200

const KEYS: readonly Key[] = [
  { keys: ['↑', '↓', '←', '→'], does: 'next card' },
  { keys: ['Ctrl', '→'], does: 'move the card to the next column' },
  { keys: ['Ctrl', '←'], does: 'move the card to the previous column' },
  { keys: ['Enter'], does: 'open the row' },
  { keys: ['Ctrl', 'Z'], does: 'undo' },
]

/** Rows as cards, with one column per value of a field. */
export function Board({ structure, edits, rowQuery, groupBy, fields, onRefused }: BoardProps) {
  useKeys('Board', KEYS)
  const [limit, setLimit] = useState(INITIAL_CARDS)
  const announcement = useSignal('')
  const query = { ...queryOf(rowQuery), group_by: groupBy, limit }
  const board = useQuery(
    ['record', 'board', JSON.stringify(query)],
    async ({ signal }) =>
      (await api.get('/v1/records/board', { query, signal })) as { columns: BoardColumn[]; total: number },
    { placeholderData: (before) => before },
  )
  const group = structure.fields.find(({ key }) => key === groupBy)
  const isMovable =
    useRowRights(structure.id).mayWrite && !structure.immutable && group !== undefined && !isComputed(group)
  const labelOf = (value: GroupValue) => valueLabel(group, value)
  const move = (row: Row, from: BoardColumn, to: BoardColumn) => {
    if (!isMovable || !group || from.value === to.value) return
    onRefused(undefined)
    announcement.value = `${rowLabel(structure, row)} moving to ${labelOf(to.value)}…`
    const value = movedValue(group, row.data[groupBy], from.value, to.value)
    moveRow(edits, structure, row, new Map([[group, value]])).then(
      (isMoved) => {
        if (isMoved) announcement.value = `${rowLabel(structure, row)} moved to ${labelOf(to.value)}.`
      },
      (error: Error) => {
        announcement.value = ''
        onRefused(error.message)
      },
    )
  }
  return (
    <QueryResult query={board}>
      {({ columns, total }) => {
        const moved = group ? withMoves(edits, columns, group) : columns
        return (
          <>
            <section
              class="board"
              tabIndex={-1}
              aria-label={`Board by ${group?.label ?? groupBy}`}
              onKeyDown={(event) => onKey(event, moved, move)}
            >
              {moved.map((column, index) => (
                <section
                  key={String(column.value)}
                  class={`column ${column.value === null ? 'unset' : `hue-${index % 10}`}`}
                  data-drop={index}
                  aria-label={`${labelOf(column.value)}, ${formatNumber(column.total)} rows`}
                >
                  <header>
                    <span class="choice-chip">{labelOf(column.value)}</span>
                    <span>{formatNumber(column.total)}</span>
                  </header>
                  <ul>
                    {column.records.map((row) => (
                      <li key={row.id}>
                        <Card
                          structure={structure}
                          row={row}
                          isRepeated={group?.multiple === true}
                          fields={fields.filter(({ key }) => key !== groupBy)}
                          onDrop={
                            isMovable
                              ? (target) => move(row, column, moved[Number(target)] ?? column)
                              : undefined
                          }
                        />
                      </li>
                    ))}
                    {column.has_more && (
                      <li>
                        <More
                          structure={structure}
                          rowQuery={rowQuery}
                          group={group}
                          column={column}
                          onMore={
                            limit < MAX_CARDS ? () => setLimit(Math.min(MAX_CARDS, limit * 2)) : undefined
                          }
                        />
                      </li>
                    )}
                  </ul>
                </section>
              ))}
            </section>
            <div class="foot">
              <span role="status">
                {pendingText(edits) ?? (announcement.value || `${formatNumber(total)} rows`)}
              </span>
              {isMovable && (
                <span class="keys">
                  <span>
                    <kbd>Ctrl ←</kbd> <kbd>→</kbd> move to another column
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

type GroupValue = BoardColumn['value']

const valuesOf = (value: Value): readonly GroupValue[] =>
  value === undefined || value === null ? [null] : ([value].flat() as readonly GroupValue[])

/** The value of a row that is moved between columns; of several values, the other ones stay. */
function movedValue(field: Field, value: Value, from: GroupValue, to: GroupValue): Value {
  if (!field.multiple) return to ?? undefined
  if (!Array.isArray(value)) return to === null ? undefined : [String(to)]
  const moved = value.flatMap((one: string) => (one !== from ? one : to === null ? [] : String(to)))
  return moved.length === 0 ? undefined : [...new Set(moved)]
}

/** The columns with pending moves applied. */
function withMoves(edits: Edits, columns: readonly BoardColumn[], group: Field): readonly BoardColumn[] {
  const valuesIn = (row: Row) => valuesOf(row.data[group.key])
  const latestOf = (row: Row) => movedRow(edits, row, [group])
  const moved = new Map<string, { readonly row: Row; readonly from: number }>()
  for (const [from, { records }] of columns.entries())
    for (const before of records) {
      const row = latestOf(before)
      if (valuesIn(row).join() !== valuesIn(before).join()) moved.set(row.id, { row, from })
    }
  return columns.map((column, index) => {
    const isIn = (row: Row) => valuesIn(row).includes(column.value)
    const known = new Set(column.records.map(({ id }) => id))
    const added = [...moved.values()].filter(({ row }) => isIn(row) && !known.has(row.id))
    const records = [
      ...added.filter(({ from }) => from < index).map(({ row }) => row),
      ...column.records.map(latestOf).filter(isIn),
      ...added.filter(({ from }) => from > index).map(({ row }) => row),
    ]
    return { ...column, records, total: column.total + records.length - column.records.length }
  })
}

const cardsOf = (column: Element | null | undefined) => [
  ...(column?.querySelectorAll<HTMLElement>('a.card') ?? []),
]

/** Arrow keys move the focus between cards; with Ctrl they move the card to the adjacent column. */
function onKey(
  event: TargetedKeyboardEvent<HTMLElement>,
  columns: readonly BoardColumn[],
  move: (row: Row, from: BoardColumn, to: BoardColumn) => void,
): void {
  if (event.key === 'z' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault()
    void undoStack.undo()
    return
  }
  const card = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('a.card') : null
  const column = card?.closest<HTMLElement>('[data-drop]')
  const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
  const along = { ArrowUp: -1, ArrowDown: 1 }[event.key]
  if (!card || !column || (across === undefined && along === undefined)) return
  event.preventDefault()
  const index = Number(column.dataset.drop)
  const position = cardsOf(column).indexOf(card)
  if (along !== undefined) {
    cardsOf(column)[position + along]?.focus()
    return
  }
  const step = across ?? 0
  if (!event.ctrlKey && !event.metaKey) {
    for (let other = index + step; columns[other]; other += step) {
      const cards = cardsOf(column.parentElement?.querySelector(`:scope > [data-drop="${other}"]`) ?? null)
      if (cards.length === 0) continue
      cards[Math.min(position, cards.length - 1)]?.focus()
      return
    }
    return
  }
  const from = columns[index]
  const row = from?.records[position]
  const to = columns[index + step]
  if (from && row && to) move(row, from, to)
}

interface CardProps {
  readonly structure: Structure
  readonly row: Row
  /** Whether other columns may show the row as well. */
  readonly isRepeated: boolean
  readonly fields: readonly Field[]
  readonly onDrop: ((target: string) => void) | undefined
}

const MAX_VALUES = 5

/** A row as a card: its label and first values. */
export function Card({ structure, row, isRepeated, fields, onDrop }: CardProps) {
  const label = rowLabel(structure, row)
  const values = fields.filter(({ key }) => row.data[key] !== undefined && String(row.data[key]) !== label)
  return (
    <a
      ref={useFocusAfterMove(row.id)}
      class="card"
      id={isRepeated ? undefined : `card-${row.id}`}
      href={rowAddress(row.id)}
      draggable={false}
      onPointerDown={(event) => onDrop && startDrag(event, onDrop)}
    >
      <b>{label}</b>
      {values.length > 0 && (
        <span class="values">
          {values.slice(0, MAX_VALUES).map((field) => (
            <span key={field.key} title={field.label}>
              {field.type === 'select'
                ? valuesOf(row.data[field.key]).map((value) => (
                    <ChoiceChip key={String(value)} field={field} value={String(value)} />
                  ))
                : [
                    field.type !== 'text' && <small key="label">{field.label} </small>,
                    valueText(field, row.data[field.key]),
                  ]}
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
  readonly group: Field | undefined
  readonly column: BoardColumn
  readonly onMore: (() => void) | undefined
}

/** Shows more cards of a column; at the limit, links to the column's rows as a table. */
function More({ structure, rowQuery, group, column, onMore }: MoreProps) {
  const more = `${formatNumber(column.total - column.records.length)} more`
  if (onMore)
    return (
      <Button kind="quiet" aria-label={`${more} in ${valueLabel(group, column.value)}`} onClick={onMore}>
        {more}
      </Button>
    )
  const conditions = group ? groupConditions({ field: group, period: undefined }, column.value) : []
  return (
    <a
      class="button quiet"
      href={address(['records', structure.id], {
        filter: JSON.stringify([...rowQuery.filter, ...conditions]),
        sort: rowQuery.sort,
        direction: rowQuery.direction,
      })}
    >
      {more} in the table
    </a>
  )
}
