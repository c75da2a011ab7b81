import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { runs } from '../../support/counts.ts'
import { killWhen } from '../../support/kills.ts'
import { type Line, startLine } from '../../support/line.ts'
import { type MirrorProcess, startMirror, verifyMirror } from '../../support/mirror-process.ts'
import { daybook, newFolder, type ServerProcess, startCommand, startProcess } from '../../support/process.ts'
import { randomSource } from '../../support/random.ts'
import { declare } from '../../support/records.ts'

/*
 * A real remote with two real mirrors: one is writable, the other has a line that is cut. The remote receives writes
 * while each of them is killed. After each pause a copy equals the remote, and no reader of a copy ever sees half a
 * transaction.
 */

const ROUNDS = runs(4, 40)
const BATCH = 40
const ROWS = 30
const random = randomSource(7)
const folder = newFolder()
const [file, writableFile] = [folder.file('mirror.db'), folder.file('writable.db')]
let remote: ServerProcess
let mirror: MirrorProcess
let writable: MirrorProcess
let line: Line

async function startRemote(): Promise<void> {
  remote = await startProcess(folder.file('remote.db'), remote && { key: remote.key ?? '' })
  line?.leadTo(remote.url)
}

async function startCopy(): Promise<void> {
  mirror = await startMirror({
    file,
    remote: line.url,
    key: remote.key ?? '',
    ...(mirror && { ownKey: mirror.key ?? '' }),
  })
}

async function startWritable(): Promise<void> {
  writable = await startMirror({
    file: writableFile,
    remote: line.url,
    key: remote.key ?? '',
    args: ['--writable'],
    ...(writable && { ownKey: writable.key ?? '' }),
  })
}

beforeAll(async () => {
  await startRemote()
  line = await startLine(remote.url)
  await declare(remote, 'Rows', [
    { key: 'name', type: 'text', unique: true },
    { key: 'n', type: 'number' },
  ])
  await declare(remote, 'Tasks', [{ key: 'what', type: 'text', unique: true }])
  await remote.post('/v1/properties', { key: 'state', type: 'text' })
}, 60_000)

afterAll(async () => {
  for (const process of [mirror, writable, remote]) await process?.end()
  line.close()
  folder.remove()
})

let written = 0

/** Writes batches of rows, each in one transaction, notes, and values that move between rows. */
async function write(): Promise<void> {
  const number = ++written
  const rows = Array.from({ length: BATCH }, (_, at) => ({ data: { name: `${number}-${at}`, n: number } }))
  await remote.post('/v1/records', { structure: 'Rows', rows })
  const note = { title: `n${number}`, tags: [`t${number % 3}`], properties: { state: 'x' } }
  await remote.post('/v1/notes', note)
  if (number % 3 !== 0) return
  const { records } = (await remote.get('/v1/records?structure=Rows&limit=2')).body
  for (const [at, { id }] of (records as { id: string }[]).entries())
    await remote.patch(`/v1/records/${id}`, { data: { name: `moved ${number} ${at}` } })
}

/** Reads the copy repeatedly: batches must always be complete. Returns the number of reads. */
async function watchCopy(until: { isOver: boolean }): Promise<number> {
  let looks = 0
  while (!until.isOver) {
    const answer = await mirror.get('/v1/records?structure=Rows&limit=1').catch(() => undefined)
    if (answer?.status === 200) {
      expect(answer.body.total % BATCH).toBe(0)
      looks += 1
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  return looks
}

/** Returns an exported folder as one text. A copy has disabled subscriptions, but this workspace has none. */
async function exportOf(database: string, name: string): Promise<string> {
  const target = folder.file(name)
  const { exitCode, err } = await daybook(['export', target, '--db', database])
  expect([exitCode, err]).toEqual([0, expect.anything()])
  const files = (readdirSync(target, { recursive: true }) as string[])
    .filter((path) => statSync(join(target, path)).isFile())
    .sort()
  return files.map((path) => `${path}\n${readFileSync(join(target, path), 'latin1')}`).join('\n')
}

const FAULTS = [
  async () => {
    line.cut()
    line.join()
  },
  async () => {
    await mirror.end('SIGKILL')
    await startCopy()
  },
  async () => {
    await remote.end('SIGKILL')
    await startRemote()
  },
]

test(
  'a copy is the remote after connections were cut and both were killed',
  async () => {
    await startCopy()
    let looks = 0
    for (let round = 0; round < ROUNDS; round++) {
      const until = { isOver: false }
      const looking = watchCopy(until)
      const writing = (async () => {
        for (let count = 0; count < 12; count++) await write().catch(() => {})
      })()
      await FAULTS[round % FAULTS.length]?.()
      await writing
      until.isOver = true
      looks += await looking
      const { exitCode, text } = await verifyMirror(file, remote.key ?? '')
      expect([exitCode, text]).toEqual([0, expect.stringContaining('identical')])
    }
    expect(looks).toBeGreaterThan(0)
    expect(await exportOf(file, 'copy')).toBe(await exportOf(folder.file('remote.db'), 'original'))
    await mirror.end()
  },
  runs(120_000, 600_000),
)

/** Returns the rows that were acknowledged. */
async function writeTasks(to: Pick<ServerProcess, 'post'>, name: string): Promise<string[]> {
  const acknowledged = []
  for (let row = 0; row < ROWS; row++) {
    const what = `${name} ${row}`
    const answer = await to.post('/v1/records', { structure: 'Tasks', data: { what } }).catch(() => undefined)
    if (answer?.status === 201) acknowledged.push(what)
  }
  return acknowledged
}

test('a writable copy loses no acknowledged write, and pushes none twice', async () => {
  await startWritable()
  const env = { DAYBOOK_KEY: remote.key ?? '' }
  const command = (...args: string[]) => ['mirror', ...args, '--db', writableFile]
  for (let round = 0; round < ROUNDS; round++) {
    const writing = [writeTasks(remote, `there ${round}`), writeTasks(writable, `here ${round}`)]
    await Bun.sleep(random(150))
    await writable.end('SIGKILL')
    const acknowledged = (await Promise.all(writing)).flat()
    await startWritable()
    await killWhen(startCommand(command('push'), { env }), Bun.sleep(random(400)))
    const pushed = await daybook(command('push'), { env })
    expect([pushed.exitCode, pushed.err]).toEqual([0, expect.any(String)])
    expect(JSON.parse((await daybook(command('diff', '--json'), { env })).out).changes).toEqual([])
    expect((await verifyMirror(writableFile, remote.key ?? '')).exitCode).toBe(0)
    const { records, total } = (await remote.get('/v1/records?structure=Tasks&limit=500&sort=what')).body
    const tasks = new Set(records.map(({ data }: { data: { what: string } }) => data.what))
    if (total <= 500) expect(tasks.size).toBe(total)
    const filter = encodeURIComponent(JSON.stringify([{ field: 'what', op: 'in', value: acknowledged }]))
    expect((await remote.get(`/v1/records?structure=Tasks&filter=${filter}`)).body.total).toBe(
      acknowledged.length,
    )
  }
}, 600_000)
