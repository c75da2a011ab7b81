import { useRef, useState } from 'preact/hooks'
import { Button, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { lazy } from '../../../components/lazy.tsx'
import { formatNumber } from '../../../data/formats.ts'
import { queryOf, type Structure } from '../../../data/records/model.ts'
import { useRowRights } from '../../../data/records/row-rights.ts'
import type { RowList } from '../../../data/records/rows.ts'
import { address } from '../../../router.ts'
import { paneAddress } from '../view.ts'
import { exportCsv } from './export.ts'

/** The menu of a table: import, export, offline copy, deleted rows and fields. */
export function RowsMenu({ structure, source }: { structure: Structure; source: RowList }) {
  const rights = useRowRights(structure.id)
  const [read, setRead] = useState<number>()
  const abort = useRef<AbortController>(undefined)
  const run = useAction(async () => {
    abort.current = new AbortController()
    await exportCsv(structure, source.rowQuery, abort.current.signal, (count) => setRead(count))
  })
  const total = source.total.value
  const close = () => document.getElementById('io')?.hidePopover()
  return (
    <>
      {run.isRunning.value && (
        <span role="status" class="dim desk">
          {formatNumber(read ?? 0)} rows exported{' '}
          <Button kind="quiet" onClick={() => abort.current?.abort()}>
            Stop
          </Button>
        </span>
      )}
      {run.refusal.value !== undefined && !abort.current?.signal.aborted && (
        <span class="why" role="alert">
          {run.refusal.value}
        </span>
      )}
      <button type="button" class="button quiet desk" popovertarget="io">
        More
        <Icon name="down" />
      </button>
      <button
        type="button"
        class="button quiet icon-only phone"
        popovertarget="io"
        aria-label="Import, export, deleted rows, fields"
      >
        <Icon name="more" />
      </button>
      <div popover="auto" id="io" class="menu">
        {rights.mayAdd && (
          <a href={paneAddress('import')} onClick={close}>
            Import CSV…
          </a>
        )}
        <button
          type="button"
          onClick={() => {
            close()
            void run.run()
          }}
        >
          Export {total === undefined ? 'these' : `these ${formatNumber(total)}`} rows as CSV
        </button>
        {isSecureContext && (
          <button
            type="button"
            onClick={() => {
              close()
              void navigator.clipboard.writeText(curlOf(source))
            }}
          >
            Copy as cURL
          </button>
        )}
        <KeepOffline structure={structure} onChosen={close} />
        <a href={paneAddress('deleted')} onClick={close}>
          Deleted rows
        </a>
        <a href={address(['records', structure.id, 'structure'])} onClick={close}>
          Fields
        </a>
      </div>
    </>
  )
}

const KeepOffline = lazy(async () => (await import('../keep-offline.tsx')).KeepOffline)

/** A curl command that reads these rows, with a placeholder for the key. */
function curlOf({ rowQuery }: RowList): string {
  const query = Object.entries(queryOf(rowQuery)).map(
    ([name, value]) => ` \\\n  --data-urlencode '${`${name}=${value}`.replaceAll("'", `'\\''`)}'`,
  )
  return `curl -G '${location.origin}/v1/records' -H "Authorization: Bearer $KEY"${query.join('')}`
}
