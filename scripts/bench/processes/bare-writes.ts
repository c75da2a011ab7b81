/*
 * The baseline of single writes: a bare `Bun.serve` with raw `bun:sqlite`, FULL, that runs the statements of a write by
 * hand, and all that arrive together in one transaction. `bun bare-writes.ts <file>`, with as many rows as the file is
 * given by POST.
 */
import { Database } from 'bun:sqlite'

interface Body {
  data: Record<string, unknown>
  rows?: { data: Record<string, unknown> }[]
  title: string
  content: string
}

interface Waiting {
  readonly run: () => string
  readonly respond: (response: Response) => void
}

const database = new Database(process.argv[2] ?? '', { strict: true })
for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'wal_autocheckpoint = 10000'])
  database.run(`PRAGMA ${pragma}`)
database.run(`
  CREATE TABLE records (pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, data TEXT, created_at, updated_at);
  CREATE TABLE rows (pk INTEGER PRIMARY KEY, created_at, updated_at, name, amount);
  CREATE TABLE stats (pk INTEGER PRIMARY KEY, live, changes);
  CREATE TABLE changes (key INTEGER PRIMARY KEY, at, kind, object BLOB, detail TEXT);
  CREATE INDEX changes_object ON changes (object);
  CREATE TABLE notes (pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title, created_at, updated_at);
  CREATE INDEX notes_title ON notes (title);
  CREATE INDEX notes_updated ON notes (updated_at);
  CREATE TABLE bodies (note INTEGER PRIMARY KEY, content);
  CREATE TABLE pending (note INTEGER PRIMARY KEY);
  INSERT INTO stats VALUES (1, 0, 0)`)

const begin = database.prepare('BEGIN IMMEDIATE')
const commit = database.prepare('COMMIT')
const count = database.prepare('UPDATE stats SET live = live + ?, changes = changes + 1 WHERE pk = 1')
const log = database.prepare("INSERT INTO changes (at, kind, object, detail) VALUES (?, 1, unhex(?, '-'), ?)")
const insertRecord = database.prepare(
  'INSERT INTO records (id, data, created_at, updated_at) VALUES (?, ?, ?, ?)',
)
const insertRow = database.prepare('INSERT INTO rows VALUES (?, ?, ?, ?, ?)')
const find = database.prepare('SELECT pk, data FROM records WHERE id = ?')
const updateRecord = database.prepare('UPDATE records SET data = ?, updated_at = ? WHERE pk = ?')
const updateRow = database.prepare('UPDATE rows SET updated_at = ?, amount = ? WHERE pk = ?')
const insertNote = database.prepare(
  'INSERT INTO notes (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)',
)
const insertBody = database.prepare('INSERT INTO bodies VALUES (?, ?)')
const insertPending = database.prepare('INSERT INTO pending VALUES (?)')

function patch(id: string, { data: { amount } }: Body): string {
  const now = Date.now()
  const { pk, data: before } = find.get(id) as { pk: number; data: string }
  const data = JSON.stringify({ ...JSON.parse(before), amount })
  updateRecord.run(data, now, pk)
  updateRow.run(now, amount as number, pk)
  count.run(0)
  log.run(now, id, before)
  return `{"record":{"id":"${id}","data":${data}}}`
}

function create({ data: single, rows = [{ data: single }] }: Body): string {
  const now = Date.now()
  const records = rows.map(({ data }) => {
    const id = Bun.randomUUIDv7()
    const text = JSON.stringify(data)
    const { lastInsertRowid } = insertRecord.run(id, text, now, now)
    insertRow.run(lastInsertRowid, now, now, data.name as string, data.amount as number)
    log.run(now, id, null)
    return `{"id":"${id}","data":${text}}`
  })
  count.run(rows.length)
  return `{"records":[${records.join(',')}]}`
}

function createNote({ title, content }: Body): string {
  const now = Date.now()
  const id = Bun.randomUUIDv7()
  const { lastInsertRowid } = insertNote.run(id, title, now, now)
  insertBody.run(lastInsertRowid, content)
  insertPending.run(lastInsertRowid)
  count.run(1)
  log.run(now, id, null)
  return JSON.stringify({ note: { id, title, content } })
}

let waiting: Waiting[] = []

function runAll(): void {
  const group = waiting
  waiting = []
  begin.run()
  const texts = group.map(({ run }) => run())
  commit.run()
  for (const [at, { respond }] of group.entries())
    respond(new Response(texts[at], { headers: { 'content-type': 'application/json' } }))
}

function write(run: () => string): Promise<Response> {
  if (waiting.length === 0) setImmediate(runAll)
  return new Promise((respond) => waiting.push({ run, respond }))
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    const { pathname } = new URL(request.url)
    const body = (await request.json()) as Body
    if (request.method === 'PATCH')
      return write(() => patch(pathname.slice(pathname.lastIndexOf('/') + 1), body))
    return write(() => (pathname === '/v1/notes' ? createNote(body) : create(body)))
  },
})
process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`)
