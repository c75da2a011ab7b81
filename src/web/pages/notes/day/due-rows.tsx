import { recordLabel } from '../../../../lib/record-label.ts'
import { recordAddress } from '../../../data/addresses.ts'
import { api } from '../../../data/api.ts'
import { formatNumber } from '../../../data/formats.ts'
import type { Structure } from '../../../data/records/model.ts'
import { useQuery } from '../../../data/use-query.ts'

/** Limits of searched date fields and of rows shown per field. */
const MAX_FIELDS = 20
const MAX_ROWS = 10

interface Due {
  readonly structure: Structure
  readonly field: string
  readonly rows: readonly { readonly id: string; readonly label: string }[]
  readonly total: number
}

const isDate = ({ type, hidden }: Structure['fields'][number]): boolean =>
  (type === 'date' || type === 'datetime') && hidden !== true

async function readDue(day: string, signal: AbortSignal): Promise<Due[]> {
  const { structures } = await api.get('/v1/records/structures', { signal })
  const dated = structures
    .flatMap((structure) => structure.fields.filter(isDate).map((field) => ({ structure, field })))
    .slice(0, MAX_FIELDS)
  const found = await Promise.all(
    dated.map(async ({ structure, field }) => {
      const filter = JSON.stringify([{ field: field.key, op: 'eq', value: day }])
      const { records, total } = await api.get('/v1/records', {
        query: { structure: structure.id, filter, limit: MAX_ROWS },
        signal,
      })
      const rows = records.map((row) => ({ id: row.id, label: recordLabel(structure, row) }))
      return { structure, field: field.label ?? field.key, rows, total }
    }),
  )
  return found.filter(({ total }) => total > 0)
}

/** Rows with a date field on this day, from all tables. */
export function DueRows({ day }: { day: string }) {
  const { data } = useQuery(['record structure', 'due', day], ({ signal }) => readDue(day, signal))
  if (!data || data.length === 0) return null
  return (
    <section class="due" aria-labelledby="due-h">
      <h3 id="due-h">From your tables</h3>
      <ul class="plain">
        {data.flatMap(({ structure, field, rows, total }) => [
          ...rows.map(({ id, label }) => (
            <li key={`${field} ${id}`}>
              <a href={recordAddress(structure.id, id)}>{label}</a>
              <small>
                {structure.name}, {field}
              </small>
            </li>
          )),
          total > rows.length && (
            <li key={`${structure.id} ${field} more`}>
              <small>
                and {formatNumber(total - rows.length)} more in {structure.name}
              </small>
            </li>
          ),
        ])}
      </ul>
    </section>
  )
}
