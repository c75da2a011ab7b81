import type { Static } from '@sinclair/typebox'
import type { AppContext, Caller } from '../context.ts'
import type { WorkerTask } from '../db/worker/client.ts'
import { STATUS_OF } from '../http/errors.ts'
import { isObject } from '../lib/json.ts'
import { dataOf } from '../records/store.ts'
import { fail, invalid, notFound, Refusal } from '../refusal.ts'
import { definitionOf } from '../structures/store.ts'
import { checkedWhen } from './conditions.ts'
import { checkMap } from './map.ts'
import { eventIn, type Reading, readCall } from './read-call.ts'
import { dataFor, targetOf, writeMapped } from './receive.ts'
import type { TryBody } from './schema.ts'
import { getSource } from './service.ts'
import * as store from './store.ts'

type TryRequest = Static<typeof TryBody>

interface TryInput {
  readonly source: store.SourceRow
  readonly data: Record<string, unknown>
}

/** Always run to be rolled back. */
export const trial: WorkerTask<TryInput, { status: store.Status; data: Record<string, unknown> | null }> = {
  name: 'sources.try',
  run: (tx, { source, data }, listeners) => {
    const { status, row } = writeMapped(listeners, tx, targetOf(tx, source), data)
    const written = row && status !== 'stale' ? dataOf(row) : data
    const isMapped = ([key]: [string, unknown]) => Object.hasOwn(data, key)
    return { status, data: Object.fromEntries(Object.entries(written).filter(isMapped)) }
  },
}

/** What would become of an event, with another map or other conditions if they are given; writes nothing. */
export async function tryEvent(ctx: AppContext, caller: Caller, id: string, request: TryRequest) {
  const { map, when } = request
  const source = { ...getSource(ctx.db, caller, id, 'read') }
  const target = targetOf(ctx.db, source)
  if (map) checkMap(map, definitionOf(target.structure))
  if (map) source.map = JSON.stringify(map)
  if (when) source.when = JSON.stringify(checkedWhen(when))
  const reading = readingOf(ctx, source, request)
  let data: Record<string, unknown> | undefined
  try {
    data = dataFor(source, target, reading)
    if (!data) return { status: 'ignored', data: null, error: null }
    const size = { length: JSON.stringify(data).length }
    return { ...(await ctx.worker.write(trial, { source, data }, { size, isDryRun: true })), error: null }
  } catch (error) {
    if (!(error instanceof Refusal) || STATUS_OF[error.code] !== 400) throw error
    return { status: 'unmapped', data: data ?? null, error: error.message }
  }
}

function readingOf({ db }: AppContext, source: store.SourceRow, request: TryRequest): Reading {
  const { body, event_id: eventId } = request
  if ((body === undefined) === (eventId === undefined))
    throw invalid('Give exactly one of "body", a JSON value, and "event_id".')
  if (eventId !== undefined) {
    if (request.headers !== undefined) throw invalid('"headers" go with "body" alone.')
    const event = store.findEvent(db, source.pk, eventId) ?? fail(notFound('event'))
    return readCall(source, store.callOf(db, event.pk))
  }
  const headers = headersIn(request.headers)
  const event = eventIn(source, { headers, body })
  return { call: { headers, body, event }, event, externalId: null, error: null }
}

/** By name, or as an event shows them. */
function headersIn(sent: TryRequest['headers']): [string, string][] {
  const pairs: unknown[] = isObject(sent) ? Object.entries(sent) : (sent ?? [])
  return pairs.map((pair) => {
    const [name, value] = Array.isArray(pair) ? pair : []
    if (typeof name !== 'string' || typeof value !== 'string')
      throw invalid('"headers" must be an object of texts, or a list of pairs of name and value.')
    return [name.toLowerCase(), value]
  })
}
