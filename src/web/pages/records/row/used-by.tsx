import { Loading, QueryError } from '../../../components/pane.tsx'
import { Time } from '../../../components/time.tsx'
import { recordAddress } from '../../../data/addresses.ts'
import { api } from '../../../data/api.ts'
import { type Field, type Row, rowLabel, type Structure } from '../../../data/records/model.ts'
import { useStructures } from '../../../data/records/structures.ts'
import { useQuery } from '../../../data/use-query.ts'
import { address } from '../../../router.ts'

const MAX_SHOWN = 20

/** The rows that refer to a row, by structure and field. */
export function UsedBy({ row, structure }: { row: Row; structure: Structure }) {
  const { data } = useStructures()
  const from = (data ?? []).flatMap((source) =>
    source.fields
      .filter(({ type, structure: to }) => type === 'record' && (to === null || to === structure.id))
      .map((field) => ({ source, field })),
  )
  if (!data) return <Loading />
  if (from.length === 0) return <p class="list-end">No table has a field that refers to {structure.name}.</p>
  return (
    <>
      {from.map(({ source, field }) => (
        <References key={`${source.id} ${field.key}`} id={row.id} structure={source} field={field} />
      ))}
    </>
  )
}

function References({ id, structure, field }: { id: string; structure: Structure; field: Field }) {
  const condition = { field: field.key, op: 'eq', value: id }
  const { data, error } = useQuery(['record', 'used-by', structure.id, field.key, id], ({ signal }) => {
    const query = { structure: structure.id, filter: JSON.stringify([condition]), limit: MAX_SHOWN }
    return api.get('/v1/records', { query, signal })
  })
  const all = address(['records', structure.id], { filter: JSON.stringify([condition]) })
  return (
    <section aria-label={`${structure.name}, ${field.label}`}>
      <p class="list-end">
        {structure.name}, {field.label}: {data ? <a href={all}>{data.total} rows</a> : 'Counting…'}
      </p>
      {error && <QueryError error={error} />}
      <ul class="ledger">
        {(data?.records as Row[] | undefined)?.map((row) => (
          <li key={row.id}>
            <Time at={row.updated_at} />
            <a class="item" href={recordAddress(structure.id, row.id)}>
              <span class="item-title">{rowLabel(structure, row)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
