import { Database } from 'bun:sqlite'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import {
  FULL_TABLE,
  type Indexable,
  indexedColumns,
  TITLE_TABLE,
} from '../../../src/notes/search/indexing.ts'
import { importRows } from '../../../src/transfer/csv/import.ts'
import { importVault } from '../../../src/transfer/vault/import.ts'
import { ImportBaseline } from '../baselines.ts'
import { corpus, ROW_FIELDS, rowsOf } from '../corpus.ts'
import { openDataset, temporaryFolder } from '../dataset.ts'
import { median } from '../measure.ts'
import { type Row, rowOf, type Section } from '../results.ts'

const MAX_RATIO = 2
const MODE = { isDryRun: false, skipsBad: false, onProgress: () => {} }
const PLAIN_CELLS = {
  hasHeader: true,
  encoding: undefined,
  skipLines: undefined,
  comment: undefined,
  escapeCharacter: undefined,
  columns: '',
  types: new Map<string, never>(),
  dateFormats: [],
  decimal: undefined,
  nulls: [],
}

const seconds = (value: number) => `${(value / 1000).toFixed(2)} s`

const importRow = (what: string, daybook: readonly number[], floor: readonly number[]): Row =>
  rowOf({
    what,
    show: seconds,
    daybook: median(daybook),
    floor: median(floor),
    goal: { maxRatio: MAX_RATIO },
  })

/** Returns a function that creates an empty database for one measurement. */
async function newTemplate(folder: string): Promise<() => string> {
  const template = join(folder, 'template.db')
  const data = await openDataset(template)
  data.ctx.db.checkpoint()
  data.close()
  let made = 0
  return () => {
    const file = join(folder, `${made++}.db`)
    copyFileSync(template, file)
    return file
  }
}

const removeDatabase = (file: string) => {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await action()
  return performance.now() - started
}

/**
 * Writes a vault of notes of about 2 KB: front matter, tags, and in every third note a link to a section of another.
 */
function writeVault(folder: string, count: number): void {
  const notes = [...corpus(count)]
  const pathOf = (at: number) => `folder ${at % 100}/${notes[at]?.title}`
  for (let at = 0; at < 100; at++) mkdirSync(join(folder, `folder ${at}`), { recursive: true })
  for (const [at, { content, tags }] of notes.entries()) {
    const head = `---\ntags: [${tags.join(', ')}]\nstatus: open\nrating: ${at % 5}\n---\n`
    const body = content.replace(/\[\[Note (\d+)\]\]/, (_, other) => `[[${pathOf(Number(other))}#Part]]`)
    writeFileSync(join(folder, `${pathOf(at)}.md`), head + body)
  }
}

const TABLES = [
  'notes',
  'note_bodies',
  'note_links',
  'tags',
  'note_tags',
  'properties',
  'note_properties',
].concat('search_pending')

type Values = (string | number | Uint8Array | null)[][]

/** Returns every row that an import wrote, by table, ready for insertion. */
function writtenRows(file: string) {
  const database = new Database(file, { readonly: true })
  const rows = TABLES.map((table) => {
    const query = database.query(`SELECT * FROM ${table}`)
    return { table, columns: query.columnNames.join(', '), rows: query.values() as Values }
  })
  database.close()
  return rows
}

/** Recomputes the rows of the search tables, because contentless tables cannot be read. */
function searchRows(file: string) {
  const database = new Database(file, { readonly: true })
  const notes = database
    .query<Indexable, []>(
      `SELECT pk, workspace, title, alias, aliases, (SELECT content FROM note_bodies WHERE note = pk) AS content,
         (SELECT json_group_array(tag) FROM note_tags WHERE note = pk) AS tags FROM notes`,
    )
    .all()
    .map((note) => ({ pk: note.pk, ...indexedColumns(note) }))
  database.close()
  const full: Values = notes.map(({ pk, title, body, tags }) => [pk, title, body, tags])
  const head: Values = notes.map(({ pk, title, tags }) => [pk, title, tags])
  return [
    { table: FULL_TABLE, columns: 'rowid, title, body, tags', rows: full },
    { table: TITLE_TABLE, columns: 'rowid, title, tags', rows: head },
  ]
}

