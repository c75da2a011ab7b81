import { expect, test } from 'bun:test'
import type { FeedChange } from '../support/changes.ts'
import { eventFaults, owedBy, type RowEvent, sentIn } from './events.ts'

/* The oracle of the simulation notices each way in which events can contradict the changes. */

const TABLE = 'tasks'
const CHANGES: readonly FeedChange[] = (
  [
    ['created', 'a', undefined],
    ['created', 'b', undefined],
    ['updated', 'a', 1],
    ['deleted', 'a', undefined],
    ['restored', 'a', undefined],
  ] as const
).map(([op, id, n], at) => ({
  ...{ cursor: `${at}`, transaction: `${at}`, kind: 'record', op, id, structure_id: TABLE },
  ...{ changed: n === undefined ? [] : ['n'], previous: n === undefined ? {} : { n } },
}))

const TYPES = ['record.created', 'record.created', 'record.updated', 'record.deleted', 'record.created']
const EVENTS = CHANGES.map(
  ({ id, previous }, at): RowEvent => ({
    ...{ id: `event ${at}`, type: TYPES[at] ?? '', occurred_at: '2026-11-21T09:30:00.000Z' },
    ...{ record: { id: String(id) }, previous, sequence: at + 1 },
  }),
)
const KNOWN = { isOrdered: true, missesChanges: false, missesEvents: false }
const faultsOf = (events: readonly RowEvent[], how: Partial<typeof KNOWN> = {}, changes = CHANGES) =>
  eventFaults(owedBy(changes, TABLE), sentIn(events), { ...KNOWN, ...how }).length
const [first, second, ...others] = EVENTS as [RowEvent, RowEvent, ...RowEvent[]]

test('each change causes one event, however often it arrives', () => {
  expect(faultsOf(EVENTS)).toBe(0)
  expect(faultsOf([...EVENTS, ...EVENTS], { isOrdered: false })).toBe(0)
})

test('notices a lost event, an additional one, and one of another change', () => {
  expect(faultsOf([first, ...others])).toBe(1)
  expect(faultsOf([...EVENTS, { ...second, id: 'again', sequence: 6 }])).toBe(1)
  expect(faultsOf(EVENTS.map((event, at) => (at === 2 ? { ...event, previous: { n: 2 } } : event)))).toBe(1)
})

test('notices numbers in another order than the changes, where events are ordered', () => {
  const swapped = EVENTS.map((event, at) => ({ ...event, sequence: [1, 2, 4, 3, 5][at] ?? 0 }))
  expect(faultsOf(swapped)).toBe(1)
  expect(faultsOf(swapped, { isOrdered: false })).toBe(0)
})

test('allows events without changes, or changes without events, only to readers that were away', () => {
  expect(faultsOf(EVENTS, { missesChanges: true }, CHANGES.slice(2))).toBe(0)
  expect(faultsOf(EVENTS.slice(2), { missesChanges: true })).toBe(2)
  expect(faultsOf(EVENTS.slice(2), { missesEvents: true })).toBe(0)
  expect(faultsOf(EVENTS, { missesEvents: true }, CHANGES.slice(2))).toBe(2)
})
