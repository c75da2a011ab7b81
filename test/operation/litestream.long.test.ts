import { afterEach, beforeEach, expect, test } from 'bun:test'
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { spawn, spawnSync, which } from 'bun'
import { runs } from '../support/counts.ts'
import { storedValues } from '../support/database.ts'
import { daybook, newFolder, program, type ServerProcess, startProcess } from '../support/process.ts'
import { deployFile, guideLines } from './deploy.ts'

/** The version in the recipe. */
const [, VERSION = ''] = /Litestream (\d+\.\d+\.\d+)/.exec(await deployFile('litestream.yml', {})) ?? []

/** Returns that version of Litestream: from the path, or built here where Go is installed. */
function findLitestream(): string | undefined {
  const onPath = which('litestream')
  if (onPath && spawnSync([onPath, 'version']).stdout.toString().includes(VERSION)) return onPath
  const folder = resolve('node_modules', '.cache', `litestream-${VERSION}`)
  const built = join(folder, 'litestream')
  if (existsSync(built)) return built
  const go = which('go')
  const source = `github.com/benbjohnson/litestream/cmd/litestream@v${VERSION}`
  if (go) spawnSync([go, 'install', source], { env: { ...process.env, GOBIN: folder } })
  return existsSync(built) ? built : undefined
}

const LITESTREAM = findLitestream() ?? ''
if (LITESTREAM === '')
  process.stderr.write(`Litestream ${VERSION} is not installed, nor Go to build it: nothing is replicated.\n`)

const SERVE = { args: ['--log-level', 'warn', '--checkpoint', 'off'] }

let folder: ReturnType<typeof newFolder>
let file: string
let config: string

/** `settings` are configuration lines for the database. */
async function configure(settings = ''): Promise<void> {
  const text = await deployFile('litestream.yml', {
    '/var/lib/daybook/daybook.db': file,
    'url: s3://bucket.example/daybook': `path: ${folder.file('replica')}`,
  })
  await Bun.write(
    config,
    text.replace(`- path: ${file}\n`, (path) => path + settings),
  )
}

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
  config = folder.file('litestream.yml')
})
afterEach(() => folder.remove())

const litestream = (command: string, ...args: string[]) =>
  spawn([LITESTREAM, command, '-config', config, ...args], { stdout: 'ignore', stderr: 'ignore' })

async function restoreTo(target: string): Promise<boolean> {
  rmSync(target, { force: true })
  return (await litestream('restore', '-o', target, file).exited) === 0
}

const titlesIn = (path: string) => storedValues<string>(path, 'SELECT title FROM notes ORDER BY pk')

/** Writes one note after another; returns the acknowledged titles in order. */
async function write(server: ServerProcess, name: string, wanted: number): Promise<string[]> {
  const acknowledged: string[] = []
  const content = `${name} `.repeat(4_000)
  while (acknowledged.length < wanted) {
    const title = `${name} ${acknowledged.length}`
    const response = await server.post('/v1/notes', { title, content, tags: [name] }).catch(() => undefined)
    if (!response) break
    expect(response.status).toBe(201)
    acknowledged.push(title)
  }
  return acknowledged
}

async function untilReplicated(title: string): Promise<void> {
  const copy = folder.file('copy.db')
  for (let tries = 0; tries < 240; tries++) {
    if ((await restoreTo(copy)) && titlesIn(copy).includes(title)) return
    await Bun.sleep(250)
  }
  throw new Error(`${title} was not replicated`)
}

