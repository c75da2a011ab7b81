import { afterAll, afterEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { faultsIn, repair } from '../support/check.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { alter, sizesOf } from '../support/database.ts'
import { buildTextIndex, fillTextIndexPart, fillWholeTextIndex, indexesOf } from '../support/indexes.ts'
import { startJobs } from '../support/jobs.ts'
import { newFolder } from '../support/process.ts'
import { matches, type Row, sorted } from '../support/record-oracle.ts'
import { declare, type FieldSpec, list, summary, write } from '../support/records.ts'
import { settle, startService, type TestService } from '../support/service.ts'
import { deleteStructure } from '../support/structures.ts'

const folder = newFolder()
const open: TestService[] = []

async function start(file = ':memory:') {
  const service = await startService({ file })
  open.push(service)
  return service
}

afterEach(() => {
  for (const service of open.splice(0)) service.close()
})
afterAll(() => folder.remove())

const FIELDS: FieldSpec[] = [
  { key: 'title', type: 'text' },
  { key: 'remark', type: 'text' },
  { key: 'kind', type: 'select' },
  { key: 'n', type: 'number' },
  { key: 'at', type: 'datetime' },
  { key: 'day', type: 'date' },
  { key: 'done', type: 'bool' },
]

/**
 * Few characters of every sort, so that texts share runs: some fold, some are longer than one unit or special to FTS.
 */
const CHARACTERS = ['a', 'A', 'b', 'é', 'E\u0301', 'Σ', 'ς', '日', '本', '😀', '𐐀', '\ue020', '\ufffd']
const SIGNS = [' ', '"', '*', "'", '%', '-', '(', ':', '\n', '\t', '0', '1', 'NOT ', ' AND ']
const arbitraryText = (minLength: number, maxLength: number) =>
  fc
    .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...CHARACTERS) }, fc.constantFrom(...SIGNS)), {
      minLength,
      maxLength,
    })
    .map((parts) => parts.join(''))

/** Longer than the index allows for a word. */
const arbitraryLongWord = fc
  .array(fc.constantFrom(...CHARACTERS), { minLength: 25, maxLength: 90 })
  .map((parts) => parts.join(''))

const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { freq: 3 })

const arbitraryData = fc.record({
  title: optional(fc.oneof(arbitraryText(0, 12), arbitraryLongWord)),
  remark: optional(arbitraryText(0, 6)),
  kind: optional(fc.constantFrom('open', 'Open', 'abAb', '日本日本')),
  n: optional(fc.constantFrom(0, -1, 1e21, 123456.5, 10101, 5e-7)),
  at: optional(fc.constantFrom('2026-11-21T00:00:00Z', '1950-06-01T12:00:00.5-05:00')),
  day: optional(fc.constantFrom('2026-11-21', '1999-12-31')),
  done: optional(fc.boolean()),
})

/** Search texts: any text, a part of a value, or a value as written. */
const arbitraryNeedle = fc.oneof(
  arbitraryText(1, 6).filter((text) => text.length > 0),
  fc.constantFrom(
    'true',
    'als',
    '00z',
    '12:',
    '-11-21',
    '1e+21',
    '.5',
    'OPEN',
    'pen',
    'abab',
    '日本日',
    '本日本',
  ),
  fc.record({ row: fc.nat(30), from: fc.nat(8), length: fc.integer({ min: 2, max: 7 }) }),
  fc.record({ row: fc.nat(30), from: fc.nat(60), length: fc.integer({ min: 3, max: 40 }) }),
)

const arbitraryChange = fc.record({
  what: fc.constantFrom('change', 'delete', 'delete', 'restore', 'add', 'fill'),
  row: fc.nat(30),
  data: arbitraryData,
})

const arbitraryScene = fc.record({
  rows: fc.array(arbitraryData, { minLength: 1, maxLength: 15 }),
  filled: fc.nat(20),
  changes: fc.array(arbitraryChange, { maxLength: 10 }),
  needles: fc.array(arbitraryNeedle, { minLength: 5, maxLength: 8 }),
})

type Needle = typeof arbitraryNeedle extends fc.Arbitrary<infer Value> ? Value : never

function textOf(needle: Needle, rows: readonly Row[]): string {
  if (typeof needle === 'string') return needle
  const row = rows[needle.row % Math.max(1, rows.length)]
  const points = Array.from(String(row?.data.title ?? 'nothing'))
  return points.slice(needle.from, needle.from + needle.length).join('') || 'nothing'
}

