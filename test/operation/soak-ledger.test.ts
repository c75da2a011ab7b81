import { expect, test } from 'bun:test'
import { Findings } from '../../scripts/soak/findings.ts'
import { NoteLedger } from '../../scripts/soak/note-ledger.ts'
import { type FoundRow, type RowData, RowLedger, type RowWrite } from '../../scripts/soak/row-ledger.ts'

/*
 * What `bun run soak` would tell if something were lost, doubled or half-done; else its silence would mean nothing.
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

/** What is found wrong with these rows, after "a" and "b" were acknowledged. */
function faultsOf(rows: FoundRow[], ...unknown: RowWrite[]): number {
  const ledger = new RowLedger()
  const findings = new Findings()
  ledger.acknowledge(writing('a', 'b'), ['id of a', 'id of b'])
  for (const write of unknown) ledger.doubt(write)
  ledger.compare(rows, findings)
  return findings.count('rows')
}

const both = [found('a'), found('b')]

test('rows that are as acknowledged are no fault', () => {
  expect(faultsOf(both)).toBe(0)
})

test.each([
  ['lost', [found('a')]],
  ['doubled', [...both, { ...found('b'), id: 'another' }]],
  ['changed', [found('a'), found('b', 1)]],
  ['not written by anybody', [...both, found('c')]],
])('a row that is %s is told', (_what, rows) => {
  expect(faultsOf(rows)).toBeGreaterThan(0)
})

test('a write without an answer may be there whole, or not at all', () => {
  expect(faultsOf(both, writing('c', 'd'))).toBe(0)
  expect(faultsOf([...both, found('c'), found('d')], writing('c', 'd'))).toBe(0)
  expect(faultsOf([...both, found('c')], writing('c', 'd'))).toBe(1)
  expect(faultsOf([found('a', 1), found('b')], changing('a'))).toBe(0)
  expect(faultsOf([found('b')], changing('a', true))).toBe(0)
  expect(faultsOf([found('a', 2), found('b')], changing('a'))).toBe(1)
})

test('a write without an answer has its event if it is there', () => {
  const eventsAfter = (rows: FoundRow[]) => {
    const ledger = new RowLedger()
    ledger.doubt(writing('c'))
    ledger.compare(rows, new Findings())
    return ledger.events.map(({ type, data: { key } }) => `${type} ${key}`)
  }
  expect(eventsAfter([])).toEqual([])
  expect(eventsAfter([found('c')])).toEqual(['record.created c'])
})

test('each change has its event: a row is created, updated, deleted, and created again when it is restored', () => {
  const ledger = new RowLedger()
  let before = ledger.acknowledge(writing('a'), ['id of a'])[0]
  const change = (round: number, isDeleted: boolean) => {
    const changes = [{ before, after: { data: data('a', round), isDeleted } }]
    before = ledger.acknowledge({ keyId: 'key', changes }, ['id of a'])[0]
  }
  change(1, false)
  change(1, true)
  change(1, false)
  expect(ledger.events.map(({ type, changed }) => [type, changed])).toEqual([
    ['record.created', []],
    ['record.updated', ['round']],
    ['record.deleted', []],
    ['record.created', []],
  ])
})

test('a note that is lost, doubled, changed or not written by anybody is told', () => {
  const note = { id: '1', title: 'One', content: 'text', tags: [], isTrashed: false }
  const faults = (...notes: (typeof note)[]) => {
    const ledger = new NoteLedger()
    const findings = new Findings()
    ledger.acknowledge(note)
    ledger.doubtNew({ ...note, title: 'Two' })
    ledger.doubt('1', { ...note, content: 'more text' })
    ledger.compare(notes, findings)
    return findings.count('notes')
  }
  const two = { ...note, id: '2', title: 'Two' }
  expect(faults(note)).toBe(0)
  expect(faults({ ...note, content: 'more text' }, two)).toBe(0)
  expect(faults()).toBe(1)
  expect(faults({ ...note, content: 'other text' })).toBe(1)
  expect(faults(note, two, { ...two, id: '3' })).toBe(1)
  expect(faults(note, { ...note, id: '4' })).toBe(1)
})
