import { afterEach, beforeEach, expect, test } from 'bun:test'
import { smallDisk } from '../support/disks.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { declare } from '../support/records.ts'

const SENTENCE =
  'The disk of this server is full; nothing was written. Try again once the operator has freed space.'
const REFUSED = { status: 503, body: { error: SENTENCE, code: 'unavailable' } }

const tried = smallDisk(64)
tried?.remove()

let disk: NonNullable<ReturnType<typeof smallDisk>>
let db: string
let server: ServerProcess

beforeEach(() => {
  disk = smallDisk(8_192) as typeof disk
  db = disk?.file('daybook.db')
})

afterEach(async () => {
  await server?.end('SIGKILL')
  disk?.remove()
})

const write = (title: string) => server.post('/v1/notes', { title, content: 'word '.repeat(1_000) })
const titles = async () =>
  (await server.get('/v1/notes?sort=title&direction=asc&limit=200')).body.notes.map(
    ({ title }: { title: string }) => title,
  )

async function writeOnceThereIsSpace(title: string): Promise<void> {
  for (;;) {
    const response = await write(title).catch(() => undefined)
    if (response?.status === 201) return
    if (response) expect(response).toMatchObject(REFUSED)
    await Bun.sleep(50)
  }
}

test.skipIf(!tried)(
  'on a full disk reads continue, writes are refused with one log line, and resume automatically',
  async () => {
    server = await startProcess(db)
    await write('Before')
    disk.fill()
    // Writes that fit into existing space of the log still succeed.
    const kept = ['Before']
    let refused = 0
    for (let count = 0; refused < 100; count++) {
      const { status, body } = await write(`At the end ${count}`)
      if (status === 201) kept.push(`At the end ${count}`)
      else {
        expect({ status, body }).toEqual(REFUSED)
        refused += 1
      }
    }
    expect(await titles()).toEqual(kept.sort())
    expect(await server.get('/healthz')).toMatchObject(REFUSED)
    expect(server.err().match(/"message":"commit failed"/g)).toHaveLength(1)
    disk.empty()
    await writeOnceThereIsSpace('Later')
    expect((await server.get('/healthz')).status).toBe(200)
    expect(await titles()).toEqual([...kept, 'Later'].sort())
    expect(await server.end()).toBe(0)
  },
)

test.skipIf(!tried)(
  'no server starts on a full disk, with one sentence; with space it has every acknowledged write',
  async () => {
    const full = {
      exitCode: 1,
      out: '',
      err: `The disk of the database ${db} is full; free some space, then try again.\n`,
    }
    const start = () => daybook(['serve', '--db', db, '--port', '0'])
    disk.fill()
    expect(await start()).toEqual(full)
    disk.empty()
    server = await startProcess(db)
    const { key } = server
    disk.fill()
    const kept: string[] = []
    for (let status = 201; status === 201; ) {
      ;({ status } = await write(`Note ${kept.length}`))
      if (status === 201) kept.push(`Note ${kept.length}`)
    }
    expect(await server.end()).toBe(0)
    disk.empty()
    disk.fill()
    expect(await start()).toEqual(full)
    disk.empty()
    server = await startProcess(db, { key })
    expect(await titles()).toEqual(kept.sort())
    expect((await write('Later')).status).toBe(201)
    expect(await server.end()).toBe(0)
    expect(await daybook(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  },
)

/** Prepares a server, then uses it while the kernel refuses every write to a file. */
async function onFullDisk(prepare: () => Promise<unknown>, use: () => Promise<void>): Promise<void> {
  const folder = newFolder()
  const preload = Bun.fileURLToPath(new URL('../support/failing-disk.ts', import.meta.url))
  const env = { BUN_OPTIONS: `--preload=${preload}`, FAILING_DISK: 'ENOSPC: write' }
  server = await startProcess(folder.file('daybook.db'), { env })
  await prepare()
  process.kill(server.pid, 'SIGUSR2')
  while (!server.err().includes('the disk fails from now on: 0')) await Bun.sleep(5)
  await use()
  await server.end('SIGKILL')
  folder.remove()
}

test('a full disk is one line of the log, however many writes are refused', () =>
  onFullDisk(
    () => write('Before'),
    async () => {
      for (let count = 0; count < 100; count++) expect(await write('Refused')).toMatchObject(REFUSED)
      expect(await titles()).toEqual(['Before'])
      expect(await server.get('/healthz')).toMatchObject(REFUSED)
      expect(server.err().match(/"message":"commit failed"/g)).toHaveLength(1)
    },
  ))

test('concurrent writes of one unique value on a full disk are refused for the disk, not for a duplicate', () =>
  onFullDisk(
    () => declare(server, 'Tickets', [{ key: 'number', type: 'text', unique: true }]),
    async () => {
      for (let round = 0; round < 60; round++) {
        const rows = [{ data: { number: `${round}` } }]
        const send = () => server.post('/v1/records', { structure: 'Tickets', rows })
        expect(await Promise.all([send(), send(), send(), send()])).toMatchObject(Array(4).fill(REFUSED))
      }
      expect((await server.get('/v1/records?structure=Tickets')).body.total).toBe(0)
    },
  ))
