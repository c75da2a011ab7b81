/*
 * The floor of single requests: a bare `Bun.serve` with raw `bun:sqlite`, FULL, that answers the requests of `lines.ts`
 * with only the unavoidable work. For rows this is the rows and their values, five indexes, a text index and a change
 * log; for notes, the notes, bodies and a search table. All writes that arrive together share a transaction. `bun
 * floor.ts <database of daybook> <file>` copies the rows and notes of the database into the file.
 */
import { Database } from 'bun:sqlite'

interface Row {
  title: string
  city: string
  amount?: number
  due?: string
  status: string
  paid: boolean
  note: string
  remark: string
}

interface Body {
  data: Row
  rows?: { data: Row }[]
  title: string
  content: string
}

const [source = '', file = ''] = process.argv.slice(2)
const database = new Database(file)
for (const pragma of [
  'journal_mode = WAL',
  'synchronous = FULL',
  'cache_size = -65536',
  'wal_autocheckpoint = 10000',
])
  database.run(`PRAGMA ${pragma}`)

const VALUES = ['title', 'city', 'amount', 'due', 'status', 'paid', 'note', 'remark'] as const
const TEXT = ['title', 'city', 'status', 'remark'].map((name) => `lower(${name})`).join(' || char(10) || ')
database.run('ATTACH ? AS source', [source])
database.run(`
  CREATE TABLE records (pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, data TEXT, created_at, updated_at);
  CREATE TABLE rows (pk INTEGER PRIMARY KEY, created_at, updated_at, ${VALUES.join(', ')});
  CREATE VIRTUAL TABLE row_text USING fts5(words, tokenize = 'trigram', detail = none, content = '', contentless_delete = 1);
  CREATE TABLE stats (pk INTEGER PRIMARY KEY, live, changes);
  CREATE TABLE changes (key INTEGER PRIMARY KEY, at, kind, object BLOB, detail TEXT);
  CREATE TABLE notes (pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title, created_at, updated_at);
  CREATE TABLE bodies (note INTEGER PRIMARY KEY, content);
  CREATE VIRTUAL TABLE note_text USING fts5(title, body, tokenize = 'ascii', content = '', contentless_delete = 1);
  INSERT INTO records SELECT pk, id, data, created_at, updated_at FROM source.records;
  INSERT INTO rows SELECT pk, created_at, updated_at, ${VALUES.map((name) => `data ->> '${name}'`).join(', ')} FROM records;
  INSERT INTO row_text (rowid, words) SELECT pk, ${TEXT} FROM rows;
  INSERT INTO stats SELECT 1, count(*), 0 FROM records;
  INSERT INTO notes SELECT pk, id, title, created_at, updated_at FROM source.notes;
  INSERT INTO bodies SELECT note, content FROM source.note_bodies;
  INSERT INTO note_text (rowid, title, body) SELECT pk, title, content FROM notes JOIN bodies ON note = pk;
  CREATE INDEX rows_status_amount ON rows (status, amount);
  CREATE INDEX rows_amount ON rows (amount);
  CREATE INDEX rows_due ON rows (due);
  CREATE INDEX rows_title ON rows (title);
  CREATE INDEX rows_note ON rows (note);
  CREATE INDEX changes_object ON changes (object);
  CREATE INDEX notes_title ON notes (title);
  CREATE INDEX notes_updated ON notes (updated_at);
  DETACH source`)
database.run('PRAGMA wal_checkpoint(TRUNCATE)')

const prepare = (text: string) => database.prepare(text)
const begin = prepare('BEGIN IMMEDIATE')
const commit = prepare('COMMIT')
const count = prepare('UPDATE stats SET live = live + ?, changes = changes + 1 WHERE pk = 1')
const log = prepare("INSERT INTO changes (at, kind, object, detail) VALUES (?, 1, unhex(?, '-'), ?)")
const insertRecord = prepare('INSERT INTO records (id, data, created_at, updated_at) VALUES (?, ?, ?, ?)')
const insertRow = prepare(`INSERT INTO rows VALUES (?, ?, ?, ${VALUES.map(() => '?').join(', ')})`)
const insertText = prepare(`INSERT INTO row_text (rowid, words) SELECT pk, ${TEXT} FROM rows WHERE pk > ?`)
const find = prepare('SELECT pk, data FROM records WHERE id = ?')
const updateRecord = prepare('UPDATE records SET data = ?, updated_at = ? WHERE pk = ?')
const updateRow = prepare('UPDATE rows SET updated_at = ?, amount = ? WHERE pk = ?')
const insertNote = prepare('INSERT INTO notes (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)')
const insertBody = prepare('INSERT INTO bodies VALUES (?, ?)')
const insertNoteText = prepare('INSERT INTO note_text (rowid, title, body) VALUES (?, ?, ?)')
const findNote = prepare(
  'SELECT id, title, created_at, updated_at, content FROM notes JOIN bodies ON note = pk WHERE id = ?',
)
const changes = prepare('SELECT changes, live FROM stats')

