import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runInProcess } from '../support/cli.ts'
import { openBeside, sizesOf, stored, storedValues } from '../support/database.ts'
import { makeFile, makePartOfFile } from '../support/files.ts'
import { runJobs, runRetention } from '../support/jobs.ts'
import { makeNote } from '../support/notes.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { startService } from '../support/service.ts'

const sample = (name: string) => resolve(import.meta.dir, '../files/samples', name)
const ID = /^[0-9a-f-]{36}$/

let folder: ReturnType<typeof newFolder>
let file: string
beforeEach(async () => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => folder.remove())

/** Creates a database with a workspace and a note; returns the note's id. */
async function makeDatabase(): Promise<string> {
  const service = await startService({ file })
  const { id } = await makeNote(service)
  service.close()
  return id
}

const run = (...args: string[]) => runInProcess(['files', ...args, '--db', file])

const listed = async (...args: string[]) => JSON.parse((await run('list', '--json', ...args)).out).files

async function write(name: string, content: string | Uint8Array): Promise<string> {
  await Bun.write(folder.file(name), content)
  return folder.file(name)
}

describe('files add, when no server runs', () => {
  beforeEach(makeDatabase)

  test('extracts the text before it exits', async () => {
    const { exitCode, out, err } = await run('add', sample('handbook.pdf'), await write('a.txt', 'text'))
    expect([exitCode, err]).toEqual([0, 'handbook.pdf: ready, 3 pages.\na.txt: ready, 1 page.\n'])
    const files = await listed()
    expect(out).toBe(files.map(({ id }: { id: string }) => `${id}\n`).join(''))
    expect(files).toMatchObject([
      { file_name: 'handbook.pdf', status: 'ready', pages: 3, size: 36_849, note_id: null },
      { file_name: 'a.txt', status: 'ready', pages: 1, size: 4, note_id: null },
    ])
  })

  test('attaches to a note, and prints JSON', async () => {
    const service = await startService({ file })
    const note = await makeNote(service, { title: 'Attached' })
    service.close()
    const { exitCode, out } = await run('add', await write('b.png', 'a\0b'), '--note', note.id, '--json')
    expect([exitCode, JSON.parse(out).files]).toEqual([0, await listed()])
    expect(await listed()).toMatchObject([{ note_id: note.id, status: 'ready', pages: 0, error: null }])
  })

  test('refuses invalid files, adds the others, and exits 1', async () => {
    mkdirSync(folder.file('folder'))
    await Bun.write(folder.file('large.txt'), new Uint8Array(52_428_801))
    const good = await write('good.txt', 'text')
    const odd = await write('a\nb.txt', 'text')
    symlinkSync('circle', folder.file('circle'))
    const paths = [...['none.txt', 'folder', 'large.txt'].map(folder.file), odd, folder.file('circle'), good]
    const { exitCode, err } = await run('add', ...paths)
    expect(exitCode).toBe(1)
    expect(err).toBe(`${paths[0]}: refused. There is no file ${paths[0]}.
${paths[1]}: refused. ${paths[1]} is not a file.
${paths[2]}: refused. The file is larger than 50 MiB; add a smaller one.
${paths[3]}: refused. The name of a file must be a text of 1 to 500 characters without control characters.
${paths[4]}: refused. ${paths[4]} cannot be read (ELOOP); its symbolic links form a circle, so name the file that they should lead to.
good.txt: ready, 1 page.
`)
    expect(await listed()).toMatchObject([{ file_name: 'good.txt' }])
  })

  test('refuses a note that does not exist', async () => {
    const { exitCode, err } = await run('add', await write('a.txt', 'text'), '--note', 'x')
    expect([exitCode, err]).toEqual([
      1,
      `${folder.file('a.txt')}: refused. There is no such note in this workspace.\n`,
    ])
    expect(await listed()).toEqual([])
  })

  test('stores the original, byte for byte', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(1_048_577))
    const path = await write('a.bin', bytes)
    await run('add', path)
    const parts = storedValues<Uint8Array>(file, 'SELECT bytes FROM file_parts ORDER BY pk')
    expect(Buffer.concat(parts).equals(bytes)).toBe(true)
    expect(parts.length).toBe(3)
  })
})

describe('files list and delete', () => {
  beforeEach(makeDatabase)

  test('list files and delete them', async () => {
    await run('add', await write('a.txt', 'text'), await write('b.txt', 'more'))
    const [first, second] = await listed()
    expect((await run('list')).out.split('\n').slice(0, 2)).toEqual([
      `ID${' '.repeat(36)}NAME   BYTES  NOTE  STATE`,
      `${first.id}  a.txt  4      -     ready, 1 page`,
    ])
    expect(await run('delete', first.id)).toEqual({
      exitCode: 0,
      out: '',
      err: 'The file "a.txt" was deleted.\n',
    })
    expect(await listed()).toEqual([second])
    expect(await run('delete', first.id)).toEqual({
      exitCode: 1,
      out: '',
      err: 'There is no such file in this workspace.\n',
    })
    expect((await runInProcess(['check', '--db', file])).out).toBe('ok\n')
  })
})

