import { useState } from 'preact/hooks'
import { Button, useAction, Why } from '../../../components/form.tsx'
import { Failed, Loading } from '../../../components/pane.tsx'
import { Time } from '../../../components/time.tsx'
import { type Answer, api } from '../../../data/api.ts'
import { useQuery } from '../../../data/cache.ts'
import { mayWrite } from '../../../data/session.ts'
import type { GridState } from '../grid/state.ts'
import type { Field, Row, Value } from '../model.ts'
import { showValue } from '../values.ts'

type History = Answer<'/v1/records/{id}/history', 'get'>
type Version = History['versions'][number]

const PAGE = 50

interface RowHistoryProps {
  readonly id: string
  readonly grid: GridState
  /** The row as it is now, unless it was deleted; then it is restored before it is set back. */
  readonly row: Row | undefined
}

/** Who changed what in a row, newest first, with the way back to each version. */
export function RowHistory({ id, grid, row }: RowHistoryProps) {
  const [limit, setLimit] = useState(PAGE)
  const { data, error } = useQuery<History>(['record', 'history', id, limit], ({ signal }) =>
    api.get('/v1/records/{id}/history', { params: { id }, query: { limit: Math.min(200, limit) }, signal }),
  )
  if (error) return <Failed error={error} />
  if (!data) return <Loading />
  const [newest] = data.versions
  return (
    <>
      <ol class="ledger">
        {data.versions.map((version, place) => (
          <li key={version.cursor}>
            <Time at={version.at} />
            <div class="it">
              <Who version={version} />
              <What version={version} grid={grid} after={valuesAfter(data.versions, place)} now={row} />
              {row && version !== newest && version.op !== 'deleted' && mayWrite.value && (
                <GoBack id={id} grid={grid} to={version.cursor} />
              )}
            </div>
          </li>
        ))}
      </ol>
      {data.has_more ? (
        <p class="list-end">
          {limit < 200 ? (
            <Button onClick={() => setLimit(200)}>Show older</Button>
          ) : (
            'Older changes are in Changes.'
          )}
        </p>
      ) : (
        <p class="list-end">That is the whole history.</p>
      )}
    </>
  )
}

const KINDS: Readonly<Record<string, string>> = { mcp: 'MCP', api: 'key' }

function Who({ version: { actor } }: { version: Version }) {
  const kind = KINDS[actor.surface]
  return (
    <span class="t">
      {actor.name ?? 'daybook'} {kind && <span class="kind">{kind}</span>}
    </span>
  )
}

/** What each key held after a version: what the next change of it replaced, else what the row holds now. */
function valuesAfter(versions: readonly Version[], place: number): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>()
  for (const { previous } of versions.slice(0, place).reverse())
    for (const [key, value] of Object.entries(previous))
      if (!values.has(key)) values.set(key, (value ?? undefined) as Value)
  return values
}

const WORDS: Readonly<Record<string, string>> = {
  created: 'Created',
  deleted: 'Deleted',
  restored: 'Put back',
  purged: 'Removed for good',
}

interface WhatProps {
  readonly version: Version
  readonly grid: GridState
  readonly after: ReadonlyMap<string, Value>
  readonly now: Row | undefined
}

function What({ version, grid, after, now }: WhatProps) {
  const word = WORDS[version.op]
  if (word) return <p>{word}</p>
  return (
    <>
      {version.changed.map((key) => {
        const field = grid.structure.fields.find((one) => one.key === key)
        const before = version.previous[key] as Value | null
        const next = after.has(key) ? after.get(key) : now?.data[key]
        return (
          <p key={key}>
            {field?.label ?? key} <span class="was">{shown(field, before ?? undefined)}</span>
            <span class="to">→</span>
            {shown(field, next)}
          </p>
        )
      })}
    </>
  )
}

const shown = (field: Field | undefined, value: Value): string =>
  value === undefined ? 'no value' : showValue(field ?? { type: 'text' }, value)

function GoBack({ id, grid, to }: { id: string; grid: GridState; to: string }) {
  const revert = useAction(async () => {
    const { record } = await api.post('/v1/records/{id}/revert', { params: { id }, body: { to } })
    grid.source.replace(record as Row)
  })
  return (
    <>
      <p class="row-b">
        <Button disabled={revert.isRunning.value} onClick={() => void revert.run()}>
          Go back to here
        </Button>
      </p>
      {revert.refusal.value !== undefined && <Why>{revert.refusal.value}</Why>}
    </>
  )
}
