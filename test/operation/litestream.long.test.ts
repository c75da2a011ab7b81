import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { spawn } from 'bun'
import { newFolder, program, type ServerProcess, startProcess } from '../support/process.ts'
import { deployFile, deployLines } from './deploy.ts'

const PACKAGE = `@flydotio/litestream-${process.platform}-${process.arch}`
const LITESTREAM = join(import.meta.dir, '..', '..', 'node_modules', PACKAGE, 'litestream')

let folder: ReturnType<typeof newFolder>
let file: string
let config: string

beforeEach(async () => {
  folder = newFolder()
  file = folder.file('daybook.db')
  config = folder.file('litestream.yml')
  const local = {
    '/var/lib/daybook/daybook.db': file,
    'url: s3://bucket.example/daybook': `path: ${folder.file('replica')}`,
  }
  await Bun.write(config, await deployFile('litestream.yml', local))
})
afterEach(() => folder.remove())

const litestream = (...args: string[]) =>
  spawn([LITESTREAM, ...args, '-config', config], { stdout: 'ignore', stderr: 'ignore' })

async function restoreTo(target: string): Promise<boolean> {
  rmSync(target, { force: true })
  const child = spawn([LITESTREAM, 'restore', '-config', config, '-o', target, file], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  return (await child.exited) === 0
}

function titlesIn(path: string): string[] {
  const database = new Database(path, { readonly: true })
  try {
    const rows = database.query('SELECT title FROM notes ORDER BY pk').all() as { title: string }[]
    return rows.map(({ title }) => title)
  } finally {
    database.close()
  }
}

/** Writes one note after another; returns the titles that were acknowledged, in order. */
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
  for (let tries = 0; tries < 60; tries++) {
    if ((await restoreTo(copy)) && titlesIn(copy).includes(title)) return
    await Bun.sleep(250)
  }
  throw new Error(`${title} was not replicated`)
}

if (!existsSync(LITESTREAM)) process.stderr.write(`${PACKAGE} is not installed: nothing is replicated.\n`)

/** Runs lines of the page on growing in the folder; returns what they printed. */
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

test.skipIf(!existsSync(LITESTREAM))(
  'a standby is made of what Litestream has replicated, after the server was killed and its file lost',
  async () => {
    const args = ['--log-level', 'warn', '--checkpoint', 'off']
    const server = await startProcess(file, { args })
    const replication = litestream('replicate')
    const first = await write(server, 'first', 300)
    await untilReplicated(first.at(-1) ?? '')
    // So much was written that Litestream has moved some of it from the log into the file.
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

    const [restore = '', check = '', serve = '', ...others] = await deployLines('operation.md', 'standby')
    expect(others).toEqual([])
    expect(await runLines([restore, check])).toEndWith('\nok\n')
    const standby = folder.file('standby.db')
    const restored = titlesIn(standby)
    const all = [...first, ...second]
    expect(restored.length).toBeGreaterThanOrEqual(first.length)
    // One more may have been written than was acknowledged; none before it is missing.
    expect(restored.slice(0, all.length)).toEqual(all.slice(0, restored.length))

    expect(serve).toBe('daybook serve --db standby.db --checkpoint off')
    const again = await startProcess(standby, { args, key: server.key })
    expect((await again.get('/v1/notes?search=first')).body.total).toBe(300)
    expect((await write(again, 'third', 1)).length).toBe(1)
    // A follower of the lost server must not take what is written now for what it has seen there.
    if (!restored.includes(newest.title)) {
      const follower = await again.get(`/v1/changes?after=${cursor}`)
      expect([follower.status, follower.body.code]).toEqual([410, 'cursor_expired'])
    }
    expect(await again.end()).toBe(0)
  },
  60_000,
)
