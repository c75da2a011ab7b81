import { and, desc, eq, getTableColumns, gt, gte, lt, sql } from 'drizzle-orm'
import { memoize } from '../../lib/bounded-cache.ts'
import { isoOrNull, isoTimestamp } from '../../lib/dates.ts'
import { nodeCrypto } from '../../lib/node-modules.ts'
import { objectKind } from '../../log/objects/objects.ts'
import { columnBy, from, insertInto, rowBy, rowsBy, updateOf, upsertInto } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { sourceEvents, sourceSealed, sources } from '../../storage/schema/sources.ts'
import type { Condition, SourceMap } from './map.ts'
import type { Call, Options } from './providers.ts'

export type SourceRow = typeof sources.$inferSelect & {
  structureId: string
  structureName: string
  targets: string | null
}

export const STATUSES = ['written', 'updated', 'duplicate', 'ignored', 'stale', 'unmapped'] as const
export type Status = (typeof STATUSES)[number]
export const COUNTED = [...STATUSES, 'rejected'] as const
export type Counts = Record<(typeof COUNTED)[number], number>

export const NO_COUNTS = Object.fromEntries(COUNTED.map((name) => [name, 0])) as Counts

export const optionsOf = ({ options }: Pick<SourceRow, 'options'>): Options => JSON.parse(options)
export const mapOf = ({ map }: Pick<SourceRow, 'map'>): SourceMap => JSON.parse(map)
export const whenOf = ({ when }: Pick<SourceRow, 'when'>): Condition[] => JSON.parse(when)
export const countsOf = ({ counts }: Pick<SourceRow, 'counts'>): Counts => JSON.parse(counts)

const ofStructure = <Value>(column: string) =>
  sql<Value>`(SELECT ${sql.raw(column)} FROM structures s WHERE s.pk = sources.structure)`

/** A URL that events are passed on to, as the source stores it. */
export interface Forward {
  /** The pk of the target. */
  readonly target: number
  readonly url: string
  readonly when?: readonly Condition[]
}

/** The form of a target in a copy, which has no URLs. */
interface CopiedForward extends Pick<Forward, 'when'> {
  readonly target: 0
  readonly url: null
}

const storedForwards = (forwards: string | null): (Forward | CopiedForward)[] => JSON.parse(forwards ?? '[]')

/** The targets with a URL. */
export const forwardsIn = (forwards: string | null): Forward[] =>
  storedForwards(forwards).filter((forward): forward is Forward => forward.url !== null)

export const lacksUrls = (forwards: string | null): boolean =>
  storedForwards(forwards).some(({ url }) => url === null)

/** The column of a copy for the targets that the remote shows. */
export const copiedForwards = (shown: readonly { readonly when?: unknown }[] | undefined): string | null =>
  shown === undefined
    ? null
    : JSON.stringify(shown.map(({ when }) => ({ target: 0, url: null, ...(when !== undefined && { when }) })))

const read = {
  ...getTableColumns(sources),
  /** JSON object of the state of each target, by pk; null without `forwards`. */
  targets: sql<string | null>`CASE WHEN forwards IS NOT NULL THEN (SELECT json_group_object(t.pk,
    json_array(t.paused_at, t.consecutive_failures)) FROM source_targets t WHERE t.source = sources.pk) END`,
  structureId: ofStructure<string>('id'),
  structureName: ofStructure<string>('name'),
}

/** Where events are passed on to; absent until it is given. URLs may hold credentials. */
function presentForward(row: SourceRow, showsUrls: boolean) {
  const states: Record<string, [pausedAt: number | null, failures: number]> = JSON.parse(row.targets ?? '{}')
  if (row.forwards === null) return undefined
  const forward = storedForwards(row.forwards).map(({ target, url, when }) => {
    const [pausedAt, failures] = states[target] ?? [null, 0]
    return {
      url: showsUrls ? url : null,
      ...(when && { when: when as unknown as Record<string, unknown>[] }),
      status: pausedAt === null ? 'enabled' : 'paused',
      paused_at: isoOrNull(pausedAt),
      consecutive_failures: failures,
    }
  })
  return { forward }
}

