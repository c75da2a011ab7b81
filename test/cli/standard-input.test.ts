import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { newAuthority } from '../support/certificates.ts'
import { runInProcess } from '../support/cli.ts'
import { daybook, newFolder, program, startProcess } from '../support/process.ts'

let folder: ReturnType<typeof newFolder>
let db: string

beforeEach(async () => {
  folder = newFolder()
  db = folder.file('daybook.db')
  await runInProcess(['serve', '--port', '0', '--log-level', 'silent', '--db', db])
})
afterEach(() => folder.remove())

const leftOver = () => readdirSync(tmpdir()).filter((name) => /^daybook-\w{6}$/.test(name))
const usersOf = async () => {
  const { out } = await runInProcess(['users', 'list', '--json', '--db', db])
  return JSON.parse(out).users.map(({ name }: { name: string }) => name)
}

/** Runs a command of the executable with the bytes as standard input; returns its output as bytes. */
async function piped(args: string[], input: Uint8Array | Blob = new Blob([])) {
  const child = Bun.spawn([...program(), ...args], { stdin: input, stdout: 'pipe', stderr: 'pipe', env: {} })
  const [out, err, exitCode] = await Promise.all([child.stdout.bytes(), child.stderr.text(), child.exited])
  return { out, err, exitCode }
}

test('backup - writes a whole database to standard output, and restore - reads it from standard input', async () => {
  const before = leftOver()
  // More than the buffer of a pipe.
  writeFileSync(folder.file('large.txt'), 'text '.repeat(400_000))
  await runInProcess(['files', 'add', folder.file('large.txt'), '--db', db])
  const backup = await piped(['backup', '-', '--db', db])
  expect([backup.exitCode, backup.err]).toEqual([0, ''])
  expect(Buffer.from(backup.out.slice(0, 15)).toString()).toBe('SQLite format 3')
  await runInProcess(['users', 'add', 'late', '--db', db])
  expect(await piped(['restore', '-', '--db', db], backup.out)).toMatchObject({
    exitCode: 0,
    err: `Restored ${db} from standard input. The previous database is kept as ${db}.before-restore.\n`,
  })
  expect(await usersOf()).toEqual(['owner'])
  expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  expect(leftOver()).toEqual(before)
})

test('restore - refuses an invalid or incomplete backup, and changes nothing', async () => {
  const { out } = await piped(['backup', '-', '--db', db])
  const before = readFileSync(db)
  for (const bytes of [out.slice(0, out.length / 2), new Uint8Array(), Buffer.from('text '.repeat(5_000))]) {
    const { exitCode, err } = await piped(['restore', '-', '--db', db], bytes)
    expect([exitCode, err.length > 20]).toEqual([1, true])
  }
  expect(readFileSync(db)).toEqual(before)
  expect(existsSync(`${db}.before-restore`)).toBe(false)
})

test('backup - fails when its reader goes away', async () => {
  writeFileSync(folder.file('large.txt'), 'text '.repeat(400_000))
  await runInProcess(['files', 'add', folder.file('large.txt'), '--db', db])
  const script = '"$0" backup - --db "$1" | head -c 10 > /dev/null; exit "$PIPESTATUS"'
  const child = Bun.spawn(['bash', '-c', script, ...program(), db], { stderr: 'pipe' })
  expect(await child.stderr.text()).toContain('closed it before the copy was complete')
  expect(await child.exited).toBe(1)
})

test('import - reads a table from standard input', async () => {
  const { exitCode, err, out } = await piped(
    ['import', '-', '--structure', 'Books', '--json', '--db', db],
    new Blob(['title,pages\nMiddlemarch,880\n']),
  )
  expect({ exitCode, err: err.replace(/rows: \d+%\n/g, '') }).toEqual({ exitCode: 0, err: '' })
  expect(JSON.parse(Buffer.from(out).toString())).toMatchObject({ inserted: 1, written: true })
})

test('serve --webhook-ca - reads certificates from standard input, and refuses anything else', async () => {
  const { cert } = await newAuthority()
  const child = Bun.spawn([...program(), 'serve', '--port', '0', '--webhook-ca', '-', '--db', db], {
    stdin: new Blob([cert]),
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const { value } = await child.stdout.getReader().read()
  expect(Buffer.from(value ?? []).toString()).toStartWith('daybook listening on')
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  expect(await daybook(['serve', '--webhook-ca', '-', '--db', db], { input: 'no certificate' })).toEqual({
    exitCode: 2,
    out: '',
    err: expect.stringContaining('--webhook-ca must be a file with certificates in PEM form; "-" is none.'),
  })
})

test('a server removes the copies that one of the same database left when it was killed, and nothing else', async () => {
  for (const name of ['.backup-daybook.db-aB3dE6', '.backup-other.db-aB3dE6', '.backup-daybook.db-mine.db'])
    mkdirSync(folder.file(name))
  writeFileSync(folder.file('.backup-daybook.db-aB3dE6/daybook.db'), 'half')
  const server = await startProcess(db, { key: 'none' })
  await server.end()
  expect(
    readdirSync(folder.path)
      .filter((name) => name.startsWith('.backup'))
      .sort(),
  ).toEqual(['.backup-daybook.db-mine.db', '.backup-other.db-aB3dE6'])
  expect(statSync(db).size).toBeGreaterThan(0)
})