/** Applies the changes of the scene to the rows; returns the rows that are live afterwards. */
async function disturb(
  service: TestService,
  id: string,
  rows: Row[],
  changes: { what: string; row: number; data: Row['data'] }[],
) {
  const gone: Row[] = []
  let live = rows
  for (const { what, row: place, data } of changes) {
    const row = live[place % Math.max(1, live.length)]
    service.clock.advance(1)
    if (what === 'fill') await fillTextIndexPart(service, id, place)
    if (what === 'add') live = [...live, ...(await write(service, id, data))]
    if (what === 'change' && row) {
      const { body } = await service.patch(`/v1/records/${row.id}`, { data })
      live = live.map((one) => (one === row ? body.record : one))
    }
    if (what === 'delete' && row) {
      await service.delete(`/v1/records/${row.id}`)
      live = live.filter((one) => one !== row)
      gone.push(row)
    }
    const back = what === 'restore' ? gone.pop() : undefined
    if (back) live = [...live, (await service.post(`/v1/records/${back.id}/restore`)).body.record]
  }
  return live
}

test(
  'with a search table in any state, every search returns the result of a plain scan',
  async () => {
    const service = await start()
    let count = 0
    await fc.assert(
      fc.asyncProperty(arbitraryScene, async ({ rows: sent, filled, changes, needles }) => {
        const { id } = await declare(service, `scene ${++count}`, FIELDS)
        const first = await write(service, id, ...sent)
        await buildTextIndex(service, id)
        await fillTextIndexPart(service, id, filled)
        const rows = await disturb(service, id, first, changes as Parameters<typeof disturb>[3])
        const ask = async () => {
          for (const [at, needle] of needles.entries()) {
            const filter = [
              { field: '*', op: 'contains', value: textOf(needle, rows) },
              ...(at % 3 === 0 ? [{ field: 'done', op: 'neq', value: true }] : []),
              ...(at % 4 === 0 ? [{ field: '*', op: 'contains', value: 'abA' }] : []),
            ]
            const found = rows.filter((row) => matches(row, FIELDS, filter))
            const records = sorted(found, { key: 'created_at', direction: 'desc' }).slice(1, 4)
            const answer = await list(service, id, { filter, limit: 3, offset: 1 })
            const has_more = records.length > 0 && found.length > 1 + records.length
            expect({ filter, ...answer.body }).toEqual({ filter, records, total: found.length, has_more })
            const { body } = await summary(service, id, { filter })
            expect(body.buckets[0]?.count ?? 0).toBe(found.length)
          }
        }
        await ask()
        while (await fillTextIndexPart(service, id, 7));
        await ask()
      }),
      { numRuns: runs(25, 1000) },
    )
    expect(faultsIn(service)).toEqual([])
  },
  RANDOM_CASES_MS,
)

/** Creates a structure of 1,200 rows that all contain "some text", with its search table filled. */
async function searched(service: TestService) {
  const { id } = await declare(service, 'entries', [{ key: 'title', type: 'text' }])
  const rows: Row[] = []
  for (let at = 0; at < 1_200; at += 400)
    rows.push(
      ...(await write(
        service,
        id,
        ...Array.from({ length: 400 }, (_, index) => ({ title: `some text ${at + index}` })),
      )),
    )
  await buildTextIndex(service, id)
  await fillWholeTextIndex(service, id)
  return { id, rows }
}

const titles = async (service: TestService, value: string) => {
  const { body } = await list(service, 'entries', {
    filter: [{ field: '*', op: 'contains', value }],
    limit: 2,
  })
  return { total: body.total, titles: body.records.map((row: Row) => row.data.title) }
}

test('texts in too many rows for the index are found by a scan, also page by page', async () => {
  const service = await start()
  await searched(service)
  expect(await titles(service, 'TEXT')).toEqual({
    total: 1_200,
    titles: ['some text 1199', 'some text 1198'],
  })
  expect(await titles(service, 'text')).toEqual({
    total: 1_200,
    titles: ['some text 1199', 'some text 1198'],
  })
  expect(await titles(service, 't 77')).toEqual({ total: 11, titles: ['some text 779', 'some text 778'] })
  expect(await titles(service, 't 77')).toEqual({ total: 11, titles: ['some text 779', 'some text 778'] })
  expect(await titles(service, '77')).toEqual({ total: 21, titles: ['some text 1177', 'some text 1077'] })
})

