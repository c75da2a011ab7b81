import { afterEach, beforeEach, expect, test } from 'bun:test'
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'

const PAGE = 4096

let folder: ReturnType<typeof newFolder>
let db: string
let server: ServerProcess

/** Starts a server on a database whose last pages, which contain the newest notes, are overwritten. */
beforeEach(async () => {
  folder = newFolder()
  db = folder.file('daybook.db')
  const sound = await startProcess(db)
  for (let count = 0; count < 100; count++)
    await sound.post('/v1/notes', { title: `Note ${count}`, content: 'word '.repeat(1_000) })
  await sound.end()
  const descriptor = openSync(db, 'r+')
  const pages = statSync(db).size / PAGE
  for (let page = Math.floor(pages * 0.7); page < pages; page++)
    writeSync(descriptor, Buffer.alloc(PAGE, 0xa7), 0, PAGE, page * PAGE)
  closeSync(descriptor)
  server = await startProcess(db, { key: sound.key })
})

afterEach(async () => {
  await server.end('SIGKILL')
  folder.remove()
})

test('a damaged page is a failure of storage: 503, also in /healthz and for writes, and the server can be stopped', async () => {
  const read = await server.get('/v1/notes?limit=200')
  expect(read.status).toBe(503)
  expect(read.body).toEqual({ error: expect.stringContaining('is damaged'), code: 'unavailable' })
  expect((await server.get('/healthz')).status).toBe(503)
  await server.post('/v1/notes', { title: 'Written beside the damage', content: 'word '.repeat(1_000) })
  await server.get('/v1/notes?search=word')
  expect((await server.get('/healthz')).status).toBe(503)
  expect(await server.end('SIGTERM')).toBe(0)
  expect(server.err()).toContain('the database is damaged: stop the server and restore a backup')
})

test('every command says so in one sentence, with what to do', async () => {
  await server.end()
  for (const args of [['check'], ['backup', folder.file('copy.db')], ['export', folder.file('export')]]) {
    const { exitCode, out, err } = await daybook([...args, '--db', db])
    expect(exitCode).toBe(1)
    expect(`${out}${err}`).toMatch(
      /^(notes: \d+%\n)*The .* damaged.* stop the server and restore a backup with "daybook restore <backup>"\.\n$/,
    )
  }
})