/** A source as every reader may see it; only callers with write access see the URLs. */
export const presentSource = (row: SourceRow, url: string | null = null, showsUrls = url !== null) => ({
  id: row.id,
  name: row.name,
  structure: { id: row.structureId, name: row.structureName },
  provider: row.provider,
  options: optionsOf(row) as Record<string, unknown>,
  url,
  map: mapOf(row) as Record<string, unknown>,
  external_id: row.externalId,
  event: row.event,
  when: whenOf(row) as unknown as Record<string, unknown>[],
  on_conflict: row.onConflict,
  newer_by: row.newerBy,
  ...presentForward(row, showsUrls),
  enabled: row.enabled === 1,
  description: row.description,
  counts: countsOf(row),
  last_event_at: isoOrNull(row.lastEventAt),
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})

/** The URL that an outside service calls; null until an imported source gets one. */
export const urlOf = ({ token }: Pick<SourceRow, 'token'>, origin: string): string | null =>
  token === null ? null : `${origin}/in/${token}`

/** Sources, without their URLs, which only callers with write access may see. */
export const sourceKind = objectKind({
  kind: 'source',
  table: sources,
  read,
  order: [sources.pk],
  name: sources.nameFold,
  derived: ['structure', 'counts', 'last_event_at'],
  secrets: ({ secret, token, forwards }) => ({
    secret,
    url: token,
    ...(forwards !== null && { forward: forwards }),
  }),
  present: (row) => presentSource(row),
})

const hasToken = (token: string) => eq(sources.token, token)

/** Finds a source of any workspace by the token at the end of its URL. */
export const findSourceByToken = rowBy((token: string) => from(sources, read).where(hasToken(token)))

const readVerifier = rowBy((token: string) => {
  const { pk, id, provider, options, secret, secretVersion } = sources
  return from(sources, { pk, id, provider, options, secret, secretVersion }).where(hasToken(token))
})

/** The columns that verify calls to a URL, because very many calls may be forged. */
export const findVerifier = (reader: Reader, token: string): ReturnType<typeof readVerifier> =>
  reader.sql.memoize(`source ${token}`, () => readVerifier(reader, token))

/** Changes columns without logging; with an instant, also `updated_at`. */
export const writeSource = updateOf(sources, sources.pk)

const readCounts = rowBy((pk: number) => from(sources, { counts: sources.counts }).where(eq(sources.pk, pk)))

/** Adds to the counts of a source; `updated_at` stays. */
export function addCounts(reader: Reader, pk: number, added: Partial<Counts>, lastEventAt?: number): void {
  const row = readCounts(reader, pk)
  if (!row) return
  const counts = countsOf(row)
  for (const name of COUNTED) counts[name] = Math.max(0, (counts[name] ?? 0) + (added[name] ?? 0))
  writeSource(reader, pk, {
    counts: JSON.stringify(counts),
    ...(lastEventAt !== undefined && { lastEventAt }),
  })
}

/* Events. */

const head = {
  pk: sourceEvents.pk,
  id: sourceEvents.id,
  externalId: sourceEvents.externalId,
  event: sourceEvents.event,
  status: sql<Status>`${sourceEvents.status}`,
  recordId: sourceEvents.recordId,
  error: sourceEvents.error,
  receivedAt: sourceEvents.receivedAt,
  /** The original size of the body. */
  size: sql<number>`coalesce(${sourceEvents.size}, octet_length(${sourceEvents.body}))`,
  /** The stored size of the body. */
  bodyBytes: sql<number>`octet_length(${sourceEvents.body})`,
  kept: sourceEvents.kept,
  isDropped: sql<number>`${sourceEvents.size} IS NOT NULL AND ${sourceEvents.kept} IS NULL`,
}

export type EventRow = NonNullable<ReturnType<typeof findEvent>>

/** Whether the call is stored completely. */
export const isWhole = ({ size, bodyBytes, isDropped }: EventRow): boolean =>
  size === bodyBytes && isDropped === 0

export const presentEvent = (row: EventRow) => ({
  id: row.id,
  external_id: row.externalId,
  event: row.event,
  status: row.status,
  record_id: row.recordId,
  error: row.error,
  size: row.size,
  received_at: isoTimestamp(row.receivedAt),
})

export const findEvent = rowBy((source: number, id: string) =>
  from(sourceEvents, head).where(and(eq(sourceEvents.id, id), eq(sourceEvents.source, source))),
)

