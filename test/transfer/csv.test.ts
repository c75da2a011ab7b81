import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { spawnSync } from 'bun'
import fc from 'fast-check'
import { runInProcess } from '../support/cli.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { field } from '../support/records.ts'
import { newTableTest, type TableTest } from '../support/tables.ts'

let table: TableTest

beforeEach(async () => {
  table = await newTableTest()
})
afterEach(() => table.remove())

const service = () => table.service()
const rowsOf = (structure: string) => table.rows(structure)

/** Imports the text; also returns the report. */
async function importText(text: string | Uint8Array, ...flags: string[]) {
  const outcome = await table.run(text, '--json', ...flags)
  return { ...outcome, report: outcome.out === '' ? undefined : JSON.parse(outcome.out) }
}

const structures = async () => (await service().get('/v1/records/structures')).body.structures

describe('a new structure', () => {
  test.each([
    ['a word among numbers', '5', 'none', 'text'],
    ['a decimal comma', '5', '1,5', 'number'],
    ['the end of a column of days', '2026-01-31', '2026-02-01T10:00:00Z', 'datetime'],
  ])('has the type that the last row needs, after many rows: %s', async (_, cell, last, type) => {
    // The last row is in the second chunk of the file, and the first chunk has more rows than the types are chosen by.
    const rows = Array.from({ length: 13_000 }, (__, at) => `${at},${cell}`.padStart(21, '0'))
    const { report } = await importText(['n,value', ...rows, `x,"${last}"`].join('\n'), '--structure', 'Late')
    expect(report).toMatchObject({
      fields: [
        { key: 'n', type: 'text' },
        { key: 'value', type },
      ],
      inserted: 13_001,
      refused_count: 0,
    })
    const { total } = (await service().get('/v1/records?structure=Late&limit=1')).body
    expect(total).toBe(13_001)
    expect((await structures()).length).toBe(1)
    // The log has no trace of the rows that were discarded, and keeps the author beside a later one.
    await service().post('/v1/notes', { title: 'Later' })
    expect((await service().get('/v1/changes/transactions?structure=Late')).body.transactions).toMatchObject([
      {
        actor: { name: 'command line' },
        counts: [
          { kind: 'structure', n: 1 },
          { kind: 'record', n: 13_001 },
        ],
      },
    ])
    const [first] = (await service().get('/v1/changes?structure=Late&limit=1')).body.changes
    expect(first.cursor).toBe(first.transaction)
  })

  test('gets a field for each column, of the type that fits all its cells', async () => {
    const { exitCode, report } = await importText(
      [
        'Title,Due date,Amount,Paid,At,Moment,Code,Größe,数量,id,Title',
        'Tea,2026-11-21,4.50,TRUE,09:30,2026-11-21T09:30:00Z,007,3,1,x,a',
        '"a ""b"", c",2026-02-28,-1e3,false,23:59:01,2026-11-21T09:30:00+02:00,12,0,2,y,b',
        ',,,,,,,,,,',
      ].join('\n'),
      '--structure',
      'Errands',
    )
    expect(exitCode).toBe(0)
    expect(report).toEqual({
      structure: { id: expect.any(String), name: 'Errands', is_new: true },
      fields: [
        { key: 'title', type: 'text' },
        { key: 'due_date', type: 'date' },
        { key: 'amount', type: 'number' },
        { key: 'paid', type: 'bool' },
        { key: 'at', type: 'time' },
        { key: 'moment', type: 'datetime' },
        { key: 'code', type: 'text' },
        { key: 'gro_e', type: 'number' },
        { key: 'field_9', type: 'number' },
        { key: 'field_id', type: 'text' },
        { key: 'title_2', type: 'text' },
      ],
      demoted: [],
      inserted: 2,
      updated: 0,
      refused_count: 0,
      refused: [],
      written: true,
    })
    expect((await structures())[0].fields.map(({ label }: { label: string }) => label)).toEqual(
      'Title,Due date,Amount,Paid,At,Moment,Code,Größe,数量,id,Title'.split(','),
    )
    expect(await rowsOf('Errands')).toEqual([
      {
        title: 'Tea',
        due_date: '2026-11-21',
        amount: 4.5,
        paid: true,
        at: '09:30:00',
        moment: '2026-11-21T09:30:00.000Z',
        code: '007',
        gro_e: 3,
        field_9: 1,
        field_id: 'x',
        title_2: 'a',
      },
      {
        title: 'a "b", c',
        due_date: '2026-02-28',
        amount: -1000,
        paid: false,
        at: '23:59:01',
        moment: '2026-11-21T07:30:00.000Z',
        code: '12',
        gro_e: 0,
        field_9: 2,
        field_id: 'y',
        title_2: 'b',
      },
    ])
  })

  test.each([
    ['semicolons and CRLF', 'a;b\r\n1;"x\r\ny"\r\n', [{ a: 1, b: 'x\r\ny' }]],
    ['tabs and a byte order mark', '\ufeffa\tb\n1\tx\n', [{ a: 1, b: 'x' }]],
    [
      'no line break at the end, and empty lines',
      'a,b\n\n1,x\n\n2,y',
      [
        { a: 1, b: 'x' },
        { a: 2, b: 'y' },
      ],
    ],
    ['one column', 'a\nx\ny z\n', [{ a: 'x' }, { a: 'y z' }]],
    ['integers that no double holds', 'a\n9007199254740993\n1\n', [{ a: '9007199254740993' }, { a: '1' }]],
    ['numbers with an exponent, however large', 'a\n1e21\n-5E300\n', [{ a: 1e21 }, { a: -5e300 }]],
    ['a number that no double holds', 'a\n1e400\n1\n', [{ a: '1e400' }, { a: '1' }]],
    [
      'decimals of more digits than a double holds',
      'a\n0.12345678901234567890\n0.5\n',
      [{ a: '0.12345678901234567890' }, { a: '0.5' }],
    ],
    ['a number too small for a double', 'a\n1e-400\n0.0\n', [{ a: '1e-400' }, { a: '0.0' }]],
    [
      'doubles in 17 digits',
      'a\n0.10000000000000001\n-1.7976931348623157e308\n0.00000000000000000000\n',
      [{ a: 0.1 }, { a: -1.7976931348623157e308 }, { a: 0 }],
    ],
    [
      'IP addresses',
      'a\n192.168.100.200\n192.168.100.201\n',
      [{ a: '192.168.100.200' }, { a: '192.168.100.201' }],
    ],
    ['a day that is none', 'a\n2026-02-30\n2026-02-28\n', [{ a: '2026-02-30' }, { a: '2026-02-28' }]],
    ['short rows', 'a,b\n1\n', [{ a: 1 }]],
  ])('can come from a file with %s', async (_, text, rows) => {
    const { exitCode } = await importText(text, '--structure', 'Rows')
    expect([exitCode, await rowsOf('Rows')]).toEqual([0, rows])
  })

  test.each([
    ['little endian', (bytes: Buffer) => bytes],
    ['big endian', (bytes: Buffer) => bytes.swap16()],
  ])('can come from UTF-16 in %s, as spreadsheets save it', async (_, ordered) => {
    await importText(ordered(Buffer.from('\ufeffa\tb\r\nÄ\t数\r\n', 'utf16le')), '--structure', 'Rows')
    expect(await rowsOf('Rows')).toEqual([{ a: 'Ä', b: '数' }])
  })

  test(
    'stores any text byte for byte but the apostrophe before a formula, however the file is split',
    async () => {
      const stored = (cell: string) => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)
      const text = fc.string({ unit: 'grapheme', maxLength: 30 }).map((value) => value.replaceAll('\0', ''))
      const cell = fc.oneof(text, fc.constantFrom('', '"', ',', '\n', '\r\n', 'a"b', ' x '))
      const table = fc
        .integer({ min: 2, max: 4 })
        .chain((width) =>
          fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 20 }),
        )
      const lineBreak = fc.constantFrom('\n', '\r\n')
      const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`
      let number = 0
      await fc.assert(
        fc.asyncProperty(table, lineBreak, async (rows, end) => {
          const name = `Rows${number++}`
          // The first row makes every column a text.
          const all = [rows[0]?.map(() => 'text') ?? [], ...rows]
          const header = all[0]?.map((_, at) => `c${at}`) ?? []
          const file = [header, ...all].map((cells) => cells.map(quoted).join(',') + end).join('')
          expect((await importText(file, '--structure', name)).err.replace(/rows: .*\n/g, '')).toBe('')
          const expected = all.map((cells) =>
            Object.fromEntries(
              cells.flatMap((value, at) => (value === '' ? [] : [[`c${at}`, stored(value)]])),
            ),
          )
          expect(await rowsOf(name)).toEqual(expected)
        }),
        { numRuns: runs(15, 300), examples: [[[["'-", "''=", "'a", '']], '\n']] },
      )
    },
    RANDOM_CASES_MS,
  )

  test('ignores the columns of formulas and roll-ups', async () => {
    const fields = [
      ...[field('n', 'number'), field('parent', 'record', { structure: 'Sums' })],
      field('double', 'formula', { expression: '{n} * 2' }),
    ]
    await service().post('/v1/records/structures', { name: 'Sums', fields })
    const parts = field('parts', 'rollup', {
      via: { structure: 'Sums', field: 'parent' },
      function: 'count',
    })
    await service().patch('/v1/records/structures/Sums', { fields: [...fields, parts] })
    const { exitCode } = await importText('n,double,parts\n4,1,x\n', '--structure', 'Sums')
    expect([exitCode, await rowsOf('Sums')]).toEqual([0, [{ n: 4, double: 8, parts: 0 }]])
  })

  test('imports rows beyond the first chunk of the file, in their order', async () => {
    const lines = Array.from({ length: 60_000 }, (_, at) => `${at},"line ${at}, as ""said"" in the file"`)
    const { report } = await importText(['n,text', ...lines].join('\n'), '--structure', 'Rows')
    expect(report.inserted).toBe(60_000)
    for (const offset of [0, 31_117, 59_999]) {
      const { body } = await service().get(
        `/v1/records?structure=Rows&limit=1&direction=asc&offset=${offset}`,
      )
      expect(body.records[0].data).toEqual({ n: offset, text: `line ${offset}, as "said" in the file` })
    }
  })

  test('discards the types of the beginning of a file when a later row does not fit them', async () => {
    // More than one chunk of the file.
    const filler = 'x'.repeat(10_000)
    const lines = Array.from({ length: 120 }, (_, at) => `${at},2026-11-21,${filler}`)
    const { report } = await importText(
      ['n,day,text', ...lines, 'none,soon,end'].join('\n'),
      '--structure',
      'Rows',
    )
    expect(report).toMatchObject({ inserted: 121, updated: 0, refused: [], written: true })
    expect(report.fields).toEqual(['n', 'day', 'text'].map((key) => ({ key, type: 'text' })))
    expect(await rowsOf('Rows')).toEqual([
      ...lines.map((_, at) => ({ n: `${at}`, day: '2026-11-21', text: filler })),
      { n: 'none', day: 'soon', text: 'end' },
    ])
    expect(await structures()).toMatchObject([{ record_count: 121 }])
    expect((await service().get('/v1/workspace')).body.workspace.counts.records).toBe(121)
    expect((await runInProcess(['check', '--db', table.db])).out).toBe('ok\n')
  })
})

describe('an existing structure', () => {
  const FIELDS = [
    { key: 'name', type: 'text', required: true, unique: true, label: 'Full name' },
    { key: 'age', type: 'number', min: 0 },
    { key: 'kind', type: 'select', options: ['a', 'b'] },
  ]
  beforeEach(async () => {
    await service().post('/v1/records/structures', { name: 'People', fields: FIELDS })
    await service().post('/v1/records', { structure: 'People', data: { name: 'Ada', age: 36 } })
  })

  test('is filled by key or label, ignoring case', async () => {
    const { report } = await importText('KIND,full NAME\nb,Bo\n', '--structure', 'people')
    expect([report.inserted, await rowsOf('People')]).toEqual([
      1,
      [
        { name: 'Ada', age: 36 },
        { name: 'Bo', kind: 'b' },
      ],
    ])
  })

  const BAD = 'name,age,kind\nBo,1,a\nAda,2,a\n,3,a\nCy,-1,a\nDi,x,a\nEd,4,c\nFi,5,b,more\nGo,6,b\n'
  const REASONS = [
    { place: 'row 2', reason: expect.stringContaining('already has this value') },
    { place: 'row 3', reason: '"name" is required; give it a value.' },
    { place: 'row 4', reason: 'The field "age" must be at least 0.' },
    { place: 'row 5', reason: 'The field "age" must be a finite number.' },
    { place: 'row 6', reason: 'The field "kind" must be one of "a" and "b".' },
    { place: 'row 7', reason: 'the row has 4 cells, and the file has 3 columns.' },
  ]

  test('is unchanged when any row is refused, and every refusal is reported', async () => {
    const { exitCode, report } = await importText(BAD, '--structure', 'People')
    expect([exitCode, report.written, report.refused_count, report.refused]).toEqual([1, false, 6, REASONS])
    expect(await rowsOf('People')).toEqual([{ name: 'Ada', age: 36 }])
  })

  test('gets the other rows with --skip-bad', async () => {
    const { exitCode, report } = await importText(BAD, '--structure', 'People', '--skip-bad')
    expect([exitCode, report.written, report.inserted, report.refused]).toEqual([0, true, 2, REASONS])
    expect(await rowsOf('People')).toEqual([
      { name: 'Ada', age: 36 },
      { name: 'Bo', age: 1, kind: 'a' },
      { name: 'Go', age: 6, kind: 'b' },
    ])
  })

  test('is updated with --on-conflict update', async () => {
    const { report } = await importText(
      'name,kind\nAda,a\nBo,b\n',
      '--structure',
      'People',
      '--on-conflict',
      'update',
    )
    expect([report.inserted, report.updated]).toEqual([1, 1])
    expect(await rowsOf('People')).toEqual([
      { name: 'Ada', age: 36, kind: 'a' },
      { name: 'Bo', kind: 'b' },
    ])
  })

  test('is unchanged with --dry-run, which reports what would happen', async () => {
    const { exitCode, report } = await importText('name\nBo\n', '--structure', 'People', '--dry-run')
    expect([exitCode, report.written, report.inserted]).toEqual([0, false, 1])
    expect(await rowsOf('People')).toEqual([{ name: 'Ada', age: 36 }])
    await importText('name\nBo\n', '--structure', 'Others', '--dry-run')
    expect((await structures()).map(({ name }: { name: string }) => name)).toEqual(['People'])
  })

  test.each([
    ['name,agee\nBo,1\n', 'The structure has no field for the columns "agee"; rename or remove them.'],
    ['name,Full name\nBo,1\n', 'Two columns fill the field "name"; remove one.'],
    ['', 'is empty; it must have a line of cells at least.'],
    ['name\n"Bo\n', 'a quote is misplaced or never closed.'],
    ['name\na\0b\n', undefined],
  ])('refuses the file %j', async (text, sentence) => {
    const { exitCode, err, report } = await importText(text, '--structure', 'People')
    expect(exitCode).toBe(1)
    if (sentence) expect(err).toContain(sentence)
    else expect(report.refused[0].reason).toContain('NUL')
    expect(await rowsOf('People')).toEqual([{ name: 'Ada', age: 36 }])
  })

  test('with one row is only replaced by a file with one row', async () => {
    await service().post('/v1/records/structures', {
      name: 'Settings',
      fields: [{ key: 'theme', type: 'text' }],
      max_rows: 1,
    })
    expect((await importText('theme\ndark\n', '--structure', 'Settings')).exitCode).toBe(0)
    expect((await importText('theme\nlight\nblue\n', '--structure', 'Settings')).exitCode).toBe(1)
    expect(await rowsOf('Settings')).toEqual([{ theme: 'dark' }])
  })
})

test('a path that cannot be read is refused with a sentence', async () => {
  symlinkSync(table.file('circle'), table.file('circle'))
  spawnSync(['mkfifo', table.file('pipe')])
  const errors: string[] = []
  for (const name of ['circle', 'pipe', 'none']) {
    const flags = ['--structure', 'Rows', '--db', table.db]
    const { exitCode, err } = await runInProcess(['import', table.file(name), ...flags])
    expect(exitCode).toBe(1)
    errors.push(err.replaceAll(`${table.file('')}/`, ''))
  }
  expect(errors).toEqual([
    'circle cannot be read (ELOOP); its symbolic links form a circle, so name the file that they should lead to.\n',
    'pipe is neither a file nor a folder.\n',
    'There is no file or folder none.\n',
  ])
})