test('a text that is in many different words, several of them in one row, is counted once for each row', async () => {
  const service = await start()
  const { id } = await declare(service, 'marks', [{ key: 'title', type: 'text' }])
  const texts = Array.from({ length: 400 }, (_, at) => {
    const words = [`${at % 70}mark`, 'mark', `mark${at % 90}`, `a${at % 11}marks`]
    return at % 7 === 0 ? `none ${at}` : words.slice(at % 4).join(' ')
  })
  const rows = await write(service, 'marks', ...texts.map((title) => ({ title })))
  await buildTextIndex(service, id)
  await fillWholeTextIndex(service, id)
  const withMark = texts.filter((text) => text.includes('mark')).length
  const total = async () =>
    (await list(service, 'marks', { filter: [{ field: '*', op: 'contains', value: 'mark' }] })).body.total
  expect(await total()).toBe(withMark)
  // Changes one row with the text and one without, before the index is updated.
  await service.patch(`/v1/records/${rows[1].id}`, { data: { title: 'none' } })
  await service.delete(`/v1/records/${rows[2].id}`)
  await service.patch(`/v1/records/${rows[0].id}`, { data: { title: 'mark 3mark' } })
  expect(await total()).toBe(withMark - 1)
  await fillWholeTextIndex(service, id)
  await write(service, 'marks', { title: 'newmark' })
  expect(await total()).toBe(withMark)
})

test('a row with the pk of one that a mirror removed is found', async () => {
  const service = await start()
  const { id, rows } = await searched(service)
  const last = rows.at(-1)?.id ?? ''
  await service.delete(`/v1/records/${last}`)
  await fillWholeTextIndex(service, id)
  await alter(service, 'DELETE FROM records WHERE id = ?', last)
  await write(service, id, { title: 'another text' })
  expect(await titles(service, 'another')).toEqual({ total: 1, titles: ['another text'] })
  await fillWholeTextIndex(service, id)
  expect(await titles(service, 'another')).toEqual({ total: 1, titles: ['another text'] })
  expect(faultsIn(service)).toEqual([])
})

test('jobs fill a text index beside writes that change its content', async () => {
  const service = await start(folder.file('background.db'))
  const { id } = await declare(service, 'entries', [{ key: 'title', type: 'text' }])
  const rows = await write(service, id, ...Array.from({ length: 400 }, (_, at) => ({ title: `entry ${at}` })))
  await buildTextIndex(service, id)
  const runner = startJobs(service.ctx)
  for (const row of rows.slice(0, 20)) {
    await service.patch(`/v1/records/${row.id}`, { data: { title: `changed ${row.data.title}` } })
    await write(service, id, { title: 'new' })
  }
  const isFilled = () =>
    service.logged().some(({ message, column }) => message === 'index built' && column === '*')
  while (!isFilled()) {
    service.clock.advance(200)
    await settle()
  }
  await runner.stop()
  expect((await titles(service, 'changed entry 1')).total).toBe(11)
  await service.ctx.worker.close()
})

test.each([
  [
    'an entry that is missing',
    'DELETE FROM rows_1_text WHERE rowid = 3',
    'The entry 3 of the search table rows_1_text is missing.',
  ],
  [
    'an entry of no row',
    "INSERT INTO rows_1_text (rowid, words) VALUES (99999, 'gone')",
    'The entry 99999 of the search table rows_1_text is left over.',
  ],
  [
    'an entry of another text',
    "INSERT OR REPLACE INTO rows_1_text (rowid, words) VALUES (3, 'other text 2')",
    'The search table rows_1_text holds other words than the texts.',
  ],
  ['no table', 'DROP TABLE rows_1_text', 'The search table rows_1_text is missing.'],
])('%s in a search table is a fault, and a repair builds the table again', async (_, damage, sentence) => {
  const service = await start()
  await searched(service)
  await alter(service, damage)
  expect(faultsIn(service)).toEqual([sentence])
  await repair(service)
  expect(faultsIn(service)).toEqual([])
  expect(indexesOf(service)).toEqual(['*'])
  expect((await titles(service, 'text 777')).total).toBe(1)
})

test('a deleted structure deletes its search table and pending entries', async () => {
  const service = await start()
  const { id, rows } = await searched(service)
  await service.patch(`/v1/records/${rows[0]?.id}`, { data: { title: 'changed' } })
  await deleteStructure(service, id)
  const tables = "sqlite_schema WHERE name LIKE 'rows!_1!_%' ESCAPE '!'"
  expect(sizesOf(service, 'row_search_pending', tables)).toEqual([0, 0])
})
