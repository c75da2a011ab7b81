import { api } from '../../../data/api.ts'
import { useQuery } from '../../../data/cache.ts'
import type { Condition } from '../conditions.ts'
import { type Field, queryOf, type RowQuery } from '../model.ts'
import { conditions, setConditions } from '../view.ts'
import { type BoardColumn, wordOf } from './columns.ts'

const NUMBER = new Intl.NumberFormat()

/** The groups of a table, each with the number of its rows; a click shows the rows of one alone, another all again. */
export function Groups({ rowQuery, field }: { rowQuery: RowQuery; field: Field }) {
  const isOfGroup = (condition: Condition) =>
    condition.field === field.key && (condition.op === 'eq' || condition.op === 'is_empty')
  const others = rowQuery.filter.filter((condition) => !isOfGroup(condition))
  const query = { ...queryOf({ ...rowQuery, filter: others }), group_by: field.key, limit: 1 }
  const { data } = useQuery(
    ['record', 'groups', JSON.stringify(query)],
    async ({ signal }) =>
      (await api.get('/v1/records/board', { query, signal })) as { columns: readonly BoardColumn[] },
    { placeholderData: (before) => before },
  )
  const chosen = conditions().find(isOfGroup)
  const choose = (value: BoardColumn['value'], isChosen: boolean) => {
    const kept = conditions().filter((condition) => !isOfGroup(condition))
    const own = value === null ? { field: field.key, op: 'is_empty' } : { field: field.key, op: 'eq', value }
    setConditions(isChosen ? kept : [...kept, own])
  }
  return (
    <fieldset class="tools" aria-label={`Groups by ${field.label}`}>
      {data?.columns.map(({ value, total }, at) => {
        const isChosen = chosen !== undefined && (chosen.value ?? null) === value
        return (
          <button
            key={String(value)}
            type="button"
            class={`button quiet ${value === null ? '' : `hue-${at % 10}`}`}
            aria-pressed={isChosen}
            onClick={() => choose(value, isChosen)}
          >
            <span class="choice-chip">{wordOf(value)}</span> {NUMBER.format(total)}
          </button>
        )
      })}
    </fieldset>
  )
}
