import { changedKeys, type RecordData, valueIn } from '../../changes/record-change.ts'
import { isoTimestamp } from '../../lib/dates.ts'

/** A record as the API answers it. */
export interface WireRecord {
  readonly id: string
  readonly data: RecordData
  readonly created_at: string
  readonly updated_at: string
  readonly deleted_at: string | null
}

/** What an `answer` of a watch holds (`service.md`, Watch stream). */
export interface WatchAnswer {
  readonly structure: { readonly id: string; readonly name: string }
  readonly records: readonly WireRecord[]
  readonly has_more: boolean
  readonly changes?: {
    readonly created: readonly WireRecord[]
    readonly updated: readonly WireRecord[]
    readonly removed: readonly string[]
  }
}

/** A change of one record, as far as a watch can tell. */
export interface Change {
  readonly type: 'record.created' | 'record.updated' | 'record.deleted'
  readonly record: WireRecord
  readonly changed: readonly string[]
  readonly previous: Readonly<Record<string, unknown>>
}

/** What one answer brought: oldest change first, then the records that left the page, as they were. */
export interface News {
  readonly changes: readonly Change[]
  readonly removed: readonly WireRecord[]
  /** Every row of the page changed, so that there may be others which were pushed out of it. */
  readonly isOverfull: boolean
}

export const PAGE_LIMIT = 500
const MOST_KNOWN = 20_000

function differences(before: WireRecord, { data }: WireRecord): Pick<Change, 'changed' | 'previous'> {
  const changed = changedKeys(before.data, data)
  const previous = changed.map((key) => [key, valueIn(before.data, key) ?? null])
  return { changed, previous: Object.fromEntries(previous) }
}

/** What changed between two pages, when the service could not say so itself. */
function compared(before: readonly WireRecord[], records: readonly WireRecord[]) {
  const old = new Map(before.map((record) => [record.id, record]))
  const ids = new Set(records.map(({ id }) => id))
  return {
    created: records.filter(({ id }) => !old.has(id)),
    updated: records.filter(({ id, updated_at }) => (old.get(id)?.updated_at ?? updated_at) !== updated_at),
    removed: before.filter(({ id }) => !ids.has(id)).map(({ id }) => id),
  }
}

/** Makes changes out of the answers of a watch by `updated_at`, newest first, and of what it saw before. */
export class ChangeReader {
  #page: WatchAnswer | undefined
  /** The last state of each record, also of deleted ones; those seen last at the end. */
  readonly #known = new Map<string, WireRecord>()

  /** The first answer is where the changes begin, and brings none. */
  read(answer: WatchAnswer): News {
    const before = this.#page
    this.#page = answer
    const moves = before && (answer.changes ?? compared(before.records, answer.records))
    const arrived = [...(moves?.created ?? []), ...(moves?.updated ?? [])].sort(byTime)
    const removed = (moves?.removed ?? []).flatMap((id) => this.#known.get(id) ?? [])
    const changes = before ? arrived.flatMap((record) => this.#changeTo(record, before) ?? []) : []
    for (const record of answer.records) this.#remember(record)
    return { changes, removed, isOverfull: answer.has_more && changes.length >= PAGE_LIMIT }
  }

  /** A record that left the page is there no more; like any change, its deletion moves `updated_at`. */
  deleted(record: WireRecord, nowMs: number): Change {
    const instant = isoTimestamp(Math.max(nowMs, Date.parse(record.updated_at) + 1))
    const gone = { ...record, updated_at: instant, deleted_at: instant }
    this.#remember(gone)
    return { type: 'record.deleted', record: gone, changed: [], previous: {} }
  }

  /** None for a row that only moved up because others left. */
  #changeTo(record: WireRecord, before: WatchAnswer): Change | undefined {
    // What was changed last before this instant may have stood beyond the page, unseen.
    const horizon = before.has_more ? (before.records.at(-1)?.updated_at ?? '') : ''
    const known = this.#known.get(record.id)
    if (record.updated_at <= horizon || known?.updated_at === record.updated_at) return undefined
    if (known?.deleted_at === null) return { type: 'record.updated', record, ...differences(known, record) }
    const isNew = known !== undefined || record.created_at > horizon
    return { type: isNew ? 'record.created' : 'record.updated', record, changed: [], previous: {} }
  }

  #remember(record: WireRecord): void {
    this.#known.delete(record.id)
    this.#known.set(record.id, record)
    if (this.#known.size <= MOST_KNOWN) return
    const [longestAgo] = this.#known.keys()
    if (longestAgo !== undefined) this.#known.delete(longestAgo)
  }
}

/** Ids grow with time, too. */
const moment = ({ updated_at, id }: WireRecord) => updated_at + id

const byTime = (left: WireRecord, right: WireRecord): number => (moment(left) < moment(right) ? -1 : 1)