/** Measures one import and one baseline, each from the files to the commit of searchable notes. */
async function measureVault(vault: string, copy: () => string) {
  const [file, raw] = [copy(), copy()]
  const { ctx, caller, close } = await openDataset(file)
  const request = { ...MODE, folder: vault, databaseFile: file, foldersAsTags: false, updates: false }
  const daybook = await timed(() => importVault(ctx.db, caller, request))
  ctx.db.checkpoint()
  close()
  const written = [...writtenRows(file), ...searchRows(file)]
  const floor = await timed(async () => {
    for (const path of new Glob('**/*.md').scanSync(vault)) readFileSync(join(vault, path))
    new ImportBaseline(raw).measure((insert) => {
      for (const { table, columns, rows } of written) insert(table, columns, rows)
    })
  })
  for (const used of [file, raw]) removeDatabase(used)
  return { daybook, floor }
}

async function benchVault(count: number, rounds: number): Promise<Row> {
  const folder = temporaryFolder()
  const vault = join(folder, 'vault')
  writeVault(vault, count)
  const copy = await newTemplate(folder)
  await measureVault(vault, copy)
  const times: Awaited<ReturnType<typeof measureVault>>[] = []
  for (let round = 0; round < rounds; round++) times.push(await measureVault(vault, copy))
  const what = `${count.toLocaleString('en-US')} notes of about 2 KB from a folder, search indexes included`
  return importRow(
    what,
    times.map(({ daybook }) => daybook),
    times.map(({ floor }) => floor),
  )
}

const quoted = (value: unknown) =>
  value === undefined ? '' : typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : String(value)

function writeTable(file: string, count: number): void {
  const writer = Bun.file(file).writer()
  writer.write(`${ROW_FIELDS.map(({ key }) => key).join(',')}\n`)
  const notes = Array.from({ length: 100 }, () => crypto.randomUUID())
  for (const row of rowsOf(count, notes))
    writer.write(`${ROW_FIELDS.map(({ key }) => quoted(row[key])).join(',')}\n`)
  writer.flush()
  void writer.end()
}

const BATCH = 10_000

/** Inserts the rows of an import into empty tables of the same definition; returns the elapsed milliseconds. */
function insertRows(source: string, target: string): number {
  const database = new Database(source, { readonly: true })
  const [made] = database.query("SELECT sql FROM sqlite_schema WHERE name = 'rows_1'").values() as [string][]
  const [last] = database.query('SELECT max(pk) FROM records').values() as [number][]
  const floor = new ImportBaseline(target)
  floor.run(made?.[0] ?? '')
  const time = floor.measure((insert) => {
    for (let from = 0; from < (last?.[0] ?? 0); from += BATCH) {
      for (const table of ['records', 'rows_1']) {
        const query = database.query(`SELECT * FROM ${table} WHERE pk > ? AND pk <= ?`)
        insert(table, query.columnNames.join(', '), query.values(from, from + BATCH) as Values)
      }
    }
  })
  database.close()
  return time
}

async function benchTable(count: number, rounds: number): Promise<Row> {
  const folder = temporaryFolder()
  const path = join(folder, 'rows.csv')
  writeTable(path, count)
  const copy = await newTemplate(folder)
  const times = { daybook: [] as number[], floor: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const [file, raw] = [copy(), copy()]
    const { ctx, caller, close } = await openDataset(file)
    const request = { ...MODE, ...PLAIN_CELLS, file: path, structure: 'Rows', onConflict: 'refuse' } as const
    times.daybook.push(await timed(() => importRows(ctx.db, caller, request)))
    ctx.db.checkpoint()
    close()
    times.floor.push(insertRows(file, raw))
    for (const used of [file, raw]) removeDatabase(used)
  }
  const what = `${count.toLocaleString('en-US')} rows of eight fields from a file, types inferred from all rows`
  return importRow(what, times.daybook, times.floor)
}

/**
 * Imports of notes and of rows, compared with plain inserts of the same finished rows from memory. The baseline of
 * notes also reads the files, without parsing them. Each import is one transaction in a new database.
 */
export async function benchImports(notes: number, rows: number, rounds: number): Promise<Section[]> {
  return [{ title: 'Imports', rows: [await benchVault(notes, rounds), await benchTable(rows, rounds)] }]
}
