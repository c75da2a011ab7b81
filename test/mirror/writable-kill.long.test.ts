import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runs } from '../support/counts.ts'
import { type MirrorProcess, startMirror, verifyMirror } from '../support/mirror-process.ts'
import { daybook, newFolder, type ServerProcess, startCommand, startProcess } from '../support/process.ts'
import { randomSource } from '../support/random.ts'

/*
 * A real remote and a real writable mirror, both written, while the mirror and its pushes are killed: what was
 * acknowledged is there, once, and after a push that ended both are the same.
 */

const ROUNDS = runs(4, 40)
const ROWS = 30
const random = randomSource(7)
const folder = newFolder()
const file = folder.file('mirror.db')
let remote: ServerProcess
let mirror: MirrorProcess
let key: string

const command = (...args: string[]) =>
  daybook(['mirror', ...args, '--db', file], { env: { DAYBOOK_KEY: key } })
const start = (ownKey?: string) =>
  startMirror({ file, remote: remote.url, key, ...(ownKey && { ownKey }), args: ['--writable'] })

beforeAll(async () => {
  remote = await startProcess(folder.file('remote.db'), { args: ['--log-level', 'warn'] })
  key = (await daybook(['keys', 'create', '--db', folder.file('remote.db'), '--name', 'r'])).out.trim()
  await remote.post('/v1/records/structures', {
    name: 'Tasks',
    fields: [{ key: 'what', type: 'text', unique: true }],
  })
  mirror = await start()
}, 60_000)

afterAll(async () => {
  await mirror.end()
  await remote.end()
  folder.remove()
})

const written: string[] = []

async function writeSome(to: { post: MirrorProcess['post'] }, name: string): Promise<void> {
  for (let row = 0; row < ROWS; row++) {
    const what = `${name} ${row}`
    const answer = await to.post('/v1/records', { structure: 'Tasks', data: { what } }).catch(() => undefined)
    if (answer?.status === 201) written.push(what)
  }
}

test('nothing that was acknowledged is lost, and nothing is pushed twice', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const writing = [writeSome(remote, `there ${round}`), writeSome(mirror, `here ${round}`)]
    await Bun.sleep(random(150))
    await mirror.end('SIGKILL')
    await Promise.all(writing)
    mirror = await start(mirror.key)
    const pushing = startCommand(['mirror', 'push', '--db', file], { env: { DAYBOOK_KEY: key } })
    await Bun.sleep(random(400))
    await pushing.end('SIGKILL')
    const pushed = await command('push')
    expect([pushed.exitCode, pushed.err]).toEqual([0, expect.any(String)])
    expect(JSON.parse((await command('diff', '--json')).out).changes).toEqual([])
    expect((await verifyMirror(file, key)).exitCode).toBe(0)
    const { records, total } = (await remote.get('/v1/records?structure=Tasks&limit=500&sort=what')).body
    if (total <= 500)
      expect(new Set(records.map(({ data }: { data: { what: string } }) => data.what))).toEqual(
        expect.objectContaining({ size: total }),
      )
    for (const what of written.slice(-2 * ROWS)) {
      const filter = encodeURIComponent(JSON.stringify([{ field: 'what', op: 'eq', value: what }]))
      expect([what, (await remote.get(`/v1/records?structure=Tasks&filter=${filter}`)).body.total]).toEqual([
        what,
        1,
      ])
    }
  }
}, 600_000)
