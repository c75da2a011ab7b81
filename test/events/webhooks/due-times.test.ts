import { expect, test } from 'bun:test'
import { dueTimeOf } from '../../../src/log/due.ts'

const DAY_MS = 86_400_000

/**
 * A second implementation: the first instant at which local clocks show that time, otherwise the offset of the previous
 * day.
 */
test.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago'])(
  'a year with both changes of the clock is right in %s',
  (tz) => {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'short' })
    const start = Date.parse('2026-01-01T00:00:00Z')
    const first = new Map<string, number>()
    for (let at = start - 3 * DAY_MS; at < start + 367 * DAY_MS; at += 900_000) {
      const local = format.format(at)
      if (!first.has(local)) first.set(local, at)
    }
    let skipped = 0
    for (let day = 0; day < 365; day++) {
      const [before = '', date = ''] = [day - 1, day].map((at) =>
        new Date(start + at * DAY_MS).toISOString().slice(0, 10),
      )
      const offset = (first.get(`${before} 12:00`) ?? 0) - Date.parse(`${before}T12:00Z`)
      for (const at of [
        '00:00',
        '00:30',
        '01:00',
        '01:30',
        '01:45',
        '02:00',
        '02:15',
        '02:30',
        '03:00',
        '08:00',
      ]) {
        const known = first.get(`${date} ${at}`)
        if (known === undefined) skipped += 1
        expect(dueTimeOf({ field: 'day', at, tz }, date)).toBe(known ?? Date.parse(`${date}T${at}Z`) + offset)
      }
    }
    expect(skipped).toBeGreaterThan(0)
  },
)

test('a datetime is offset by days of 24 hours', () => {
  const moved = dueTimeOf({ field: 'time', offset_days: -2 }, '2026-03-29T10:00:00.000Z')
  expect(moved).toBe(Date.parse('2026-03-27T10:00:00.000Z'))
})
