import { wholeWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { isoOrNull, isoTimestamp } from '../lib/dates.ts'
import { findStructureByPk } from '../structures/store.ts'
import { countsOf, type EventRow, mapOf, optionsOf, type SourceRow, whenOf } from './store.ts'

/** A source as every reader may see it; only those who may write are shown the URL. */
export const presentSource = (reader: Reader, row: SourceRow, url: string | null = null) => {
  const structure = findStructureByPk(reader, wholeWorkspace(row.workspace), row.structure)
  return {
    id: row.id,
    name: row.name,
    structure: { id: structure?.id ?? '', name: structure?.name ?? '' },
    provider: row.provider,
    options: optionsOf(row) as Record<string, unknown>,
    url,
    map: mapOf(row) as Record<string, unknown>,
    external_id: row.externalId,
    event: row.event,
    when: whenOf(row) as unknown as Record<string, unknown>[],
    on_conflict: row.onConflict,
    newer_by: row.newerBy,
    enabled: row.enabled === 1,
    description: row.description,
    counts: countsOf(row),
    last_event_at: isoOrNull(row.lastEventAt),
    created_at: isoTimestamp(row.createdAt),
    updated_at: isoTimestamp(row.updatedAt),
  }
}

/** What an outside service calls; null until an imported source gets a URL. */
export const urlOf = ({ token }: Pick<SourceRow, 'token'>, origin: string): string | null =>
  token === null ? null : `${origin}/in/${token}`

/** The attributes that are another object's, count something, or are hidden. */
export const DERIVED = ['structure', 'url', 'counts', 'last_event_at'] as const

export const presentEvent = ({
  id,
  externalId,
  event,
  status,
  recordId,
  error,
  size,
  receivedAt,
}: EventRow) => ({
  id,
  external_id: externalId,
  event,
  status,
  record_id: recordId,
  error,
  size,
  received_at: isoTimestamp(receivedAt),
})
