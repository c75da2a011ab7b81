import { expect, test } from 'bun:test'
import { ExpectedNotes } from '../../scripts/soak/oracle/expected-notes.ts'
import {
  ExpectedRows,
  type FoundRow,
  type RowData,
  type RowWrite,
} from '../../scripts/soak/oracle/expected-rows.ts'
import { Violations } from '../../scripts/soak/report.ts'

/*
 * The soak reports lost, duplicated and half-written data. Otherwise a run without violations would prove nothing.
 */

const data = (key: string, round = 0): RowData => ({ key, lane: 'red', round, amount: 1, text: '' })
const found = (key: string, round = 0): FoundRow => ({ id: `id of ${key}`, data: data(key, round) })

const writing = (...keys: string[]): RowWrite => ({
  keyId: 'key',
  changes: keys.map((key) => ({ before: undefined, after: { data: data(key), isDeleted: false } })),
})

const changing = (key: string, isDeleted = false): RowWrite => ({
  keyId: 'key',
  changes: [
    {
      before: { ...found(key), isDeleted: false },
      after: { data: data(key, isDeleted ? 0 : 1), isDeleted },
    },
  ],
})

/** Returns the number of violations for these rows, after "a" and "b" were acknowledged. */
function violationsOf(rows: FoundRow[], ...unknown: RowWrite[]): number {
  const expected = new ExpectedRows()
  const violations = new Violations(['rows', 'notes'])
  expected.acknowledge(writing('a', 'b'), ['id of a', 'id of b'])
  for (const write of unknown) expected.addUncertain(write)
  expected.compare(rows, violations)
  return violations.count('rows')
}

const both = [found('a'), found('b')]

test('rows that are as acknowledged are no violation', () => {
  expect(violationsOf(both)).toBe(0)
})

test.each([
  ['lost', [found('a')]],
  ['duplicated', [...both, { ...found('b'), id: 'another' }]],
  ['changed', [found('a'), found('b', 1)]],
  ['not written by any actor', [...both, found('c')]],
])('a row that is %s is reported', (_what, rows) => {
  expect(violationsOf(rows)).toBeGreaterThan(0)
})

test('a write without a response is complete or absent', () => {
  expect(violationsOf(both, writing('c', 'd'))).toBe(0)
  expect(violationsOf([...both, found('c'), found('d')], writing('c', 'd'))).toBe(0)
  expect(violationsOf([...both, found('c')], writing('c', 'd'))).toBe(1)
  expect(violationsOf([found('a', 1), found('b')], changing('a'))).toBe(0)
  expect(violationsOf([found('b')], changing('a', true))).toBe(0)
  expect(violationsOf([found('a', 2), found('b')], changing('a'))).toBe(1)
})

test('a write without a response has its event if it was committed', () => {
  const eventsAfter = (rows: FoundRow[]) => {
    const expected = new ExpectedRows()
    expected.addUncertain(writing('c'))
    expected.compare(rows, new Violations(['rows', 'notes']))
    return expected.events.map(({ type, data: { key } }) => `${type} ${key}`)
  }
  expect(eventsAfter([])).toEqual([])
  expect(eventsAfter([found('c')])).toEqual(['record.created c'])
})

test('each change has its event: a row is created, updated, deleted, and created again by a restore', () => {
  const expected = new ExpectedRows()
  let before = expected.acknowledge(writing('a'), ['id of a'])[0]
  const change = (round: number, isDeleted: boolean) => {
    const changes = [{ before, after: { data: data('a', round), isDeleted } }]
    before = expected.acknowledge({ keyId: 'key', changes }, ['id of a'])[0]
  }
  change(1, false)
  change(1, true)
  change(1, false)
  expect(expected.events.map(({ type, changed }) => [type, changed])).toEqual([
    ['record.created', []],
    ['record.updated', ['round']],
    ['record.deleted', []],
    ['record.created', []],
  ])
})

test('a note that is lost, duplicated, changed or not written by any actor is reported', () => {
  const note = { id: '1', title: 'One', content: 'text', tags: [], isTrashed: false }
  const violationsIn = (...notes: (typeof note)[]) => {
    const expected = new ExpectedNotes()
    const violations = new Violations(['rows', 'notes'])
    expected.acknowledge(note)
    expected.addUncertainNew({ ...note, title: 'Two' })
    expected.addUncertain('1', { ...note, content: 'more text' })
    expected.compare(notes, violations)
    return violations.count('notes')
  }
  const two = { ...note, id: '2', title: 'Two' }
  expect(violationsIn(note)).toBe(0)
  expect(violationsIn({ ...note, content: 'more text' }, two)).toBe(0)
  expect(violationsIn()).toBe(1)
  expect(violationsIn({ ...note, content: 'other text' })).toBe(1)
  expect(violationsIn(note, two, { ...two, id: '3' })).toBe(1)
  expect(violationsIn(note, { ...note, id: '4' })).toBe(1)
})