function patch(id: string, { data: { amount } }: Body): string {
  const now = Date.now()
  const { pk, data: before } = find.get(id) as { pk: number; data: string }
  const data = JSON.stringify({ ...JSON.parse(before), amount })
  updateRecord.run(data, now, pk)
  updateRow.run(now, amount ?? null, pk)
  count.run(0)
  log.run(now, id, before)
  return `{"record":{"id":"${id}","data":${data}}}`
}

function create({ data: single, rows = [{ data: single }] }: Body): string {
  const now = Date.now()
  let first = 0
  const records = rows.map(({ data }) => {
    const id = Bun.randomUUIDv7()
    const text = JSON.stringify(data)
    const pk = Number(insertRecord.run(id, text, now, now).lastInsertRowid)
    first ||= pk
    insertRow.run(pk, now, now, ...VALUES.map((name) => data[name] ?? null))
    log.run(now, id, null)
    return `{"id":"${id}","data":${text}}`
  })
  insertText.run(first - 1)
  count.run(rows.length)
  return `{"records":[${records.join(',')}]}`
}

function createNote({ title, content }: Body): string {
  const now = Date.now()
  const id = Bun.randomUUIDv7()
  const pk = insertNote.run(id, title, now, now).lastInsertRowid
  insertBody.run(pk, content)
  insertNoteText.run(pk, title, content)
  count.run(1)
  log.run(now, id, null)
  return JSON.stringify({ note: { id, title, content } })
}

interface Stored {
  id: string
  data: string
  created_at: number
  updated_at: number
}

const instant = (value: number) => new Date(value).toISOString()
const recordText = ({ id, data, created_at, updated_at }: Stored) =>
  `{"id":"${id}","data":${data},"created_at":"${instant(created_at)}","updated_at":"${instant(updated_at)}","deleted_at":null}`

/** Returns the records of these rows, with the total. */
function pageText(pks: readonly number[], total: number): string {
  const page = database
    .query(`SELECT id, data, created_at, updated_at FROM records WHERE pk IN (${pks.join(', ')})`)
    .all() as Stored[]
  return `{"records":[${page.map(recordText).join(',')}],"total":${total},"has_more":true}`
}

/** Cached totals, keyed by the query and the state of the rows. */
const totals = new Map<string, number>()

function totalOf(where: string, values: readonly (string | number)[]): number {
  const key = `${JSON.stringify(changes.values())} ${where} ${values}`
  const known =
    totals.get(key) ??
    (prepareOnce(`SELECT count(*) FROM rows WHERE ${where}`).values(...values)[0]?.[0] as number)
  totals.set(key, known)
  return known
}

const prepareOnce = (text: string) => database.query(text)

interface Condition {
  field: string
  op: 'eq' | 'lte' | 'contains'
  value: string | number
}

function list(filter: readonly Condition[]): string {
  const [only] = filter
  if (only?.op === 'contains') return search(String(only.value))
  const where = filter.map(({ field, op }) => `${field} ${op === 'eq' ? '=' : '<='} ?`).join(' AND ')
  const values = filter.map(({ value }) => value)
  const page = prepareOnce(`SELECT pk FROM rows WHERE ${where} ORDER BY amount DESC, pk DESC LIMIT 50`)
  const pks = page.values(...values).map(([pk]) => pk as number)
  return pageText(pks, totalOf(where, values))
}

/** Returns the newest 50 rows that contain a text: the trigram index finds candidates, which are then verified. */
function search(text: string): string {
  const runs = Array.from({ length: text.length - 2 }, (_, at) => `"${text.slice(at, at + 3)}"`)
  const pks = prepareOnce(
    `SELECT pk FROM rows WHERE pk IN (SELECT rowid FROM row_text WHERE row_text MATCH ?) AND instr(${TEXT}, ?) > 0
     ORDER BY pk DESC`,
  )
    .values(runs.join(' AND '), text)
    .map(([pk]) => pk as number)
  return pageText(pks.slice(0, 50), pks.length)
}

interface PendingRequest {
  readonly run: () => string
  readonly respond: (response: Response) => void
}

let waiting: PendingRequest[] = []
const response = (text: string) => new Response(text, { headers: { 'content-type': 'application/json' } })

function runAll(): void {
  const group = waiting
  waiting = []
  begin.run()
  const texts = group.map(({ run }) => run())
  commit.run()
  for (const [at, { respond }] of group.entries()) respond(response(texts[at] ?? ''))
}

function write(run: () => string): Promise<Response> {
  if (waiting.length === 0) setImmediate(runAll)
  return new Promise((respond) => waiting.push({ run, respond }))
}

function read(path: string, parameters: URLSearchParams): string {
  if (path === '/v1/records') return list(JSON.parse(parameters.get('filter') ?? '[]'))
  return JSON.stringify({ note: findNote.get(path.slice(path.lastIndexOf('/') + 1)) })
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (request.method === 'GET') return response(read(pathname, searchParams))
    const body = (await request.json()) as Body
    if (request.method === 'PATCH')
      return write(() => patch(pathname.slice(pathname.lastIndexOf('/') + 1), body))
    return write(() => (pathname === '/v1/notes' ? createNote(body) : create(body)))
  },
})
process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`)
