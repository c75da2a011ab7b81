import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { lazy } from '../../../components/lazy.tsx'
import { Loading, Pane, QueryError } from '../../../components/pane.tsx'
import { api } from '../../../data/api.ts'
import { type Row, rowLabel } from '../../../data/records/model.ts'
import { useRowRights } from '../../../data/records/row-rights.ts'
import { Refused } from '../../../data/request.ts'
import { useQuery } from '../../../data/use-query.ts'
import { navigate, search } from '../../../router.ts'
import { deleteRow, restoreRow } from '../actions.ts'
import type { GridState } from '../grid/state.ts'
import { openRow, rowAddress } from '../view.ts'
import { RowFields } from './fields.tsx'
import { RowHistory } from './history.tsx'
import { UsedBy } from './used-by.tsx'

const Comments = lazy(async () => (await import('../../comments/comments.tsx')).Comments)

const TABS = [
  { name: 'fields', title: 'Fields' },
  { name: 'comments', title: 'Comments' },
  { name: 'history', title: 'History' },
  { name: 'used', title: 'Used by' },
] as const

/** A row: its fields, its history and the rows that refer to it. */
export function RowPane({ id, grid }: { id: string; grid: GridState }) {
  const { data, error } = useQuery<Row>(['record', 'row', id], async ({ signal }) => {
    const { record } = await api.get('/v1/records/{id}', { params: { id }, signal })
    return record as Row
  })
  const rights = useRowRights(grid.structure.id)
  const tab = search.value.get('tab') ?? 'fields'
  const isGone = error instanceof Refused && error.status === 404
  const row = isGone ? undefined : latest(grid.source.find(id), data)
  return (
    <Pane kind="side" label="Row">
      <header class="bar">
        <a class="button quiet icon-only narrow" href={rowAddress(undefined)} aria-label="Back to the table">
          <Icon name="back" />
        </a>
        <h2 class="cut">{row ? rowLabel(grid.structure, row) : 'Row'}</h2>
        <span class="grow" />
        {row && rights.mayWrite && <DeleteButton row={row} grid={grid} />}
        <a class="button quiet icon-only desk" href={rowAddress(undefined)} aria-label="Close row">
          <Icon name="x" />
        </a>
      </header>
      <nav class="tabs" aria-label="Row">
        {TABS.map(({ name, title }) => (
          <a key={name} href={rowAddress(id, name)} aria-current={tab === name ? 'true' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {error && !isGone && <QueryError error={error} />}
      {isGone && tab !== 'history' && <DeletedRow id={id} grid={grid} />}
      {!row && !error && <Loading />}
      {row && tab === 'fields' && <RowFields row={row} grid={grid} />}
      {tab === 'history' && <RowHistory id={id} grid={grid} row={row} />}
      {row && tab === 'comments' && <Comments key={id} of={{ record_id: id }} />}
      {row && tab === 'used' && <UsedBy row={row} structure={grid.structure} />}
    </Pane>
  )
}

/** The later version: grid and pane fetch independently. */
function latest(inGrid: Row | undefined, inPane: Row | undefined): Row | undefined {
  if (!inGrid || !inPane) return inPane ?? inGrid
  return inGrid.updated_at > inPane.updated_at ? inGrid : inPane
}

function DeleteButton({ row, grid }: { row: Row; grid: GridState }) {
  const remove = useAction(async () => {
    await deleteRow(row)
    grid.source.refreshNow()
    // The user may have opened another row.
    if (openRow() === row.id) navigate(rowAddress(undefined))
  })
  return (
    <>
      <Button kind="quiet" disabled={remove.isRunning.value} onClick={() => void remove.run()}>
        Delete
      </Button>
      {remove.refusal.value !== undefined && <ErrorText>{remove.refusal.value}</ErrorText>}
    </>
  )
}

function DeletedRow({ id, grid }: { id: string; grid: GridState }) {
  const rights = useRowRights(grid.structure.id)
  const restore = useAction(async () => {
    await restoreRow(id)
    grid.source.refreshNow()
  })
  return (
    <div class="section stack">
      <p>This row was deleted.</p>
      {restore.refusal.value !== undefined && <ErrorText>{restore.refusal.value}</ErrorText>}
      {rights.mayWrite && (
        <p class="actions">
          <Button onClick={() => void restore.run()}>Restore</Button>
        </p>
      )}
    </div>
  )
}
