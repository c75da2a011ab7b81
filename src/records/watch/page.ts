import { cursorFormatter, findPosition, hasAllAfter } from '../../changes/cursors.ts'
import { lastChange } from '../../changes/log.ts'
import type { Reader } from '../../db/reader.ts'
import type { WorkerQuery } from '../../db/worker/client.ts'
import type { StreamEvent } from '../../http/sse.ts'
import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/sha256.ts'
import { Refusal } from '../../refusal.ts'
import { presentField } from '../../structures/present.ts'
import { definitionOf, type StructureRow } from '../../structures/store.ts'
import { pageMembers, recordJson } from '../present.ts'
import {
  type ListInput,
  type ListPlan,
  type ListResult,
  listQuery,
  type RecordPage,
  withKnownTotal,
} from '../query/list.ts'
import type { RecordRow } from '../store.ts'

interface WatchPlan extends ListPlan {
  readonly position: number
}

interface WatchResult extends ListResult {
  /** The number of the last change of the workspace. */
  readonly position: number
}

/** A page of the list, and the position in the change log that it was read at. */
export const watchPageQuery: WorkerQuery<ListInput, WatchPlan, WatchResult> = {
  name: 'records.watch',
  plan: (reader, input) => ({
    ...listQuery.plan(reader, input),
    position: lastChange(reader, input.caller.workspacePk),
  }),
  workerInput: withKnownTotal,
  run: (reader, plan, maxLength) => ({ ...listQuery.run(reader, plan, maxLength), position: plan.position }),
}

/*
 * The id of a watch event says which page it carries: the position in the change log at which the page was read, and the
 * query. So a page that was sent before a restart of the server is known after it.
 */

const DIGITS = 12

/** Identifies the pages of a query. */
export const queryDigest = (queryKey: string): string => sha256(queryKey).slice(0, DIGITS)

export const eventId = (reader: Reader, workspacePk: number, position: number, digest: string): string =>
  `${cursorFormatter(reader, workspacePk)(position)}-${digest}`

/**
 * The position in the log at which the page of an event was read. Undefined if the id is of another query or database, or
 * retention removed changes since then.
 */
export function findEventPosition(
  reader: Reader,
  workspacePk: number,
  id: string,
  digest: string,
): number | undefined {
  if (!id.endsWith(`-${digest}`)) return undefined
  const position = findPosition(reader, workspacePk, id.slice(0, -digest.length - 1))
  return position !== undefined && hasAllAfter(reader, workspacePk, position) ? position : undefined
}

/** `updated_at` of each record of a page by its id: enough to find what changed since. */
export type Versions = ReadonlyMap<string, number>

/** The page of a watch query at one moment. */
export interface WatchedPage {
  /** The id of its events. */
  readonly id: string
  /** The members of the event's data as JSON text, without the braces. */
  readonly text: string
  readonly rows: readonly RecordRow[]
  readonly versions: Versions
}

export function watchedPage(id: string, structure: StructureRow, page: RecordPage): WatchedPage {
  return {
    id,
    text: `"structure":${structureJson(structure)},${pageMembers(page)}`,
    rows: page.rows,
    versions: new Map(page.rows.map(({ id, updatedAt }) => [id, updatedAt])),
  }
}

const structureJson = (row: StructureRow): string =>
  JSON.stringify({ id: row.id, name: row.name, fields: definitionOf(row).fields.map(presentField) })

/** The page that a reader knows. Of a reader that has just reconnected, only the versions are known. */
export interface KnownPage {
  readonly versions: Versions
  readonly text?: string
}

interface Difference {
  readonly isSame: boolean
  changed?: StreamEvent
}

/** Sends one page to many readers; those that know the same page share one event. */
export class Broadcast {
  readonly #plain: StreamEvent
  readonly #differences = new Map<KnownPage, Difference>()

  constructor(readonly page: WatchedPage) {
    this.#plain = { name: 'answer', id: page.id, data: `{${page.text}}` }
  }

  /** Undefined when the reader knows this page already, unless it is sent `always`. Changes need a known page. */
  eventFor(known: KnownPage | undefined, wantsChanges: boolean, always: boolean): StreamEvent | undefined {
    if (!known) return this.#plain
    const difference = this.#differenceFrom(known)
    if (difference.isSame && !always) return undefined
    if (!wantsChanges) return this.#plain
    difference.changed ??= changedEvent(this.page, known.versions)
    return difference.changed
  }

  #differenceFrom(known: KnownPage): Difference {
    const found = this.#differences.get(known)
    if (found) return found
    const difference = { isSame: known.text === this.page.text }
    this.#differences.set(known, difference)
    return difference
  }
}

/** The page, and what changed since the versions of `before`. */
function changedEvent({ id, text, rows, versions }: WatchedPage, before: Versions): StreamEvent {
  const created = rows.filter((row) => !before.has(row.id))
  const updated = rows.filter((row) => before.has(row.id) && before.get(row.id) !== row.updatedAt)
  const removed = [...before.keys()].filter((recordId) => !versions.has(recordId))
  const changes = `{"created":${listJson(created)},"updated":${listJson(updated)},"removed":${JSON.stringify(removed)}}`
  return { name: 'answer', id, data: `{${text},"changes":${changes}}` }
}

const listJson = (rows: readonly RecordRow[]): string => `[${rows.map(recordJson).join(',')}]`

/** A page could not be read. Errors other than refusals are not described to clients. */
export const problemEvent = (error: unknown): StreamEvent => ({
  name: 'problem',
  data: JSON.stringify(
    error instanceof Refusal
      ? { error: error.message, code: error.code }
      : { error: 'Something failed on the side of the service; the watch goes on.', code: 'internal' },
  ),
})

interface SavedPage {
  readonly queryKey: string
  readonly versions: Versions
  readonly savedAt: number
}

const MAX_AGE_MS = 300_000
const MAX_SIZE = 100_000
/** Added to the number of records, so that empty pages are bounded too. */
const PAGE_OVERHEAD = 5

const sizeOf = ({ versions }: Pick<SavedPage, 'versions'>): number => versions.size + PAGE_OVERHEAD

/** Recent pages, limited by age and size, so that a reader that reconnects is sent what changed since. */
export class WatchHistory {
  /** By page id, oldest first. */
  readonly #pages = new Map<string, SavedPage>()
  #size = 0

  constructor(private readonly clock: Clock) {}

  save(queryKey: string, { id, versions }: Pick<WatchedPage, 'id' | 'versions'>): void {
    this.#remove(id)
    const page = { queryKey, versions, savedAt: this.clock.now() }
    this.#pages.set(id, page)
    this.#size += sizeOf(page)
    this.#removeOld()
  }

  /** Undefined if the page was removed, or belongs to another query. */
  find(queryKey: string, id: string): Versions | undefined {
    this.#removeOld()
    const page = this.#pages.get(id)
    return page?.queryKey === queryKey ? page.versions : undefined
  }

  #removeOld(): void {
    const oldest = this.clock.now() - MAX_AGE_MS
    for (const [id, { savedAt }] of this.#pages) {
      if (savedAt >= oldest && this.#size <= MAX_SIZE) return
      this.#remove(id)
    }
  }

  #remove(id: string): void {
    const page = this.#pages.get(id)
    if (!page) return
    this.#pages.delete(id)
    this.#size -= sizeOf(page)
  }
}
