import { keysOf } from '../../kernel/jobs.ts'
import { counted } from '../../lib/text.ts'
import type { IntegrityCheck } from '../../storage/integrity.ts'
import { sourceDetachment } from './deletion.ts'

const ORPHANED_EVENTS = `source_events WHERE source NOT IN (SELECT pk FROM sources)
  AND source NOT IN (${keysOf(sourceDetachment)})`
const ORPHANED_SEALED =
  'source_sealed WHERE NOT EXISTS (SELECT 1 FROM source_events e WHERE e.pk = source_sealed.event)'

const KEPT = '(SELECT total(kept) FROM source_events e WHERE e.source = sources.pk)'

/** Every event has a source, every sealed call has an event, and the stored bytes of a source match its account. */
export const sourceCheck: IntegrityCheck = {
  *faults({ sql }) {
    const events = sql.scalar<number>(`SELECT count(*) FROM ${ORPHANED_EVENTS}`)
    if (events > 0) yield `${counted(events, 'event')} of sources ${events === 1 ? 'has' : 'have'} no source.`
    const sealed = sql.scalar<number>(`SELECT count(*) FROM ${ORPHANED_SEALED}`)
    if (sealed > 0) yield `${sealed} sealed calls are left without their event.`
    const miscounted = sql.scalar<number>(`SELECT count(*) FROM sources WHERE kept_bytes <> ${KEPT}`)
    if (miscounted > 0)
      yield `The bytes that ${counted(miscounted, 'source keeps', 'sources keep')} are miscounted.`
  },
  repair: ({ sql }) => {
    sql.run(`DELETE FROM ${ORPHANED_EVENTS}`)
    sql.run(`DELETE FROM ${ORPHANED_SEALED}`)
    sql.run(`UPDATE sources SET kept_bytes = ${KEPT} WHERE kept_bytes <> ${KEPT}`)
  },
}
