import { and, desc, eq, getTableColumns, gt, gte, lt, sql } from 'drizzle-orm'
import { columnBy, from, insertInto, rowBy, rowsBy, updateOf, upsertInto } from '../db/query.ts'
import type { Reader } from '../db/reader.ts'
import { sourceEvents, sourceSealed, sources } from '../db/schema/sources.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { storedObjects } from '../objects/statements.ts'
import type { Condition } from './conditions.ts'
import type { SourceMap } from './map.ts'
import type { Options } from './providers.ts'

export type SourceRow = typeof sources.$inferSelect

/** What can become of a call. */
export const STATUSES = ['written', 'updated', 'duplicate', 'ignored', 'stale', 'unmapped'] as const
export type Status = (typeof STATUSES)[number]
export const COUNTED = [...STATUSES, 'rejected'] as const
export type Counts = Record<(typeof COUNTED)[number], number>

export const NO_COUNTS = Object.fromEntries(COUNTED.map((name) => [name, 0])) as Counts

export const optionsOf = ({ options }: Pick<SourceRow, 'options'>): Options => JSON.parse(options)
export const mapOf = ({ map }: Pick<SourceRow, 'map'>): SourceMap => JSON.parse(map)
export const whenOf = ({ when }: Pick<SourceRow, 'when'>): Condition[] => JSON.parse(when)
export const countsOf = ({ counts }: Pick<SourceRow, 'counts'>): Counts => JSON.parse(counts)

const visible = eq(sources.isRemoved, sql`0`)

const stored = storedObjects({
  table: sources,
  read: getTableColumns(sources),
  order: [sources.pk],
  name: sources.nameFold,
})

/** A source that is being removed is found and counted by none of these. */
export const {
  rows: listSourceRows,
  findById: findSource,
  findByName: findSourceNamed,
  count: countSources,
} = stored

const hasToken = (token: string) => and(eq(sources.token, token), visible)

/** By the end of its URL, of any workspace. */
export const findSourceByToken = rowBy((token: string) =>
  from(sources, getTableColumns(sources)).where(hasToken(token)),
)

const readVerifier = rowBy((token: string) => {
  const { pk, id, provider, options, secret, secretVersion } = sources
  return from(sources, { pk, id, provider, options, secret, secretVersion }).where(hasToken(token))
})

/** What verifies the calls of a URL, of which very many may be forged. */
export const findVerifier = (reader: Reader, token: string): ReturnType<typeof readVerifier> =>
  reader.sql.memoize(`source ${token}`, () => readVerifier(reader, token))

/** The sources of a structure by creation. */
export const listSourcesOf = rowsBy((structure: number) =>
  from(sources, getTableColumns(sources))
    .where(and(eq(sources.structure, structure), visible))
    .orderBy(sources.pk),
)

const insert = insertInto(sources)
const write = updateOf(sources, sources.pk)

/** The columns that a caller sets. */
export type SourceColumns = Pick<
  SourceRow,
  | 'name'
  | 'nameFold'
  | 'options'
  | 'secret'
  | 'secretVersion'
  | 'token'
  | 'map'
  | 'externalId'
  | 'event'
  | 'when'
  | 'onConflict'
  | 'newerBy'
  | 'enabled'
  | 'description'
>

export const insertSource = (
  tx: Tx,
  row: SourceColumns & Pick<SourceRow, 'id' | 'workspace' | 'structure' | 'provider'>,
): number => insert(tx, { counts: JSON.stringify(NO_COUNTS), ...row, createdAt: tx.now, updatedAt: tx.now })

export const updateSource = (tx: Tx, pk: number, columns: SourceColumns) => write(tx, pk, columns, tx.now)

const readCounts = rowBy((pk: number) => from(sources, { counts: sources.counts }).where(eq(sources.pk, pk)))

/** Adds to the counts of a source; `updated_at` stays. */
export function addCounts(reader: Reader, pk: number, added: Partial<Counts>, lastEventAt?: number): void {
  const row = readCounts(reader, pk)
  if (!row) return
  const counts = countsOf(row)
  for (const name of COUNTED) counts[name] = Math.max(0, (counts[name] ?? 0) + (added[name] ?? 0))
  write(reader, pk, { counts: JSON.stringify(counts), ...(lastEventAt !== undefined && { lastEventAt }) })
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
  size: sql<number>`octet_length(${sourceEvents.body})`,
}

export type EventRow = NonNullable<ReturnType<typeof findEvent>>

export const findEvent = rowBy((source: number, id: string) =>
  from(sourceEvents, head).where(and(eq(sourceEvents.id, id), eq(sourceEvents.source, source))),
)

/** The newest event with this id of the provider that came after an instant. */
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

export const eventsBefore = rowsBy((source: number, before: string, limit: number) =>
  from(sourceEvents, head)
    .where(and(eq(sourceEvents.source, source), lt(sourceEvents.id, before)))
    .orderBy(desc(sourceEvents.id))
    .limit(limit),
)

export const eventsBeforeOf = rowsBy((status: string, source: number, before: string, limit: number) =>
  from(sourceEvents, head)
    .where(and(eq(sourceEvents.status, status), eq(sourceEvents.source, source), lt(sourceEvents.id, before)))
    .orderBy(desc(sourceEvents.id))
    .limit(limit),
)

export const eventsAfter = rowsBy((source: number, after: string, limit: number) =>
  from(sourceEvents, head)
    .where(and(eq(sourceEvents.source, source), gt(sourceEvents.id, after)))
    .orderBy(sourceEvents.id)
    .limit(limit),
)

export const eventsAfterOf = rowsBy((status: string, source: number, after: string, limit: number) =>
  from(sourceEvents, head)
    .where(and(eq(sourceEvents.status, status), eq(sourceEvents.source, source), gt(sourceEvents.id, after)))
    .orderBy(sourceEvents.id)
    .limit(limit),
)

/** The ids of events with a status, after one, that came at an instant or later. */
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

/** The shown headers of an event, and its body. */
export function callOf(reader: Reader, pk: number): { headers: [string, string][]; body: Uint8Array } {
  const row = readCall(reader, pk)
  return { headers: JSON.parse(row?.headers ?? '[]'), body: row?.body ?? new Uint8Array() }
}

export const insertEvent = insertInto(sourceEvents)
export const updateEvent = updateOf(sourceEvents, sourceEvents.pk)

export const putSealed = upsertInto(sourceSealed, sourceSealed.event)

/** What was sealed of an event with the current secret of its source. */
export const findSealed = rowBy((event: number, secretVersion: number) =>
  from(sourceSealed, { sealed: sourceSealed.sealed }).where(
    and(eq(sourceSealed.event, event), eq(sourceSealed.secretVersion, secretVersion)),
  ),
)
