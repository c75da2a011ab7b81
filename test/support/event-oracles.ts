import type { Answer, Client } from './service.ts'

/*
 * The guarantees of events, as functions that return contradictions: the order of each object, numbers without gaps,
 * and a pull subscription as a list that acknowledgements shorten.
 */

/** An event of an ordered subscription. */
export interface OrderedEvent {
  readonly sequence: number
  /** The id of the row, note or file. */
  readonly object: string
}

/**
 * Contradictions to the order of each object, in the order of arrival. A server that was killed may repeat the last
 * event of an object, but none before it. Manual redeliveries must be left out.
 */
export function orderFaults(arrived: Iterable<OrderedEvent>): string[] {
  const last = new Map<string, number>()
  const faults: string[] = []
  for (const { sequence, object } of arrived) {
    const before = last.get(object) ?? 0
    if (sequence < before) faults.push(`${object}: ${sequence} arrived after ${before}`)
    last.set(object, Math.max(before, sequence))
  }
  return faults
}

/** Contradictions to numbers from 1 without gaps; numbers may repeat. */
export function gapFaults(numbers: Iterable<number>): string[] {
  const known = new Set(numbers)
  return Array.from({ length: Math.max(0, ...known) }, (_, index) => index + 1)
    .filter((number) => !known.has(number))
    .map((number) => `${number} is missing`)
}

/** The events of a pull subscription: their marks in commit order, and the number of acknowledged ones. */
export interface Pulled {
  readonly committed: readonly string[]
  readonly done: number
}

export const NO_EVENTS: Pulled = { committed: [], done: 0 }

export const committing = ({ committed, done }: Pulled, mark: string): Pulled => ({
  committed: [...committed, mark],
  done,
})

/** A page of events, reduced to their marks and to the numbers in their payloads. */
export interface PulledPage {
  readonly marks: readonly string[]
  readonly sequences: readonly number[]
  readonly hasMore: boolean
}

/** The events after an earlier one, or after the acknowledged ones. */
export const pageFits = (
  { committed, done }: Pulled,
  { marks, sequences, hasMore }: PulledPage,
  limit: number,
  after?: string,
): boolean => {
  const begin = Math.max(done, after === undefined ? 0 : committed.indexOf(after) + 1)
  const expected = committed.slice(begin, begin + limit)
  return (
    Bun.deepEquals(marks, expected) &&
    Bun.deepEquals(
      sequences,
      expected.map((_, index) => begin + index + 1),
    ) &&
    hasMore === committed.length > begin + limit
  )
}

/** The state after an acknowledgement up to a mark; undefined if `pending` is wrong. */
export function acknowledging(state: Pulled, mark: string, pending?: number): Pulled | undefined {
  const { committed } = state
  const done = Math.max(state.done, committed.indexOf(mark) + 1)
  if (pending !== undefined && pending !== committed.length - done) return undefined
  return { committed, done }
}

/** Reads a page of the events of rows with a field `mark`. `cursors` learns the cursor of each mark. */
export async function readPulled(
  client: Pick<Client, 'get'>,
  webhook: string,
  cursors: Map<string, string>,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<Answer & { page: PulledPage }> {
  const start = after === undefined ? '' : `&after=${cursors.get(after)}`
  const answer = await client.get(`/v1/webhooks/${webhook}/events?limit=${limit}${start}`)
  const marks: string[] = []
  const sequences: number[] = []
  for (const { cursor, payload } of answer.body.events ?? []) {
    marks.push(payload.record.data.mark)
    sequences.push(payload.sequence)
    cursors.set(payload.record.data.mark, cursor)
  }
  return { ...answer, page: { marks, sequences, hasMore: answer.body.has_more } }
}
