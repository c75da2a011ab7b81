import { useState } from 'preact/hooks'
import { recordLabel } from '../../../lib/record-label.ts'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Empty, Loading, Pane, QueryError } from '../../components/pane.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { formatNumber } from '../../data/formats.ts'
import type { Row, Structure } from '../../data/records/model.ts'
import { useRowRights } from '../../data/records/row-rights.ts'
import type { RowList } from '../../data/records/rows.ts'
import { useQuery } from '../../data/use-query.ts'
import { restoreRow } from './actions.ts'
import { paneAddress, rowAddress } from './view.ts'

const PAGE = 50

interface DeletedRowsPaneProps {
  readonly structure: Structure
  readonly source: RowList
}

/** Deleted rows, latest first; each can be restored. */
export function DeletedRowsPane({ structure, source }: DeletedRowsPaneProps) {
  return (
    <Pane kind="side" label="Deleted rows">
      <header class="bar">
        <h2>Deleted rows</h2>
        <span class="grow" />
        <a class="button quiet icon-only" href={paneAddress(undefined)} aria-label="Close deleted rows">
          <Icon name="x" />
        </a>
      </header>
      <DeletedRows structure={structure} source={source} />
    </Pane>
  )
}

function DeletedRows({ structure, source }: DeletedRowsPaneProps) {
  const [offset, setOffset] = useState(0)
  const { data, error } = useQuery(['record', 'deleted', structure.id, offset], ({ signal }) =>
    api.get('/v1/records', {
      query: { structure: structure.id, deleted: true, limit: PAGE, offset },
      signal,
    }),
  )
  if (error) return <QueryError error={error} />
  if (!data) return <Loading />
  if (data.total === 0)
    return <Empty>No deleted rows. Rows you delete appear here and can be restored.</Empty>
  const rows = data.records as readonly Row[]
  return (
    <>
      <p class="list-end" role="status">
        {`${formatNumber(offset + 1)} to ${formatNumber(offset + rows.length)} of ${formatNumber(data.total)}`}
      </p>
      <ol class="ledger">
        {rows.map((row) => (
          <DeletedRow key={row.id} row={row} structure={structure} source={source} />
        ))}
      </ol>
      {data.total > PAGE && (
        <p class="actions list-end">
          <Button disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
            Newer
          </Button>
          <Button disabled={!data.has_more} onClick={() => setOffset(offset + PAGE)}>
            Older
          </Button>
        </p>
      )}
    </>
  )
}

function DeletedRow({ row, structure, source }: DeletedRowsPaneProps & { row: Row }) {
  const { run, isRunning, refusal } = useAction(async () => {
    await restoreRow(row.id)
    source.refreshNow()
  })
  const rights = useRowRights(structure.id)
  const label = recordLabel(structure, row)
  return (
    <li>
      <Time at={row.deleted_at ?? row.updated_at} />
      <div class="item">
        <a class="item-title" href={rowAddress(row.id)}>
          {label}
        </a>
        {rights.mayWrite && (
          <Button disabled={isRunning.value} onClick={() => void run()}>
            Restore<span class="visually-hidden"> {label}</span>
          </Button>
        )}
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      </div>
    </li>
  )
}
