import { changedKeys, type RecordData, valueIn } from '../../changes/record-data.ts'
import { isoTimestamp } from '../../lib/dates.ts'

/** A record as the API returns it. */
export interface ApiRecord {
  readonly id: string
  readonly data: RecordData
  readonly created_at: string
  readonly updated_at: string
  readonly deleted_at: string | null
}

/** The data of an `answer` event of a watch stream. */
export interface WatchAnswer {
  readonly structure: { readonly id: string; readonly name: string }
  readonly records: readonly ApiRecord[]
  readonly has_more: boolean
  readonly changes?: {
    readonly created: readonly ApiRecord[]
    readonly updated: readonly ApiRecord[]
    readonly removed: readonly string[]
  }
}

/** A change of one record, as far as it can be derived from a watch. */
export interface Change {
  readonly type: 'record.created' | 'record.updated' | 'record.deleted'
  readonly record: ApiRecord
  readonly changed: readonly string[]
  readonly previous: Readonly<Record<string, unknown>>
}

/** What one `answer` changed. */
export interface PageChanges {
  /** Created and updated records, oldest change first. */
  readonly changes: readonly Change[]
  /** Records that left the page, in their last known state: deleted, or pushed out by newer ones. */
  readonly removed: readonly ApiRecord[]
  /** The whole page changed, so further changed rows may have been pushed out of it unseen. */
  readonly mayHaveMissed: boolean
}

export const PAGE_LIMIT = 500
const MAX_KNOWN_RECORDS = 20_000

function differences(before: ApiRecord, { data }: ApiRecord): Pick<Change, 'changed' | 'previous'> {
  const changed = changedKeys(before.data, data)
  const previous = changed.map((key) => [key, valueIn(before.data, key) ?? null])
  return { changed, previous: Object.fromEntries(previous) }
}

/** What changed between two pages, for an `answer` that does not say so itself. */
function comparePages(before: readonly ApiRecord[], records: readonly ApiRecord[]) {
  const old = new Map(before.map((record) => [record.id, record]))
  const ids = new Set(records.map(({ id }) => id))
  return {
    created: records.filter(({ id }) => !old.has(id)),
    updated: records.filter(({ id, updated_at }) => (old.get(id)?.updated_at ?? updated_at) !== updated_at),
    removed: before.filter(({ id }) => !ids.has(id)).map(({ id }) => id),
  }
}

/** Derives changes from successive answers of a watch that is sorted by `updated_at`, newest first. */
export class ChangeDetector {
  #page: WatchAnswer | undefined
  /** The last state of each record, deleted ones included, the least recently seen first. */
  readonly #known = new Map<string, ApiRecord>()

  /** The first answer is the starting point and contains no changes. */
  detect(answer: WatchAnswer): PageChanges {
    const before = this.#page
    this.#page = answer
    const moves = before && (answer.changes ?? comparePages(before.records, answer.records))
    const arrived = [...(moves?.created ?? []), ...(moves?.updated ?? [])].sort(byUpdate)
    const removed = (moves?.removed ?? []).flatMap((id) => this.#known.get(id) ?? [])
    const changes = before ? arrived.flatMap((record) => this.#changeTo(record, before) ?? []) : []
    for (const record of answer.records) this.#save(record)
    return { changes, removed, mayHaveMissed: answer.has_more && changes.length >= PAGE_LIMIT }
  }

  /** The deletion of a record that left the page and no longer exists. Like any change it advances `updated_at`. */
  deletionOf(record: ApiRecord, nowMs: number): Change {
    const instant = isoTimestamp(Math.max(nowMs, Date.parse(record.updated_at) + 1))
    const deleted = { ...record, updated_at: instant, deleted_at: instant }
    this.#save(deleted)
    return { type: 'record.deleted', record: deleted, changed: [], previous: {} }
  }

  /** Undefined for a row that only moved up because others left the page. */
  #changeTo(record: ApiRecord, before: WatchAnswer): Change | undefined {
    // Rows last changed at or before this instant may have been beyond the previous page, unseen.
    const horizon = before.has_more ? (before.records.at(-1)?.updated_at ?? '') : ''
    const known = this.#known.get(record.id)
    if (record.updated_at <= horizon || known?.updated_at === record.updated_at) return undefined
    if (known?.deleted_at === null) return { type: 'record.updated', record, ...differences(known, record) }
    const isNew = known !== undefined || record.created_at > horizon
    return { type: isNew ? 'record.created' : 'record.updated', record, changed: [], previous: {} }
  }

  #save(record: ApiRecord): void {
    this.#known.delete(record.id)
    this.#known.set(record.id, record)
    if (this.#known.size <= MAX_KNOWN_RECORDS) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
  }
}

/** Records of one instant are ordered by id, which grows with time. */
const updateKey = ({ updated_at, id }: ApiRecord) => updated_at + id

const byUpdate = (left: ApiRecord, right: ApiRecord): number => (updateKey(left) < updateKey(right) ? -1 : 1)
