import { QueryError } from '../../../components/pane.tsx'
import { api } from '../../../data/api.ts'
import type { Structure } from '../../../data/records/model.ts'
import { useQuery } from '../../../data/use-query.ts'
import { search, setParameters } from '../../../router.ts'
import { currentRowQuery } from '../view.ts'
import { Bars } from './bars.tsx'
import { type Bucket, bars, type Grouping, groupingsOf, wholeOf } from './buckets.ts'

const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
const PERIODS = new Set(['day', 'week', 'month', 'year'])

/** A chart of the filtered rows: the sum of a field or the number of rows, over time or by value. */
export function ChartStrip({ structure }: { structure: Structure }) {
  const numbers = structure.fields.filter(({ type }) => type === 'number')
  const field = numbers.find(({ key }) => key === search.value.get('chart'))
  const groupings = groupingsOf(structure)
  const grouping = groupings.find(({ name }) => name === search.value.get('by')) ?? groupings[0]
  const rowQuery = currentRowQuery(structure)
  const { data, error } = useQuery(
    ['record', 'summary', structure.id, rowQuery.filter, field?.key, grouping?.name],
    async ({ signal }) => {
      const { buckets } = await api.get('/v1/records/summary', {
        query: summaryQuery(structure.id, rowQuery.filter, field?.key, grouping),
        signal,
      })
      return buckets as readonly Bucket[]
    },
  )
  if (!grouping) return null
  const whole = data && wholeOf(data, field !== undefined)
  return (
    <figure class="strip">
      <figcaption>
        <label class="visually-hidden" for="chart-what">
          Chart value
        </label>
        <select
          id="chart-what"
          class="input bare"
          value={field?.key ?? 'count'}
          onChange={({ currentTarget }) => setParameters({ chart: currentTarget.value })}
        >
          <option value="count">Number of rows</option>
          {numbers.map(({ key, label }) => (
            <option key={key} value={key}>
              Sum of {label}
            </option>
          ))}
        </select>
        <p class="big">
          {whole === undefined ? 'Counting…' : `${NUMBER.format(whole.value)} ${field?.unit ?? ''}`}
        </p>
        <label class="visually-hidden" for="chart-by">
          Chart grouping
        </label>
        <select
          id="chart-by"
          class="input bare"
          value={grouping.name}
          onChange={({ currentTarget }) => setParameters({ by: currentTarget.value })}
        >
          {groupings.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </figcaption>
      {error ? (
        <QueryError error={error} />
      ) : (
        data && (
          <Bars
            all={bars(data, field !== undefined)}
            isSum={field !== undefined}
            grouping={grouping}
            field={structure.fields.find(({ key }) => key === grouping.key)}
          />
        )
      )}
    </figure>
  )
}

function summaryQuery(
  structure: string,
  filter: readonly unknown[],
  field: string | undefined,
  grouping: Grouping | undefined,
) {
  return {
    structure,
    ...(filter.length > 0 && { filter: JSON.stringify(filter) }),
    ...(field !== undefined && { field }),
    ...(grouping && PERIODS.has(grouping.kind)
      ? { period: grouping.kind as 'day', date: grouping.key, tz: timeZone() }
      : grouping && { by: grouping.key }),
  }
}

const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone
