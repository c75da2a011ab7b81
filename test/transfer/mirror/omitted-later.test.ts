import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { openBeside } from '../../support/database.ts'
import { type MirrorProcess, startMirror, verifyMirror } from '../../support/mirror-process.ts'
import { newFolder, type ServerProcess, startProcess } from '../../support/process.ts'

/* A complete copy is created again without some fields: no byte of these fields remains in any file. */

const SECRET = 'ada@secret.example'
const folder = newFolder()
const file = folder.file('mirror.db')
let remote: ServerProcess
let mirror: MirrorProcess
let customer: string

const start = (args: readonly string[], previous?: MirrorProcess) =>
  startMirror({
    file,
    remote: remote.url,
    key: remote.key ?? '',
    args,
    env: { DAYBOOK_LOG_LEVEL: 'info' },
    ...(previous?.key !== undefined && { ownKey: previous.key }),
  })

const leakingFiles = () =>
  readdirSync(folder.path).filter(
    (name) => name.startsWith('mirror.db') && readFileSync(folder.file(name)).includes(SECRET),
  )

/** Writes the omitted field again, and waits until the copy has everything else. */
async function write(email: string): Promise<void> {
  await remote.patch(`/v1/records/${customer}`, {
    data: { email: `${email}${SECRET}`, name: `Ada ${email}` },
  })
  const { exitCode, text } = await verifyMirror(file, remote.key ?? '')
  expect([exitCode, text]).toEqual([0, expect.stringContaining('identical')])
}

beforeAll(async () => {
  remote = await startProcess(folder.file('remote.db'), { args: ['--log-level', 'warn'] })
  const fields = ['name', 'email'].map((key) => ({ key, type: 'text' }))
  await remote.post('/v1/records/structures', { name: 'Customers', fields })
  const { body } = await remote.post('/v1/records', {
    structure: 'Customers',
    data: { name: 'Ada', email: SECRET },
  })
  customer = body.records[0].id
  mirror = await start([])
  await write('1')
}, 60_000)

afterAll(async () => {
  await mirror.end()
  await remote.end()
  folder.remove()
})

test('fields that are omitted later are in no file of the copy, however the old one was left', async () => {
  expect(leakingFiles()).not.toEqual([])
  await mirror.end('SIGKILL')
  const reader = openBeside(file)
  reader.run('BEGIN')
  reader.query('SELECT count(*) FROM records').get()
  mirror = await start(['--omit-fields', 'Customers.email'], mirror)
  expect(leakingFiles()).toEqual([])
  await write('2')
  reader.close()
  expect((await mirror.get(`/v1/records/${customer}`)).body.record.data).toEqual({ name: 'Ada 2' })
  const { versions } = (await mirror.get(`/v1/records/${customer}/history`)).body
  expect(JSON.stringify(versions)).not.toContain(SECRET)
  expect(leakingFiles()).toEqual([])
  expect(mirror.err()).not.toContain(SECRET)
  await mirror.end()
  expect(leakingFiles()).toEqual([])
}, 60_000)
