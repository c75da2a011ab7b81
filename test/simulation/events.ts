import type { FeedChange } from '../support/changes.ts'

/*
 * The events that a subscription to all rows of a table owes: one for each change in the feed, in the order of the row.
 * The feed and the events are read over different endpoints, and neither is compared with itself.
 */

/** An event of a row, as its receiver saw it. */
export interface RowEvent {
  readonly id: string
  readonly type: string
  readonly occurred_at: string
  readonly record: { readonly id: string }
  readonly previous?: { readonly n?: unknown }
  /** Of ordered subscriptions. */
  readonly sequence?: number
}

/** The changes of each row: the type of each, and the number that an update replaced. */
type Histories = ReadonlyMap<string, readonly string[]>

const TYPES: Readonly<Record<string, string>> = {
  created: 'record.created',
  restored: 'record.created',
  updated: 'record.updated',
  deleted: 'record.deleted',
}

const markOf = (type: string, previous?: { readonly n?: unknown }) => `${type} ${previous?.n ?? ''}`.trim()

function grouped(marks: readonly (readonly [row: string, mark: string])[]): Histories {
  const groups = Map.groupBy(marks, ([row]) => row)
  return new Map([...groups].map(([row, own]) => [row, own.map(([, mark]) => mark)]))
}

/** The events that the changes of a table owe. */
export const owedBy = (changes: readonly FeedChange[], structure: string): Histories =>
  grouped(
    changes.flatMap(({ kind, op, id, structure_id, previous }) => {
      const type = kind === 'record' && structure_id === structure ? TYPES[op] : undefined
      return type === undefined ? [] : [[String(id), markOf(type, previous)] as const]
    }),
  )

/** The events that arrived: each once, by number. */
export function sentIn(events: Iterable<RowEvent>): Histories {
  const distinct = [...new Map(Array.from(events, (event) => [event.id, event])).values()]
  const inOrder = distinct.toSorted((one, other) => (one.sequence ?? 0) - (other.sequence ?? 0))
  return grouped(inOrder.map(({ type, record, previous }) => [record.id, markOf(type, previous)]))
}

interface Comparison {
  readonly isOrdered: boolean
  /** Whether the reader of the feed was away for so long that changes expired. */
  readonly missesChanges: boolean
  /** Whether the subscription dropped events because of their age. */
  readonly missesEvents: boolean
}

/** The rows whose events are not those of their changes, with both. */
export function eventFaults(owed: Histories, sent: Histories, comparison: Comparison): string[] {
  const { isOrdered, missesChanges, missesEvents } = comparison
  return [...new Set([...owed.keys(), ...sent.keys()])].flatMap((row) => {
    const [changes = [], events = []] = [owed, sent].map((histories) => {
      const marks = histories.get(row) ?? []
      return isOrdered ? marks : marks.toSorted()
    })
    const fits = (missesEvents || isPartOf(changes, events)) && (missesChanges || isPartOf(events, changes))
    return fits
      ? []
      : [`the row ${row} changed ${changes.join(', ')}, and its events are ${events.join(', ')}`]
  })
}

/** Whether a list is another one, or the other one without some items. */
function isPartOf(part: readonly string[], whole: readonly string[]): boolean {
  let found = 0
  for (const item of whole) if (item === part[found]) found += 1
  return found === part.length
}