/** The newest event with this provider id that was received after an instant. */
export const findExternal = rowBy((source: number, externalId: string, since: number) =>
  from(sourceEvents, head)
    .where(
      and(
        eq(sourceEvents.source, source),
        eq(sourceEvents.externalId, externalId),
        gt(sourceEvents.receivedAt, since),
      ),
    )
    .orderBy(desc(sourceEvents.pk))
    .limit(1),
)

/** Sorts after every id. */
export const NO_ID = '~'

/** Events of a source, with one status or any: before an event, newest first, or after it, oldest first. */
export const eventPages = memoize((status: Status | 'any') => {
  const { id, source: ofSource } = sourceEvents
  const isOf = (source: number) =>
    and(status === 'any' ? undefined : sql`status = ${sql.raw(`'${status}'`)}`, eq(ofSource, source))
  return {
    before: rowsBy((source: number, before: string, limit: number) =>
      from(sourceEvents, head)
        .where(and(isOf(source), lt(id, before)))
        .orderBy(desc(id))
        .limit(limit),
    ),
    after: rowsBy((source: number, after: string, limit: number) =>
      from(sourceEvents, head)
        .where(and(isOf(source), gt(id, after)))
        .orderBy(id)
        .limit(limit),
    ),
  }
})

/** The ids of events with a status, after an id, that were received at an instant or later. */
export const idsOf = columnBy((source: number, status: string, after: string, since: number, limit: number) =>
  from(sourceEvents, { value: sourceEvents.id })
    .where(
      and(
        eq(sourceEvents.source, source),
        eq(sourceEvents.status, status),
        gt(sourceEvents.id, after),
        gte(sourceEvents.receivedAt, since),
      ),
    )
    .orderBy(sourceEvents.id)
    .limit(limit),
)

const readCall = rowBy((pk: number) =>
  from(sourceEvents, { headers: sourceEvents.headers, body: sourceEvents.body }).where(
    eq(sourceEvents.pk, pk),
  ),
)

export function callOf(reader: Reader, pk: number): { headers: [string, string][]; body: Uint8Array } {
  const row = readCall(reader, pk)
  return { headers: JSON.parse(row?.headers ?? '[]'), body: row?.body ?? new Uint8Array() }
}

export const insertEvent = insertInto(sourceEvents)
export const updateEvent = updateOf(sourceEvents, sourceEvents.pk)

export const putSealed = upsertInto(sourceSealed, sourceSealed.event)

/** The call of an event, if it is sealed with the current secret of its source. */
export const findSealed = rowBy((event: number, secretVersion: number) =>
  from(sourceSealed, { sealed: sourceSealed.sealed }).where(
    and(eq(sourceSealed.event, event), eq(sourceSealed.secretVersion, secretVersion)),
  ),
)

/* A sealed call is stored byte for byte, and opening it requires the secret of its source. */

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const LENGTH_BYTES = 4

const keyOf = (secret: string, sourceId: string): Uint8Array =>
  new Uint8Array(nodeCrypto().hkdfSync('sha256', secret, sourceId, 'daybook source event', KEY_BYTES))

/** The plain text of a sealed call: the length of the headers, the headers as JSON, and the body. */
function packed({ headers, body }: Call): Buffer {
  const text = Buffer.from(JSON.stringify(headers))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text, body])
}

/** Encrypts a call with a key derived from the secret of its source: a random nonce, the tag, and the ciphertext. */
export function seal(call: Call, secret: string, sourceId: string): Buffer {
  const nonce = nodeCrypto().randomBytes(NONCE_BYTES)
  const cipher = nodeCrypto().createCipheriv(CIPHER, keyOf(secret, sourceId), nonce)
  const encrypted = Buffer.concat([cipher.update(packed(call)), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
}

/** The original call; undefined if it was sealed with another secret. */
export function unseal(sealed: Uint8Array, secret: string, sourceId: string): Call | undefined {
  const body = NONCE_BYTES + TAG_BYTES
  try {
    const decipher = nodeCrypto().createDecipheriv(
      CIPHER,
      keyOf(secret, sourceId),
      sealed.subarray(0, NONCE_BYTES),
    )
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, body))
    const opened = Buffer.concat([decipher.update(sealed.subarray(body)), decipher.final()])
    const end = LENGTH_BYTES + opened.readUInt32BE()
    return { headers: JSON.parse(opened.toString('utf8', LENGTH_BYTES, end)), body: opened.subarray(end) }
  } catch {
    return undefined
  }
}
