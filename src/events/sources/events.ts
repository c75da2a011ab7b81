import type { Static } from '@sinclair/typebox'
import type { AppContext, Caller } from '../../context.ts'
import type { Exchange } from '../../http/exchange.ts'
import { parseInstant } from '../../lib/dates.ts'
import { isId } from '../../lib/ids.ts'
import { DEFAULT_LIMIT } from '../../lib/pagination.ts'
import { atPlace, fail, invalid, notFound, Refusal } from '../../lib/refusal.ts'
import type { Streams } from '../../people/sessions/streams.ts'
import type { Reader } from '../../storage/reader.ts'
import { type Outcome, type ReplayContext, replayEvent } from './receive.ts'
import type { EventsQuery } from './schema.ts'
import { getSource, mayWriteTo } from './service.ts'
import * as store from './store.ts'

type ListRequest = Static<typeof EventsQuery>

interface EventPage {
  readonly events: readonly store.EventRow[]
  readonly has_more: boolean
}

/** The position before the oldest event. */
const START = 'start'

function checkRequest({ before, after, wait }: ListRequest): void {
  if (wait !== undefined && after === undefined) throw invalid('"wait" needs "after".', atPlace('wait'))
  if (before !== undefined && after !== undefined) throw invalid('Give "before" or "after", not both.')
  if (before !== undefined && !isId(before))
    throw invalid('"before" must be the id of an event.', atPlace('before'))
  if (after !== undefined && after !== START && !isId(after))
    throw invalid('"after" must be the id of an event, or "start".', atPlace('after'))
}

/** Newest first; with `after`, oldest first. */
export function listEvents(
  reader: Reader,
  source: number,
  { status, before = store.NO_ID, after, limit = DEFAULT_LIMIT }: ListRequest,
): EventPage {
  const pages = store.eventPages(status ?? 'any')
  const rows =
    after === undefined
      ? pages.before(reader, source, before, limit + 1)
      : pages.after(reader, source, after === START ? '' : after, limit + 1)
  return { events: rows.slice(0, limit), has_more: rows.length > limit }
}

/**
 * Returns a page. An empty page waits up to some seconds for an event. Refuses when the key or session ends meanwhile,
 * or can no longer read the structure.
 */
export async function readEvents(
  { db, bus }: Pick<AppContext, 'db' | 'bus'>,
  streams: Streams,
  exchange: Pick<Exchange, 'credential' | 'recheck'>,
  { id, ...request }: ListRequest & { readonly id: string },
) {
  checkRequest(request)
  const caller = exchange.credential
  const { pk } = getSource(db, caller, id, 'read')
  let found = listEvents(db, pk, request)
  const { wait = 0 } = request
  if (wait > 0 && found.events.length === 0) {
    await streams.waitUntil(caller, wait, {
      listen: (notify) => bus.onChange(id, notify),
      isMet: () => {
        found = listEvents(db, pk, request)
        return found.events.length > 0
      },
      refusalOf: () => new Refusal('unauthorized', 'The key or the session has ended.'),
    })
    exchange.recheck()
    getSource(db, exchange.credential, id, 'read')
  }
  return { events: found.events.map(store.presentEvent), has_more: found.has_more }
}

/** An event with its call; `isSealed` includes the sealed parts. */
export function getEvent(reader: Reader, caller: Caller, id: string, eventId: string, isSealed: boolean) {
  const source = getSource(reader, caller, id, 'read')
  const event = store.findEvent(reader, source.pk, eventId) ?? fail(notFound('event'))
  const { headers, body } = store.callOf(reader, event.pk)
  const shown = {
    event: store.presentEvent(event),
    headers,
    body: event.isDropped ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body),
  }
  if (!isSealed || !mayWriteTo(caller, source)) return shown
  // A source without a secret seals only what it passes on.
  if (source.secret === null) return { ...shown, sealed: null }
  const sealed = store.findSealed(reader, event.pk, source.secretVersion)?.sealed
  return { ...shown, sealed: sealed ? Buffer.from(sealed).toString('base64') : null }
}

/** Replays one event with the current source. */
export async function replayOne(replays: ReplayContext, id: string, eventId: string) {
  const { db, caller } = replays
  const source = getSource(db, caller, id, 'change')
  await replayEvent(replays, { sourceId: id, eventId })
  return store.presentEvent(store.findEvent(db, source.pk, eventId) ?? fail(notFound('event')))
}

/** Small enough to share a few commits, and large enough that replays do not wait for the disk one by one. */
const REPLAYED_TOGETHER = 50

/**
 * Leaves an event without a stored body unmapped. Skips an event that was received again, replayed by another request,
 * or deleted.
 */
function unlessProcessedMeanwhile(error: unknown): Pick<Outcome, 'status'> | undefined {
  if (error instanceof Refusal && error.data.reason === 'dropped') return { status: 'unmapped' }
  if (error instanceof Refusal && (error.code === 'refused' || error.code === 'not_found')) return undefined
  throw error
}

/** Replays all unmapped events, oldest first; `since` limits them by the time of receipt. */
export async function replayUnmapped(
  replays: ReplayContext,
  source: Pick<store.SourceRow, 'pk' | 'id'>,
  since: string | undefined,
): Promise<{ replayed: number; unmapped: number }> {
  const from = since === undefined ? 0 : Math.ceil(parseInstant(since) ?? 0)
  const done = { replayed: 0, unmapped: 0 }
  for (let after = ''; ; ) {
    const ids = store.idsOf(replays.db, source.pk, 'unmapped', after, from, REPLAYED_TOGETHER)
    if (ids.length === 0) return done
    const outcomes = await Promise.all(
      ids.map((eventId) =>
        replayEvent(replays, { sourceId: source.id, eventId }).catch(unlessProcessedMeanwhile),
      ),
    )
    for (const outcome of outcomes)
      if (outcome) done[outcome.status === 'unmapped' ? 'unmapped' : 'replayed'] += 1
    after = ids.at(-1) ?? after
  }
}
