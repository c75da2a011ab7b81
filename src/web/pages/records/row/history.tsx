import { useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { Loading, QueryError } from '../../../components/pane.tsx'
import { Time } from '../../../components/time.tsx'
import { type Answer, api } from '../../../data/api.ts'
import { valueText } from '../../../data/records/labels.ts'
import type { Field, Row, Value } from '../../../data/records/model.ts'
import { useRowRights } from '../../../data/records/row-rights.ts'
import { showValue } from '../../../data/records/values.ts'
import { useQuery } from '../../../data/use-query.ts'
import type { GridState } from '../grid/state.ts'

type History = Answer<'/v1/records/{id}/history', 'get'>
type Version = History['versions'][number]

const PAGE = 100

interface RowHistoryProps {
  readonly id: string
  readonly grid: GridState
  /** The current row; undefined if it was deleted, and then no version can be restored. */
  readonly row: Row | undefined
}

/** The changes of a row, newest first, with a button to restore each version. */
export function RowHistory({ id, grid, row }: RowHistoryProps) {
  const rights = useRowRights(grid.structure.id)
  const [pages, setPages] = useState(1)
  const { data, error, isFetching } = useQuery<History>(
    ['record', 'history', id, pages],
    ({ signal }) => readPages(id, pages, signal),
    { placeholderData: (previous) => previous },
  )
  if (error) return <QueryError error={error} />
  if (!data) return <Loading />
  const [newest] = data.versions
  const values = valuesAfter(data.versions, row)
  return (
    <>
      <ol class="ledger">
        {data.versions.map((version, index) => (
          <li key={version.cursor}>
            <Time at={version.at} />
            <div class="item">
              <Author version={version} />
              <ChangedValues version={version} grid={grid} after={values[index] ?? NO_VALUES} />
              {row && version !== newest && version.op !== 'deleted' && rights.mayWrite && (
                <RestoreVersion id={id} grid={grid} to={version.cursor} />
              )}
            </div>
          </li>
        ))}
      </ol>
      {data.has_more ? (
        <p class="list-end">
          <Button disabled={isFetching} onClick={() => setPages(pages + 1)}>
            Show older
          </Button>
        </p>
      ) : (
        <p class="list-end">
          {data.versions.at(-1)?.op === 'created'
            ? 'This is the complete history.'
            : 'Older changes are no longer stored.'}
        </p>
      )}
    </>
  )
}

/** Reads all displayed pages together, so that a concurrent change leaves no gap between pages. */
async function readPages(id: string, pages: number, signal: AbortSignal): Promise<History> {
  const versions: Version[] = []
  for (let page = 1; ; page++) {
    const before = versions.at(-1)?.cursor
    const query = { limit: PAGE, ...(before !== undefined && { before }) }
    const found = await api.get('/v1/records/{id}/history', { params: { id }, query, signal })
    versions.push(...found.versions)
    if (!found.has_more || page === pages) return { versions, has_more: found.has_more }
  }
}

const KINDS: Readonly<Record<string, string>> = { mcp: 'MCP', api: 'key' }

function Author({ version: { actor } }: { version: Version }) {
  const kind = KINDS[actor.surface]
  return (
    <span class="item-title">
      {actor.name ?? 'daybook'} {kind && <span class="kind">{kind}</span>}
    </span>
  )
}

type Values = ReadonlyMap<string, Value>

const NO_VALUES: Values = new Map()

/** The values of the changed keys after each version: the value the next change replaced, else the current one. */
function valuesAfter(versions: readonly Version[], now: Row | undefined): readonly Values[] {
  const replaced = new Map<string, Value>()
  return versions.map(({ changed, previous }) => {
    const after = new Map(
      changed.map((key) => [key, replaced.has(key) ? replaced.get(key) : now?.data[key]] as const),
    )
    for (const [key, value] of Object.entries(previous)) replaced.set(key, (value ?? undefined) as Value)
    return after
  })
}

const OP_LABELS: Readonly<Record<string, string>> = {
  created: 'Created',
  deleted: 'Deleted',
  restored: 'Restored',
  purged: 'Permanently deleted',
}

interface ChangedValuesProps {
  readonly version: Version
  readonly grid: GridState
  readonly after: Values
}

function ChangedValues({ version, grid, after }: ChangedValuesProps) {
  const label = OP_LABELS[version.op]
  if (label) return <p>{label}</p>
  return (
    <>
      {version.changed.map((key) => {
        const field = grid.structure.fields.find((known) => known.key === key)
        const before = version.previous[key] as Value | null
        return (
          <p key={key}>
            {field?.label ?? key} <span class="was">{shownValue(field, before ?? undefined)}</span>
            <span class="arrow">→</span>
            {shownValue(field, after.get(key))}
          </p>
        )
      })}
    </>
  )
}

/** Removed fields have no type any more. */
const shownValue = (field: Field | undefined, value: Value): string =>
  field ? valueText(field, value) : value === undefined ? 'no value' : showValue({ type: 'text' }, value)

function RestoreVersion({ id, grid, to }: { id: string; grid: GridState; to: string }) {
  const revert = useAction(async () => {
    const { record } = await api.post('/v1/records/{id}/revert', { params: { id }, body: { to } })
    grid.source.replace(record as Row)
  })
  return (
    <>
      <p class="actions">
        <Button disabled={revert.isRunning.value} onClick={() => void revert.run()}>
          Restore this version
        </Button>
      </p>
      {revert.refusal.value !== undefined && <ErrorText>{revert.refusal.value}</ErrorText>}
    </>
  )
}
