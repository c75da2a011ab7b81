import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'bun'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { deployFile } from './deploy.ts'

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

test.skipIf(!existsSync(LITESTREAM))(
  'what Litestream has replicated can be restored after the server was killed and its file lost',
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
    expect(await server.end('SIGKILL')).toBe(null)
    replication.kill('SIGKILL')
    await replication.exited
    const second = await writing
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })

    expect(await restoreTo(file)).toBe(true)
    const restored = titlesIn(file)
    const all = [...first, ...second]
    expect(restored.length).toBeGreaterThanOrEqual(first.length)
    // One more may have been written than was acknowledged; none before it is missing.
    expect(restored.slice(0, all.length)).toEqual(all.slice(0, restored.length))
    expect(await daybook(['check', '--db', file])).toEqual({
      exitCode: 0,
      out: 'ok\n',
      err: '',
    })

    const again = await startProcess(file, { args, key: server.key })
    expect((await again.get('/v1/notes?search=first')).body.total).toBe(300)
    expect((await write(again, 'third', 1)).length).toBe(1)
    expect(await again.end()).toBe(0)
  },
  60_000,
)
