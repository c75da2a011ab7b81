import type { IntegrityCheck } from '../db/integrity.ts'

const ORPHANED_EVENTS =
  'source_events WHERE NOT EXISTS (SELECT 1 FROM sources s WHERE s.pk = source_events.source)'
const ORPHANED_SEALED =
  'source_sealed WHERE NOT EXISTS (SELECT 1 FROM source_events e WHERE e.pk = source_sealed.event)'

/** Every event has a source, and what is sealed has an event. */
export const sourceCheck: IntegrityCheck = {
  *faults({ sql }) {
    const events = sql.scalar<number>(`SELECT count(*) FROM ${ORPHANED_EVENTS}`)
    if (events > 0) yield `${events} events of sources are left without their source.`
    const sealed = sql.scalar<number>(`SELECT count(*) FROM ${ORPHANED_SEALED}`)
    if (sealed > 0) yield `${sealed} sealed calls are left without their event.`
  },
  repair: ({ sql }) => {
    sql.run(`DELETE FROM ${ORPHANED_EVENTS}`)
    sql.run(`DELETE FROM ${ORPHANED_SEALED}`)
  },
}
