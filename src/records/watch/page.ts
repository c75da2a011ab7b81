import type { StreamEvent } from '../../http/sse.ts'
import { definitionOf } from '../../structures/definition.ts'
import { presentField } from '../../structures/present.ts'
import type { StructureRow } from '../../structures/store.ts'
import { pageMembers, recordJson } from '../present.ts'
import type { RecordPage } from '../query/list.ts'
import type { RecordRow } from '../store.ts'

/** When each record of a page was last changed, by its id: all that it takes to tell what changed since. */
export type Moments = ReadonlyMap<string, number>

/** The page that a question is answered with at one moment. */
export interface WatchedPage {
  /** Names this page among all of this process, and to a reader that comes back. */
  readonly id: string
  /** The members of the answer as JSON text, without the braces. */
  readonly text: string
  readonly rows: readonly RecordRow[]
  readonly moments: Moments
}

/** Another process numbers its pages under another mark. */
const processMark = crypto.getRandomValues(Buffer.alloc(6)).toString('hex')
let pageCount = 0

export function watchedPage(structure: StructureRow, page: RecordPage): WatchedPage {
  return {
    id: `${processMark}-${++pageCount}`,
    text: `"structure":${structureJson(structure)},${pageMembers(page)}`,
    rows: page.rows,
    moments: new Map(page.rows.map(({ id, updatedAt }) => [id, updatedAt])),
  }
}

const structureJson = (row: StructureRow): string =>
  JSON.stringify({ id: row.id, name: row.name, fields: definitionOf(row).fields.map(presentField) })

/** What a reader knows: the records of a page, and, unless it comes back after a break, the page itself. */
export interface Seen {
  readonly moments: Moments
  readonly text?: string
}

interface News {
  readonly isSame: boolean
  changed?: StreamEvent
}

/** How one page is told: written out once for all who saw the same before. */
export class Telling {
  readonly #plain: StreamEvent
  readonly #news = new Map<Seen, News>()

  constructor(readonly page: WatchedPage) {
    this.#plain = { name: 'answer', id: page.id, data: `{${page.text}}` }
  }

  /** Undefined when there is nothing new, unless it is told `always`. Changes need something to compare with. */
  eventFor(seen: Seen | undefined, wantsChanges: boolean, always: boolean): StreamEvent | undefined {
    if (!seen) return this.#plain
    const news = this.#newsSince(seen)
    if (news.isSame && !always) return undefined
    if (!wantsChanges) return this.#plain
    news.changed ??= changedEvent(this.page, seen.moments)
    return news.changed
  }

  #newsSince(seen: Seen): News {
    const known = this.#news.get(seen)
    if (known) return known
    const news = { isSame: seen.text === this.page.text }
    this.#news.set(seen, news)
    return news
  }
}

/** The page with what changed since a reader knew the records of `before` (`service.md`, Watch stream). */
function changedEvent({ id, text, rows, moments }: WatchedPage, before: Moments): StreamEvent {
  const created = rows.filter((row) => !before.has(row.id))
  const updated = rows.filter((row) => before.has(row.id) && before.get(row.id) !== row.updatedAt)
  const removed = [...before.keys()].filter((gone) => !moments.has(gone))
  const changes = `{"created":${listJson(created)},"updated":${listJson(updated)},"removed":${JSON.stringify(removed)}}`
  return { name: 'answer', id, data: `{${text},"changes":${changes}}` }
}

const listJson = (rows: readonly RecordRow[]): string => `[${rows.map(recordJson).join(',')}]`
