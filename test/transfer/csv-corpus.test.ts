import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { strToU8, zipSync } from 'fflate'
import { runInProcess } from '../support/cli.ts'
import { encodeAs } from '../support/encode.ts'
import { newFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'

/* Tables as other programs write them, in documented shapes: imported, exported, and imported again. */

const folder = newFolder()
const table = { db: folder.file('daybook.db'), file: folder.file }

beforeAll(async () => (await startService({ file: table.db })).close())
afterAll(() => folder.remove())

let files = 0

async function importFile(content: string | Uint8Array, structure: string, ...flags: string[]) {
  const file = table.file(`${files++}.csv`)
  await Bun.write(file, content)
  const outcome = await runInProcess(['import', file, '--structure', structure, '--db', table.db, ...flags])
  return { ...outcome, err: outcome.err.replace(/rows: .*\n/g, '').replaceAll(file, 'FILE') }
}

const exported = async (structure: string) =>
  (await runInProcess(['export', '--structure', structure, '--db', table.db])).out

const WIDE = Array.from({ length: 101 }, (_, at) => `c${at}`).join()

interface Shape {
  readonly name: string
  readonly content: string | Uint8Array
  readonly flags?: readonly string[]
  readonly csv: string
}

const SHAPES: readonly Shape[] = [
  { name: 'headings in any script', content: '名前,Größe,😀\n花子,1,2\n', csv: '名前,Größe,😀\n花子,1,2\n' },
  { name: 'a heading of two lines', content: 'a,"Amount\r\n (EUR)"\n1,5\n', csv: 'a,Amount (EUR)\n1,5\n' },
  { name: 'equal headings', content: 'A,a,\n1,2,x\n', csv: 'A (a),a (a_2),field_3\n1,2,x\n' },
  {
    name: 'reserved headings',
    content: 'ID,Created_at\n1,2\n',
    csv: 'ID (field_id),Created_at (field_created_at)\n1,2\n',
  },
  {
    name: 'codes like numbers',
    content: 'gene,hash,n\n1E5,12e4,1e21\n2E10,5e7,7\n',
    csv: 'gene,hash,n\n1E5,12e4,1e+21\n2E10,5e7,7\n',
  },
  { name: 'a separator line', content: '\ufeffsep=;\r\nname;price\r\nAda;1\r\n', csv: 'name,price\nAda,1\n' },
  { name: 'blank rows', content: 'a,b\n1,2\n,\n,\n\n', csv: 'a,b\n1,2\n' },
  { name: 'delimiters after the last cell', content: 'a,b\n1,2,\n3,4,,\n', csv: 'a,b\n1,2\n3,4\n' },
  { name: 'a title', content: 'Report\n\na,b\n1,2\n', flags: ['--skip-lines', '2'], csv: 'a,b\n1,2\n' },
  {
    name: 'comments',
    content: '# made today\na,b\n1,2\n# end\n',
    flags: ['--comment', '#'],
    csv: 'a,b\n1,2\n',
  },
  {
    name: 'escaped quotes',
    content: 'a,b\n"x \\"y\\"",1\n',
    flags: ['--escape', '\\'],
    csv: 'a,b\n"x ""y""",1\n',
  },
  { name: 'chosen columns', content: `${WIDE}\n1,2,3\n`, flags: ['--columns', '3,C0'], csv: 'c2,c0\n3,1\n' },
  {
    name: 'a named encoding',
    content: encodeAs('koi8-r', 'имя,n\nя,1\n'),
    flags: ['--encoding', 'koi8-r'],
    csv: 'имя,n\nя,1\n',
  },
  {
    name: 'a guessed encoding',
    content: encodeAs('windows-1252', 'name;price\nJosé;5 €\n'),
    csv: 'name,price\nJosé,5 €\n',
  },
  {
    name: 'East Asian text',
    content: encodeAs('shift_jis', '名前,町\n花子,東京\n'),
    csv: '名前,町\n花子,東京\n',
  },
  { name: 'UTF-16 without a mark', content: encodeAs('utf-16le', 'a\tb\r\nx\t1\r\n'), csv: 'a,b\nx,1\n' },
]

test.each(SHAPES)('$name: what is exported is imported again', async ({ content, flags = [], csv }) => {
  const [first, second] = [`First ${files}`, `Second ${files}`]
  const report = async (data: string | Uint8Array, name: string, ...more: string[]) => {
    const { exitCode, out, err } = await importFile(data, name, '--json', ...more)
    expect([exitCode, err]).toEqual([0, ''])
    return JSON.parse(out)
  }
  const { fields, inserted } = await report(content, first, ...flags)
  expect(await exported(first)).toBe(csv)
  expect(await report(csv, second)).toMatchObject({ fields, inserted })
  expect(await exported(second)).toBe(csv)
})

test('every encoding is read in parts of any size', async () => {
  const { ENCODINGS, strictDecoder } = await import('../../src/lib/decoders.ts')
  expect(ENCODINGS).toHaveLength(32)
  for (const encoding of ENCODINGS) {
    const bytes = encodeAs(encoding, 'a,b\n1,2\n')
    const some = Uint8Array.from([
      ...bytes,
      ...encodeAs(encoding, /jis|jp|gb|big5|kr/.test(encoding) ? '一' : 'x'),
    ])
    const decoder = strictDecoder(encoding)
    const text = [...some].map((byte) => decoder.decode(Uint8Array.of(byte), { stream: true })).join('')
    expect(text + decoder.decode()).toMatch(/^a,b\n1,2\n[一x]$/)
  }
})

test('the encoding of a file that is not UTF-8 is shown', async () => {
  const bytes = encodeAs('windows-1252', 'name;price\nJosé;5 €\n')
  const { out } = await importFile(bytes, 'Shown', '--dry-run')
  expect(out).toStartWith('Read as windows-1252, which was guessed; --encoding names another.\n')
  const { out: json } = await importFile(bytes, 'Shown', '--dry-run', '--json')
  expect(JSON.parse(json)).toMatchObject({ encoding: 'windows-1252', encoding_guess: 'clear' })
  const given = await importFile(bytes, 'Shown', '--dry-run', '--json', '--encoding', 'iso-8859-2')
  expect(JSON.parse(given.out)).toMatchObject({ encoding: 'iso-8859-2' })
  expect(JSON.parse(given.out).encoding_guess).toBeUndefined()
})

test('a download of the application is imported as the rows it holds', async () => {
  const id = '01997f3e-0000-7000-8000-000000000001'
  const csv = `id,Name,N,created_at,updated_at\n${id},Ada,1,2026-11-30T00:00:00.000Z,2026-11-30T00:00:00.000Z\n`
  for (const name of ['Downloaded', 'Downloaded'])
    expect((await importFile(csv, name)).out).toStartWith(
      'Not imported, because every row has its own: id, created_at and updated_at\n',
    )
  expect(await exported('Downloaded')).toBe('Name,N\nAda,1\nAda,1\n')
})

describe('a refusal names the way out', () => {
  const zip = zipSync({ 'a.csv': strToU8('a,b\n') })
  const workbook = zipSync({ 'xl/workbook.xml': strToU8('<x/>') })
  test.each<[string, string | Uint8Array, string[], number, string]>([
    ['too many columns', `${WIDE}\n1\n`, [], 1, 'choose columns with --columns, such as --columns 1-100'],
    ['a title', 'Report of January\n\nname,amount\nAda,5\n', [], 1, '--skip-lines 1'],
    ['comments', '# made today\nname,amount\nAda,5\n', [], 1, '--comment "#"'],
    ['quotes', 'id,text\n1,"say \\"hi\\" to all"\n', [], 1, "--escape '\\'"],
    ['another encoding', encodeAs('windows-1252', 'é'), ['--encoding', 'utf-8'], 1, '--encoding'],
    [
      'damaged UTF-8',
      Uint8Array.from([...encodeAs('utf-8', 'Größe,Straße\n'), 0xff]),
      [],
      1,
      '--encoding windows-1252',
    ],
    ['bytes that are no text', Uint8Array.from([1, 0, 0, 0, 255]), [], 1, '--encoding windows-1252'],
    [
      'unknown columns',
      'a,b\n1,2\n',
      ['--columns', 'a,c'],
      1,
      '--columns names "c", and the file has 2 columns',
    ],
    ['a zip file', zip, [], 1, 'is a zip archive, which this command does not read; unpack it'],
    [
      'a workbook',
      workbook,
      [],
      1,
      'is an Excel workbook (.xlsx), which this command does not read; save each sheet as CSV',
    ],
    ['an unknown encoding', 'a\n', ['--encoding', 'latin9'], 2, '--encoding must be one of utf-8,'],
    ['an unknown letter', 'a\n', ['--date-format', 'DD.MM.YY'], 2, 'has the unknown letter "Y"'],
    ['words', 'a\n', ['--comment', '//'], 2, '--comment must be one character'],
    ['no number', 'a\n', ['--skip-lines', '-1'], 2, '--skip-lines'],
  ])('%s', async (_, content, flags, exitCode, sentence) => {
    const outcome = await importFile(content, 'Refused', ...flags)
    expect([outcome.exitCode, outcome.err]).toEqual([exitCode, expect.stringContaining(sentence)])
    expect((await runInProcess(['structures', 'list', '--db', table.db])).out).not.toContain('Refused')
  })
})
