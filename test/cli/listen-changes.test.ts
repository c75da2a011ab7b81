import { expect, test } from 'bun:test'
import { type ApiRecord, ChangeDetector, type WatchAnswer } from '../../src/cli/listen/changes.ts'
import { isoTimestamp } from '../../src/lib/dates.ts'

const record = (id: string, changedAt: number, madeAt = 0): ApiRecord => ({
  id,
  data: {},
  created_at: isoTimestamp(madeAt),
  updated_at: isoTimestamp(changedAt),
  deleted_at: null,
})

/** A page that is not the last one. */
const page = (records: ApiRecord[], changes: WatchAnswer['changes']): WatchAnswer => ({
  structure: { id: 's', name: 'S' },
  records,
  has_more: true,
  changes,
})

const changesIn = (detector: ChangeDetector, answer: WatchAnswer) =>
  detector.detect(answer).changes.map(({ type, record: { id } }) => `${type} ${id}`)

test('a row that was made and changed between two answers is created', () => {
  const detector = new ChangeDetector()
  detector.detect(page([record('b', 20), record('a', 10)], undefined))
  const created = [record('d', 32, 31), record('c', 31, 5)]
  const next = page([...created, record('b', 20)], { created, updated: [], removed: ['a'] })
  expect(changesIn(detector, next)).toEqual(['record.updated c', 'record.created d'])
})

test('a deleted row that comes back is created, its deletion was its last change', () => {
  const detector = new ChangeDetector()
  const row = record('a', 10)
  detector.detect(page([row, record('b', 5)], undefined))
  const removed = detector.detect(
    page([record('b', 5)], { created: [], updated: [], removed: ['a'] }),
  ).removed
  expect(removed).toEqual([row])
  const late = detector.deletionOf(row, 3)
  expect(late.record).toEqual({ ...row, updated_at: isoTimestamp(11), deleted_at: isoTimestamp(11) })
  const back = record('a', 12)
  const again = page([back, record('b', 5)], { created: [back], updated: [], removed: [] })
  expect(changesIn(detector, again)).toEqual(['record.created a'])
})
