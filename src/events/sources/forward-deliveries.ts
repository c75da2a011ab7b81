import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../context.ts'
import { read, write } from '../../kernel/operation.ts'
import { pageRequest } from '../../lib/pagination.ts'
import { fail, notFound, refused } from '../../lib/refusal.ts'
import { notifyDispatcher } from '../../log/outbox.ts'
import type { Reader } from '../../storage/reader.ts'
import {
  type DeliveryPage,
  type DeliveryRow,
  findDelivery,
  listDeliveryRows,
  restartDelivery,
} from '../webhooks/deliveries.ts'
import type { DeliveriesQuery } from '../webhooks/schema.ts'
import { presentProgress } from '../webhooks/store.ts'
import { findCall, queueOf } from './forward-queue.ts'
import { getSource, mayWriteTo } from './service.ts'
import type { SourceRow } from './store.ts'

/* The deliveries of the events that a source passes on, as responses show them. */

const covers = 'structures'

interface Target {
  readonly pk: number
  readonly url: string
  readonly removedAt: number | null
}

/** The targets of a source, with those that were removed. */
const targetsOf = ({ sql }: Reader, { pk }: SourceRow): Target[] =>
  sql.all('SELECT pk, url, removed_at AS removedAt FROM source_targets WHERE source = ? ORDER BY pk', pk)

interface Found {
  readonly target: Target
  readonly row: DeliveryRow
}

/** Only callers who may write see URLs, which may hold credentials. */
const present = (caller: Caller, source: SourceRow, { target, row }: Found) => ({
  id: row.id,
  source_id: source.id,
  url: mayWriteTo(caller, source) ? target.url : null,
  event_id: row.eventId,
  event: row.event === '' ? null : row.event,
  record_id: row.recordId,
  ...presentProgress(row),
})

function getForwarded(reader: Reader, source: SourceRow, id: string): Found {
  for (const target of targetsOf(reader, source)) {
    const row = findDelivery(reader, queueOf(target.pk), id)
    if (row) return { target, row }
  }
  throw notFound('delivery')
}

/** Newest first. */
function listForwarded(reader: Reader, source: SourceRow, page: DeliveryPage): Found[] {
  if (page.before !== undefined) getForwarded(reader, source, page.before)
  return targetsOf(reader, source)
    .flatMap((target) => listDeliveryRows(reader, queueOf(target.pk), page).map((row) => ({ target, row })))
    .sort((one, other) => (one.row.id < other.row.id ? 1 : -1))
    .slice(0, page.limit)
}

type Page = { readonly id: string } & Static<typeof DeliveriesQuery>

export const readForwarded = read({
  name: 'sources.deliveries',
  covers,
  run: (snapshot, caller, { id, status, before, ...page }: Page) => {
    const source = getSource(snapshot, caller, id, 'read')
    const { limit } = pageRequest(page)
    const found = listForwarded(snapshot, source, { status, before, limit })
    return { deliveries: found.map((each) => present(caller, source, each)) }
  },
})

interface Named {
  readonly id: string
  readonly deliveryId: string
}

/** Passes a call on again at once, whatever its status; its attempts count from 0 again. */
export const redeliverForwarded = write({
  name: 'sources.redeliver',
  covers,
  run: (tx, caller, { id, deliveryId }: Named) => {
    const source = getSource(tx, caller, id, 'change')
    const { target, row } = getForwarded(tx, source, deliveryId)
    const queue = queueOf(target.pk)
    if (target.removedAt !== null) throw refused('The source no longer passes its events on to this URL.')
    findCall(tx, queue, row.eventId) ?? fail(refused('The call of this event is no longer kept.'))
    restartDelivery(tx, queue, row, tx.now)
    notifyDispatcher(tx, [queue])
    return { delivery: present(caller, source, getForwarded(tx, source, deliveryId)) }
  },
})
