import type { Static } from '@sinclair/typebox'
import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { WorkerTask } from '../db/worker/client.ts'
import { STATUS_OF } from '../http/errors.ts'
import type { Exchange } from '../http/exchange.ts'
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
  readonly workspacePk: number
  readonly id: string
  readonly request: TryRequest
}

interface Trial {
  readonly status: store.Status
  readonly data: Record<string, unknown> | null
  readonly error: string | null
}

/** Always run to be rolled back. */
export const trial: WorkerTask<TryInput, Trial> = {
  name: 'sources.try',
  run: (tx, { workspacePk, id, request }, listeners) => {
    const { map, when } = request
    const source = { ...(store.findSource(tx, workspacePk, id) ?? fail(notFound('source'))) }
    if (map) source.map = JSON.stringify(map)
    if (when) source.when = JSON.stringify(when)
    const target = targetOf(tx, source)
    const reading = readingOf(tx, source, request)
    let data: Record<string, unknown> | undefined
    try {
      data = dataFor(source, target, reading)
      if (!data) return { status: 'ignored', data: null, error: null }
      const { status, row } = writeMapped(listeners, tx, target, data)
      const written = row && status !== 'stale' ? dataOf(row) : data
      const shown = Object.entries(written).filter(([key]) => Object.hasOwn(data ?? {}, key))
      return { status, data: Object.fromEntries(shown), error: null }
    } catch (error) {
      if (!(error instanceof Refusal) || STATUS_OF[error.code] !== 400) throw error
      return { status: 'unmapped', data: data ?? null, error: error.message }
    }
  },
}

/** What would become of an event, with another map or other conditions if they are given; writes nothing. */
export function tryEvent(
  { db, worker }: AppContext,
  caller: Caller,
  id: string,
  request: TryRequest,
  { bodyText }: Pick<Exchange, 'bodyText'>,
): Promise<Trial> {
  const { body, headers, map, when, event_id: eventId } = request
  if ((body === undefined) === (eventId === undefined))
    throw invalid('Give exactly one of "body", a JSON value, and "event_id".')
  if (eventId !== undefined && headers !== undefined) throw invalid('"headers" go with "body" alone.')
  const source = getSource(db, caller, id, 'read')
  if (map) checkMap(map, definitionOf(targetOf(db, source).structure))
  if (when) checkedWhen(when)
  const event =
    eventId === undefined ? undefined : (store.findEvent(db, source.pk, eventId) ?? fail(notFound('event')))
  const { workspacePk } = caller
  const size = { length: event?.size ?? bodyText.length }
  return worker.write(trial, { workspacePk, id, request }, { size, isDryRun: true })
}

function readingOf(reader: Reader, source: store.SourceRow, request: TryRequest): Reading {
  const { body, event_id: eventId } = request
  if (eventId !== undefined) {
    const event = store.findEvent(reader, source.pk, eventId) ?? fail(notFound('event'))
    return readCall(source, store.callOf(reader, event.pk))
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
