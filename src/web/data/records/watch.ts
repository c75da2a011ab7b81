import { navigate } from '../../router.ts'
import { onChange, onMissed } from '../live.ts'
import { queryOf, type RowPage } from './model.ts'
import { BLOCK, type RowList, RowSource } from './rows.ts'

/** Concurrent single-row reads. A single row is faster than its block, which is reloaded anyway. */
const MAX_SINGLE_READS = 4

/**
 * Keeps the rows of a source current until the returned function is called: a watch updates the first block, the change
 * feed everything else. A hidden page closes its watch, because browsers limit the connections per server.
 */
export function follow(source: RowList): () => void {
  let reading = 0
  let stream: EventSource | undefined
  const stopChanges = onChange(({ kind, op, id, structure_id }) => {
    if (kind !== 'record' || structure_id !== source.rowQuery.structure) return
    if (op === 'updated' && reading < MAX_SINGLE_READS && source.isVisible(id)) {
      reading++
      void source.readRow(id).then(
        () => reading--,
        () => reading--,
      )
    }
    source.refresh()
  })
  const stopMissed = onMissed(() => {
    if (!stream && !document.hidden) open()
    source.refresh()
  })
  const open = () => {
    if (!(source instanceof RowSource)) return
    stream = new EventSource(`/v1/records/watch?${watchQuery(source)}`)
    stream.addEventListener('answer', (event) => {
      source.isWatched = true
      source.receive(JSON.parse(event.data) as RowPage)
    })
    stream.addEventListener('closed', (event) => {
      close()
      const { code } = JSON.parse(event.data) as { code: string }
      if (code === 'structure_deleted') navigate('/app/records', { replace: true })
    })
    stream.addEventListener('error', () => {
      source.isWatched = false
    })
  }
  const close = () => {
    stream?.close()
    stream = undefined
    if (source instanceof RowSource) source.isWatched = false
  }
  const onVisibility = () => {
    if (document.hidden) return close()
    if (stream) return
    open()
    source.refreshNow()
  }
  if (!document.hidden) open()
  document.addEventListener('visibilitychange', onVisibility)
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    stopChanges()
    stopMissed()
    close()
    source.close()
  }
}

const watchQuery = ({ rowQuery }: RowList): URLSearchParams =>
  new URLSearchParams({ ...queryOf(rowQuery), limit: String(BLOCK) })
