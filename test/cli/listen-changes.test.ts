import { expect, test } from 'bun:test'
import { ChangeReader, type WatchAnswer, type WireRecord } from '../../src/cli/listen/changes.ts'
import { isoTimestamp } from '../../src/lib/dates.ts'

const record = (id: string, changedAt: number, madeAt = 0): WireRecord => ({
  id,
  data: {},
  created_at: isoTimestamp(madeAt),
  updated_at: isoTimestamp(changedAt),
  deleted_at: null,
})

/** A page beyond which other rows stand. */
const page = (records: WireRecord[], changes: WatchAnswer['changes']): WatchAnswer => ({
  structure: { id: 's', name: 'S' },
  records,
  has_more: true,
  changes,
})

const told = (reader: ChangeReader, answer: WatchAnswer) =>
  reader.read(answer).changes.map(({ type, record: { id } }) => `${type} ${id}`)

test('a row that was made and changed between two answers is created', () => {
  const reader = new ChangeReader()
  reader.read(page([record('b', 20), record('a', 10)], undefined))
  const created = [record('d', 32, 31), record('c', 31, 5)]
  const next = page([...created, record('b', 20)], { created, updated: [], removed: ['a'] })
  expect(told(reader, next)).toEqual(['record.updated c', 'record.created d'])
})

test('a deleted row that comes back is created, its deletion was its last change', () => {
  const reader = new ChangeReader()
  const row = record('a', 10)
  reader.read(page([row, record('b', 5)], undefined))
  const removed = reader.read(page([record('b', 5)], { created: [], updated: [], removed: ['a'] })).removed
  expect(removed).toEqual([row])
  const late = reader.deleted(row, 3)
  expect(late.record).toEqual({ ...row, updated_at: isoTimestamp(11), deleted_at: isoTimestamp(11) })
  const back = record('a', 12)
  const again = page([back, record('b', 5)], { created: [back], updated: [], removed: [] })
  expect(told(reader, again)).toEqual(['record.created a'])
})