describe.each(['source', 'executable'] as const)('a server from %s', (how) => {
  let server: ServerProcess
  beforeEach(async () => {
    server = await startProcess(file, { how })
  })
  afterEach(async () => void (await server.end('SIGKILL')))

  const add = (...paths: string[]) => daybook(['files', 'add', ...paths, '--db', file], { how })

  test('extracts the text of files from the command line, and search finds it at once', async () => {
    const paths = ['handbook.pdf', 'handbook.docx', 'accounts.xlsx', 'talk.pptx'].map(sample)
    const { exitCode, out, err } = await add(...paths)
    expect([exitCode, err]).toEqual([
      0,
      'handbook.pdf: ready, 3 pages.\nhandbook.docx: ready, 1 page.\naccounts.xlsx: ready, 2 pages.\ntalk.pptx: ready, 3 pages.\n',
    ])
    const ids = out.trim().split('\n')
    expect(ids.every((id) => ID.test(id))).toBe(true)
    const { body } = await server.get(`/v1/files/${ids[0]}/text?pages=3`)
    expect(body.text).toBe('=== page 3 ===\nÇa suffit: Größe, naïveté, Ελληνικά.')
    const found = await server.get(`/v1/files/search?q=${encodeURIComponent('织布机')}`)
    expect(found.body.total).toBe(4)
  })
})

describe('a file whose text is being extracted when a server dies or starts', () => {
  interface State {
    status: string
    attempts: number
    /** The number of pages stored so far. */
    stored: number
  }

  const NONE: State = { status: 'none', attempts: 0, stored: 0 }

  /** The row of the only file. */
  const stateOfFile = (): State =>
    stored<State>(
      file,
      'SELECT status, attempts, (SELECT count(*) FROM file_pages) AS stored FROM files',
    )[0] ?? NONE

  async function until(isSo: (state: State) => boolean): Promise<void> {
    while (!isSo(stateOfFile())) await Bun.sleep(2)
  }

  /** Waits until the text is partly stored, and then takes the write lock: all writes wait until its release. */
  async function holdInTheMiddle(): Promise<{ release: () => void }> {
    const database = openBeside(file)
    database.run('PRAGMA busy_timeout = 5000')
    for (;;) {
      database.run('BEGIN IMMEDIATE')
      const { status, stored } = stateOfFile()
      if (status === 'ready') throw new Error('the whole text was stored between two looks')
      if (stored > 0) return { release: () => database.close() }
      database.run('ROLLBACK')
      await Bun.sleep(2)
    }
  }

  /** Returns the file as the server shows it with its text. A server shows writes of another process a moment later. */
  async function shownWithText(server: ServerProcess): Promise<{ pages: number }> {
    for (;;) {
      const [file] = (await server.get('/v1/files')).body.files
      if (file.status === 'ready') return file
      await Bun.sleep(2)
    }
  }

  test('is processed again by the next server, and no partial text is left', async () => {
    const service = await startService({ file })
    const { key = '' } = service
    // Enough text that storing its pages takes many writes.
    const bytes = new TextEncoder().encode('Looms weave flowers and leaves.\n'.repeat(100_000))
    await makeFile(service, { bytes })
    service.close()
    const first = await startProcess(file, { key })
    const middle = await holdInTheMiddle()
    await first.end('SIGKILL')
    middle.release()
    expect(stateOfFile().status).toBe('processing')
    const second = await startProcess(file, { key })
    const { pages } = await shownWithText(second)
    expect(stateOfFile().attempts).toBe(2)
    expect((await second.get('/v1/files/search?q=flowers')).body.total).toBe(pages)
    expect(await second.end()).toBe(0)
    expect((await runInProcess(['check', '--db', file])).out).toBe('ok\n')
  })

  test('does not prevent a server from stopping', async () => {
    const service = await startService({ file })
    const { key = '' } = service
    await makeFile(service, {
      bytes: new TextEncoder().encode('Looms weave flowers and leaves.\n'.repeat(100_000)),
    })
    service.close()
    for (const hasStarted of [({ attempts }: State) => attempts === 1, ({ stored }: State) => stored > 50]) {
      const server = await startProcess(file, { key })
      await until(hasStarted)
      expect(await server.end('SIGTERM')).toBe(0)
      expect([server.err().match(/"level":"(?:warn|error)"/), stateOfFile().status]).toEqual([
        null,
        'processing',
      ])
    }
  })

  test('is taken over by a server, and the command line waits for it', async () => {
    const service = await startService({ file })
    const { key = '' } = service
    service.close()
    const path = await write('long.txt', 'Looms weave flowers and leaves.\n'.repeat(100_000))
    const adding = daybook(['files', 'add', path, '--db', file])
    await until(({ stored }) => stored > 50)
    const server = await startProcess(file, { key })
    const { exitCode, err } = await adding
    expect([exitCode, err]).toEqual([0, expect.stringMatching(/^long\.txt: ready, \d+ pages\.\n$/)])
    const { pages } = await shownWithText(server)
    expect((await server.get('/v1/files/search?q=flowers')).body.total).toBe(pages)
    expect(await server.end()).toBe(0)
    expect((await runInProcess(['check', '--db', file])).out).toBe('ok\n')
  })
})

test('a file that was only partly added is invisible, and is removed', async () => {
  const service = await startService({ file: join(folder.path, 'other.db') })
  await makePartOfFile(service)
  expect((await service.get('/v1/files')).body.files).toEqual([])
  await runRetention(service.ctx)
  await runJobs(service.ctx)
  expect(sizesOf(service, 'file_parts')).toEqual([1])
  service.clock.advance(3_600_001)
  await runRetention(service.ctx)
  await runJobs(service.ctx)
  expect(sizesOf(service, 'file_parts')).toEqual([0])
  service.close()
})