/** Runs lines of the page on growing in the folder; returns their output. */
async function runLines(lines: readonly string[]): Promise<string> {
  const [executable = ''] = program()
  const local = lines.map((line) =>
    line.replaceAll('/etc/litestream.yml', config).replaceAll('/var/lib/daybook/daybook.db', file),
  )
  const shell = spawn(['bash', '-e', '-c', local.join('\n')], {
    cwd: folder.path,
    env: { PATH: `${dirname(executable)}:${dirname(LITESTREAM)}:${process.env.PATH}` },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const printed = await shell.stdout.text()
  expect(await shell.exited).toBe(0)
  return printed
}

test.skipIf(LITESTREAM === '')(
  "a standby starts from Litestream's replica after the server was killed and its file lost",
  async () => {
    await configure()
    const server = await startProcess(file, SERVE)
    const replication = litestream('replicate')
    const first = await write(server, 'first', 300)
    await untilReplicated(first.at(-1) ?? '')
    // Large enough that Litestream has moved some of the log into the file.
    expect(statSync(file).size).toBeGreaterThan(1_000_000)

    const writing = write(server, 'second', Number.POSITIVE_INFINITY)
    await Bun.sleep(1_500)
    const [newest] = (await server.get('/v1/notes?limit=1&sort=created_at')).body.notes
    const { cursor } = (await server.get('/v1/changes?after=now')).body
    expect(await server.end('SIGKILL')).toBe(null)
    replication.kill('SIGKILL')
    await replication.exited
    const second = await writing
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })

    const [restore = '', check = '', serve = '', ...others] = await guideLines('back-up.md', 'standby')
    expect(others).toEqual([])
    expect(await runLines([restore, check])).toEndWith('ok\n')
    const standby = folder.file('standby.db')
    const restored = titlesIn(standby)
    const all = [...first, ...second]
    expect(restored.length).toBeGreaterThanOrEqual(first.length)
    // The backup may contain one more write than was acknowledged. No earlier one is missing.
    expect(restored.slice(0, all.length)).toEqual(all.slice(0, restored.length))

    expect(serve).toBe('daybook serve --db standby.db --checkpoint off')
    const again = await startProcess(standby, { ...SERVE, key: server.key })
    expect((await again.get('/v1/notes?search=first')).body.total).toBe(300)
    expect((await write(again, 'third', 1)).length).toBe(1)
    // A follower of the lost server must not take new writes for the ones it has seen there.
    if (!restored.includes(newest.title)) {
      const follower = await again.get(`/v1/changes?after=${cursor}`)
      expect([follower.status, follower.body.code]).toEqual([410, 'cursor_expired'])
    }
    expect(await again.end()).toBe(0)
  },
  60_000,
)

/** Returns a number that changes whenever the log restarts from its beginning. */
function logSalt(): number {
  const header = Buffer.alloc(32)
  const descriptor = openSync(`${file}-wal`, 'r')
  readSync(descriptor, header, 0, header.length, 0)
  closeSync(descriptor)
  return header.readUInt32BE(16)
}

const CHECKPOINTS = runs(5, 1_000)
const WRITERS = 4
/** Litestream moves the log into the file as often as it can. */
const HURRIED = `    monitor-interval: 200ms
    checkpoint-interval: 300ms
    min-checkpoint-page-count: 20
`

test.skipIf(LITESTREAM === '')(
  'a copy is intact and holds every note after many checkpoints under load',
  async () => {
    await configure(HURRIED)
    const server = await startProcess(file, SERVE)
    const replication = litestream('replicate')
    let isOver = false
    const acknowledged: string[] = []
    const writeAll = async (writer: number) => {
      for (let count = 0; !isOver; count++) {
        const title = `${writer} ${count}`
        const { status } = await server.post('/v1/notes', { title, content: 'word '.repeat(count % 300) })
        // While Litestream checkpoints a long log, writes may be refused.
        if (status === 201) acknowledged.push(title)
        else expect(status).toBe(503)
      }
    }
    const writers = Array.from({ length: WRITERS }, (_, writer) => writeAll(writer))
    for (let [restarts, last] = [0, logSalt()]; restarts < CHECKPOINTS; await Bun.sleep(5)) {
      const salt = logSalt()
      if (salt !== last) restarts += 1
      last = salt
    }
    isOver = true
    await Promise.all(writers)
    const newest = `last ${acknowledged.length}`
    await server.post('/v1/notes', { title: newest })
    await untilReplicated(newest)
    replication.kill()
    await replication.exited
    expect(await server.end()).toBe(0)

    const copy = folder.file('copy.db')
    const copied = new Set(titlesIn(copy))
    expect(acknowledged.filter((title) => !copied.has(title))).toEqual([])
    expect(await daybook(['check', '--db', copy])).toMatchObject({ exitCode: 0, out: 'ok\n' })
  },
  runs(300_000, 3_600_000),
)
