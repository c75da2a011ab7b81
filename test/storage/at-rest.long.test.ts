import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { newFolder, startProcess } from '../support/process.ts'

/** The server starts six times, and the machine may be busy. */
setDefaultTimeout(60_000)

const folder = newFolder()
afterAll(() => folder.remove())

test('a server that stops leaves a database without a write-ahead log, also when its threads have read from it', async () => {
  const file = folder.file('daybook.db')
  let key: string | undefined
  for (let start = 0; start < 6; start++) {
    const server = await startProcess(file, key === undefined ? {} : { key })
    key = server.key
    expect((await server.post('/v1/notes', { title: `Note ${start}` })).status).toBe(201)
    expect((await server.get('/v1/changes/snapshot')).body).toContain(`Note ${start}`)
    expect(await server.end('SIGTERM')).toBe(0)
    expect(readdirSync(folder.path).sort()).toEqual(['daybook.db', 'daybook.db.lock'])
  }
})
