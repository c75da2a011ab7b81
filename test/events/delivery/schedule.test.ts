import { expect, test } from 'bun:test'
import { DeliverySchedule, slotsOf } from '../../../src/events/delivery/dispatch/delivery-schedule.ts'

const MIB = 1_048_576

test.each([
  [0, 1],
  [2 * MIB - 1, 1],
  [2 * MIB, 2],
  [10 * MIB, 10],
])('a body of %i bytes takes %i slots', (bytes, slots) => {
  expect(slotsOf(bytes)).toBe(slots)
})

const subscription = (workspace: number, webhook: number, isProven = false, inFlight = 0) => ({
  ...{ workspace, webhook, isProven, inFlight },
})

/** Takes every subscription that may begin an attempt; each takes one slot. */
function takeAll(schedule: DeliverySchedule, workspaceOf: (webhook: number) => number): number[] {
  const taken: number[] = []
  for (let next = schedule.next(); next !== undefined; next = schedule.next()) {
    taken.push(next)
    schedule.begin(workspaceOf(next), 1)
  }
  return taken
}

test('workspaces alternate, and so do the subscriptions of each', () => {
  const schedule = new DeliverySchedule()
  for (const webhook of [11, 12, 13, 21, 31, 32])
    schedule.add(subscription(Math.floor(webhook / 10), webhook))
  expect(takeAll(schedule, (webhook) => Math.floor(webhook / 10))).toEqual([11, 21, 31, 12, 32, 13])
  expect(schedule.next()).toBeUndefined()
})

test('a subscription that is added again waits for its next turn', () => {
  const schedule = new DeliverySchedule()
  for (const webhook of [11, 12]) schedule.add(subscription(1, webhook))
  expect(schedule.next()).toBe(11)
  schedule.add(subscription(1, 11))
  expect([schedule.next(), schedule.next(), schedule.next()]).toEqual([12, 11, undefined])
})

test('a workspace takes at most 28 slots for receivers that may hang, and half of all for others', () => {
  const counts = ([false, true] as const).map((isProven) => {
    const schedule = new DeliverySchedule()
    for (let webhook = 1; webhook <= 100; webhook++) schedule.add(subscription(1, webhook, isProven))
    return takeAll(schedule, () => 1).length
  })
  expect(counts).toEqual([28, 32])
})

test('a receiver is likely to respond only while it has no other attempt in flight', () => {
  const schedule = new DeliverySchedule()
  schedule.begin(1, 28)
  schedule.add(subscription(1, 11, true, 1))
  expect(schedule.next()).toBeUndefined()
  schedule.add(subscription(1, 12, true))
  expect(schedule.next()).toBe(12)
})

test('the last eight slots are for likely receivers, and for workspaces without an attempt in flight', () => {
  const schedule = new DeliverySchedule()
  schedule.begin(1, 30)
  schedule.begin(2, 25)
  schedule.begin(3, 1)
  schedule.add(subscription(3, 31))
  expect(schedule.next()).toBeUndefined()
  schedule.add(subscription(4, 41))
  expect(schedule.next()).toBe(41)
  schedule.end(1, 1)
  expect(schedule.next()).toBe(31)
})

test('no attempt begins without a free slot', () => {
  const schedule = new DeliverySchedule()
  for (const workspace of [1, 2]) schedule.begin(workspace, 32)
  schedule.add(subscription(3, 31, true))
  expect(schedule.next()).toBeUndefined()
  schedule.end(2, 1)
  expect(schedule.next()).toBe(31)
})

test('a workspace leaves as many slots free as it takes', () => {
  const schedule = new DeliverySchedule()
  schedule.begin(1, 20)
  schedule.begin(2, 24)
  schedule.add(subscription(1, 11))
  expect(schedule.next()).toBeUndefined()
  schedule.end(2, 1)
  expect(schedule.next()).toBe(11)
})
