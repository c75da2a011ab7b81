import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, lstatSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { COMMANDS } from '../../src/cli/run.ts'
import { PROVIDER_NAMES } from '../../src/events/sources/providers.ts'
import { runInProcess } from '../support/cli.ts'
import { alter, openBeside } from '../support/database.ts'
import { daybook, newFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

let folder: ReturnType<typeof newFolder>
let db: string

beforeEach(async () => {
  folder = newFolder()
  db = folder.file('daybook.db')
  const service = await startService({ file: db })
  service.close()
})

afterEach(() => folder.remove())

const run = (...args: string[]) => runInProcess([...args, '--db', db])
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out)

test('every command has help', async () => {
  for (const { name, summary, examples } of COMMANDS) {
    const { exitCode, out, err } = await runInProcess([...name.split(' '), '--help'])
    expect({ name, exitCode, err }).toEqual({ name, exitCode: 0, err: '' })
    expect(out).toStartWith(`${summary}\n\nUsage: daybook ${name}`)
    for (const example of examples) expect(out).toContain(example)
    expect((await runInProcess(['help', ...name.split(' ')])).out).toBe(out)
  }
  const { out, exitCode } = await runInProcess([])
  expect(exitCode).toBe(0)
  for (const { name } of COMMANDS) expect(out).toContain(`  ${name}`)
})

const HOOK = ['webhooks', 'create', '--url', 'https://receiver.example']
const SOURCE = ['sources', 'create', '--name', 'a', '--structure', 's']

test.each([
  [['frob'], 'There is no command "frob".'],
  [['keys'], '"keys" needs a subcommand: create, list, revoke.'],
  [['keys', 'frob'], '"keys" has no command "frob"; it has create, list, revoke.'],
  [['keys', 'create'], '"keys create" needs --name <name>.'],
  [['keys', 'create', '--name', 'a', '--scope', 'all'], '--scope must be one of write, read, not "all".'],
  [['keys', 'create', '--name', 'a', '--expires', '3 days'], '--expires must be a number up to 99999 with'],
  [['keys', 'create', '--name', 'a', '--expires', '100000w'], '--expires must be a number up to 99999 with'],
  [['keys', 'revoke'], '"keys revoke" needs <name-or-id>.'],
  [['keys', 'revoke', ''], '"keys revoke" needs <name-or-id>.'],
  [['keys', 'revoke', 'a', 'b'], '"keys revoke" does not take "b".'],
  [['keys', 'list', '--jsn'], "Unknown option '--jsn'."],
  [['users', 'add', 'a', '--role', 'king'], '--role must be one of owner, editor, viewer, not "king".'],
  [[...HOOK, '--kind', 'row'], '--kind must be one of record, note, file, not "row".'],
  [[...HOOK, '--format', 'teams'], '--format must be one of json, slack, discord, ntfy, text, not "teams".'],
  [[...HOOK, '--events', 'record.due, record.updatd'], 'not "record.updatd". Did you mean "record.updated"?'],
  [[...SOURCE, '--provider', 'x'], `--provider must be one of ${PROVIDER_NAMES.join(', ')}, not "x".`],
  [['serve', '--port', '70000'], '--port must be a whole number from 0 to 65535, not "70000".'],
  [['serve', '--log-level', 'loud'], '--log-level must be one of debug, info, warn, error, silent'],
  [['serve', '--port', '-1'], "Option '--port' argument is ambiguous.\n"],
  // An unset shell variable must neither make the server listen on every address nor open an unnamed database.
  [['serve', '--host', ''], '--host is empty; give it a value, or omit it.'],
  [['serve', '--db', ''], '--db is empty; give it a value, or omit it.'],
  [['keys', 'list', '--db='], '--db is empty; give it a value, or omit it.'],
])('%j is wrong usage: exit 2 with a hint', async (args, sentence) => {
  const { exitCode, out, err } = await runInProcess(args)
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
  expect(err).toContain(sentence)
  expect(err).toMatch(/Try "daybook [a-z -]+"\.\n$/)
})

test('a flag takes precedence over the environment', async () => {
  const other = folder.file('other.db')
  const fromEnvironment = await runInProcess(['keys', 'list'], { env: { DAYBOOK_DB: other } })
  expect(fromEnvironment.err).toContain(`There is no database at ${other}`)
  const fromFlag = await runInProcess(['keys', 'list', '--db', db], { env: { DAYBOOK_DB: other } })
  expect(fromFlag.exitCode).toBe(0)
  const wrong = await runInProcess(['serve', '--db', db], { env: { DAYBOOK_PORT: 'http' } })
  expect(wrong.exitCode).toBe(2)
})

test('only serve creates a database', async () => {
  const missing = folder.file('missing.db')
  for (const args of [
    ['keys', 'create', '--name', 'a'],
    ['users', 'list'],
    ['check'],
    ['backup', folder.file('b.db')],
  ]) {
    const { exitCode, out, err } = await runInProcess([...args, '--db', missing])
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' })
    expect(err).toStartWith(`There is no database at ${missing}; name it with --db`)
  }
  expect(existsSync(missing)).toBe(false)
  expect(existsSync(`${missing}.lock`)).toBe(false)
  expect(existsSync(folder.file('b.db'))).toBe(false)
})

test('the owner of a new workspace is named with --user, and with the earlier --owner', async () => {
  await run('users', 'add', 'mira')
  expect((await run('workspaces', 'add', 'Work')).err).toContain('choose one with --user')
  expect(await json('workspaces', 'add', 'Work', '--user', 'mira')).toMatchObject({ owner: 'mira' })
  expect(await json('workspaces', 'add', 'Lab', '--owner', 'mira')).toMatchObject({ owner: 'mira' })
  const both = await run('workspaces', 'add', 'Den', '--owner', 'mira', '--user', 'mira')
  expect([both.exitCode, both.err]).toEqual([
    2,
    expect.stringContaining('--owner is a former name of --user'),
  ])
})

test('the access of a member is narrowed, shown and widened again', async () => {
  await run('users', 'add', 'mira')
  expect(await json('users', 'access', 'mira', '--access', 'notes=none,*=read')).toMatchObject({
    name: 'mira',
    role: 'editor',
    access: { notes: 'none', structures: { '*': 'read' } },
  })
  expect((await run('users', 'access', 'mira')).out).toContain('"notes":"none"')
  expect((await json('users', 'access', 'mira', '--access', 'all')).access).toBeNull()
  const refusals = [
    [['owner', '--access', 'notes=none'], 1, 'is an owner and can access the whole workspace'],
    [['mira', '--access', 'notes=some'], 2, '--access must be parts such as notes=none'],
    [['mira', '--access', 'Leads=add'], 1, 'there is no such structure'],
    [['nobody'], 1, 'There is no user "nobody"'],
  ] as const
  for (const [args, code, sentence] of refusals) {
    const { exitCode, err } = await run('users', 'access', ...args)
    expect([args, exitCode, err]).toEqual([args, code, expect.stringContaining(sentence)])
  }
})

test('keys are created, listed and revoked', async () => {
  const plain = await run('keys', 'create', '--name', 'laptop')
  expect(plain).toEqual({ exitCode: 0, out: expect.stringMatching(/^dbk_[\w-]{43}\n$/), err: '' })
  const before = Date.now()
  const made = await json('keys', 'create', '--name', 'report', '--scope', 'read', '--expires', '90d')
  expect(made).toEqual({
    id: expect.stringMatching(ID),
    name: 'report',
    scope: 'read',
    key: expect.stringMatching(/^dbk_[\w-]{43}$/),
    expires_at: expect.stringMatching(INSTANT),
  })
  const days = (Date.parse(made.expires_at) - before) / 86_400_000
  expect(days).toBeCloseTo(90, 2)
  expect((await run('keys', 'revoke', made.id)).exitCode).toBe(0)
  const { keys } = await json('keys', 'list')
  expect(keys.map((key: { name: string }) => key.name)).toEqual(['first key', 'laptop', 'report'])
  expect(keys[2]).toEqual({
    id: made.id,
    name: 'report',
    scope: 'read',
    user: 'owner',
    workspace: 'Personal',
    created_at: expect.stringMatching(INSTANT),
    expires_at: made.expires_at,
    revoked_at: expect.stringMatching(INSTANT),
    last_used_at: null,
  })
  expect((await run('keys', 'revoke', made.id)).exitCode).toBe(0)
  expect((await json('keys', 'list')).keys).toEqual(keys)
  const { out } = await run('keys', 'list')
  expect(out.split('\n')[0]).toMatch(/^ID +NAME +SCOPE +USER +WORKSPACE +LAST USED +STATE$/)
  expect(out).not.toContain('dbk_')
})

test('a key that does not exist cannot be revoked', async () => {
  const outcome = await run('keys', 'revoke', 'nothing')
  expect(outcome).toEqual({
    exitCode: 1,
    out: '',
    err: 'There is no key with the name or id "nothing"; list the keys to see them.\n',
  })
})

test('users are added, listed and removed; the last owner cannot be removed', async () => {
  const added = await json('users', 'add', 'mira', '--role', 'viewer')
  expect(added).toEqual({
    id: expect.stringMatching(ID),
    name: 'mira',
    role: 'viewer',
    workspace: 'Personal',
    link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8787\/app#setup=[\w-]{43}$/),
  })
  const { users } = await json('users', 'list')
  expect(users[1]).toEqual({
    id: added.id,
    name: 'mira',
    has_password: false,
    created_at: expect.stringMatching(INSTANT),
    memberships: [{ workspace: 'Personal', role: 'viewer' }],
  })
  const twice = await run('users', 'add', 'Mira')
  expect(twice).toMatchObject({
    exitCode: 1,
    err: 'The user "Mira" belongs to the workspace "Personal" already; daybook users role changes their role.\n',
  })
  expect((await run('users', 'remove', 'mira')).exitCode).toBe(0)
  const last = await run('users', 'remove', 'owner')
  expect(last.exitCode).toBe(1)
  expect(last.err).toContain('is the last owner')
  expect((await json('users', 'list')).users).toEqual([users[0]])
})

test('a password is read from standard input and must be long enough', async () => {
  const set = (input: string) => runInProcess(['users', 'password', 'owner', '--db', db], { input })
  expect(await set('short')).toMatchObject({
    exitCode: 1,
    err: 'A password must be 10 to 200 characters long.\n',
  })
  expect((await json('users', 'list')).users[0].has_password).toBe(false)
  expect(await set('correct horse')).toMatchObject({ exitCode: 0, out: '' })
  expect((await json('users', 'list')).users[0].has_password).toBe(true)
})

test('with several workspaces or users, one has to be named', async () => {
  expect(await json('workspaces', 'add', 'Work')).toEqual({
    id: expect.stringMatching(ID),
    name: 'Work',
    owner: 'owner',
    created_at: expect.stringMatching(INSTANT),
  })
  const unnamed = await run('keys', 'create', '--name', 'a')
  expect(unnamed).toEqual({
    exitCode: 1,
    out: '',
    err: 'Several workspaces exist; choose one with --workspace: "Personal", "Work".\n',
  })
  expect((await run('keys', 'create', '--name', 'a', '--workspace', 'work')).exitCode).toBe(0)
  await run('users', 'add', 'mira', '--workspace', 'Work')
  const anybody = await run('keys', 'create', '--name', 'b', '--workspace', 'Work')
  expect(anybody.err).toBe('Several users exist; choose one with --user: "owner", "mira".\n')
  const stranger = await run('keys', 'create', '--name', 'b', '--workspace', 'Personal', '--user', 'mira')
  expect(stranger.err).toBe(
    'The user "mira" does not belong to the workspace "Personal"; add them to it first.\n',
  )
  const unknown = await run('keys', 'create', '--name', 'b', '--workspace', 'Play')
  expect(unknown.err).toBe('There is no workspace "Play"; there is "Personal" and "Work".\n')
  const { keys } = await json('keys', 'list')
  expect(keys.map((key: { name: string; workspace: string }) => [key.name, key.workspace])).toEqual([
    ['first key', 'Personal'],
    ['a', 'Work'],
  ])
  const { workspaces } = await json('workspaces', 'list')
  expect(workspaces[1]).toMatchObject({ name: 'Work', notes: 0, trashed_notes: 0 })
})

test('a structure is listed, and deleted with its rows only with --yes', async () => {
  const service = await startService({ file: db })
  const fields = [{ key: 'amount', type: 'number' }]
  const { body } = await service.post('/v1/records/structures', { name: 'Expenses', fields })
  await service.post('/v1/records', { structure: 'Expenses', rows: [{ data: { amount: 1 } }, { data: {} }] })
  service.close()
  const listed = {
    id: body.structure.id,
    name: 'Expenses',
    record_count: 2,
    created_at: expect.stringMatching(INSTANT),
  }
  const unsure = await run('structures', 'delete', 'expenses')
  expect(unsure.exitCode).toBe(2)
  expect(unsure.err).toContain('confirm with --yes')
  expect(await json('structures', 'list')).toEqual({ structures: [listed] })
  const unknown = await run('structures', 'delete', 'Income', '--yes')
  expect(unknown).toMatchObject({ exitCode: 1, err: 'There is no structure "Income".\n' })
  expect((await run('structures', 'delete', 'expenses', '--yes')).exitCode).toBe(0)
  expect(await json('structures', 'list')).toEqual({ structures: [] })
  expect((await run('check')).out).toBe('ok\n')
})

test('a backup is a complete database and replaces no file without --overwrite', async () => {
  const copy = folder.file('copy.db')
  expect(await run('backup', copy)).toEqual({
    exitCode: 0,
    out: '',
    err: `Backed up to ${copy} and verified.\n`,
  })
  const bytes = await Bun.file(copy).bytes()
  await run('users', 'add', 'mira')
  expect(await run('backup', copy)).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('exists already'),
  })
  expect(await Bun.file(copy).bytes()).toEqual(bytes)
  expect((await run('backup', copy, '--overwrite')).exitCode).toBe(0)
  const { out } = await runInProcess(['users', 'list', '--json', '--db', copy])
  expect(JSON.parse(out).users).toHaveLength(2)
  expect(readdirSync(folder.path).filter((name) => name.includes('partial'))).toEqual([])
})

test('simultaneous backups to one file never use the partial copy of another one', async () => {
  const copy = folder.file('copy.db')
  const backup = () => daybook(['backup', copy, '--overwrite', '--db', db])
  const outcomes = await Promise.all([backup(), backup(), backup()])
  expect(outcomes.map(({ err }) => err)).toEqual(Array(3).fill(`Backed up to ${copy} and verified.\n`))
  expect((await runInProcess(['check', '--db', copy])).out).toBe('ok\n')
})

test('a copy that cannot be written is distinguished from a failure of the database', async () => {
  const long = folder.file('x'.repeat(250))
  expect(await run('backup', long)).toEqual({
    exitCode: 1,
    out: '',
    err: expect.stringContaining(`No copy could be written to ${long} (`),
  })
})

test('a backup replaces neither the database itself nor one in use, under any name', async () => {
  const link = folder.file('link.db')
  symlinkSync(db, link)
  const used = folder.file('used.db')
  await run('backup', used)
  const user = openBeside(used)
  user.run('PRAGMA journal_mode = WAL')
  user.run('CREATE TABLE kept (n)')
  const bytes = await Bun.file(db).bytes()
  for (const [target, sentence] of [
    [db, 'is the database itself'],
    [link, 'is the database itself'],
    [relative(process.cwd(), db), 'is the database itself'],
    [used, 'is a database in use or not closed cleanly'],
    [dirname(db), 'is a folder'],
    [folder.file('none/copy.db'), 'There is no folder'],
  ] as const) {
    const answer = await run('backup', target, '--overwrite')
    expect(answer).toEqual({ exitCode: 1, out: '', err: expect.stringContaining(sentence) })
  }
  user.close()
  expect(await Bun.file(db).bytes()).toEqual(bytes)
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect((await run('backup', used, '--overwrite')).exitCode).toBe(0)
})

test('a command that cannot write fails with one sentence', async () => {
  // Simulates a full disk.
  await alter(db, "CREATE TRIGGER full BEFORE INSERT ON keys BEGIN SELECT RAISE(ROLLBACK, 'full'); END")
  const { exitCode, out, err } = await run('keys', 'create', '--name', 'a')
  expect({ exitCode, out, lines: err.trimEnd().split('\n').length }).toEqual({
    exitCode: 1,
    out: '',
    lines: 1,
  })
})

test('version and openapi need no database', async () => {
  expect(await runInProcess(['version'])).toMatchObject({
    exitCode: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+(-\S+)?\n$/),
  })
  expect(await runInProcess(['--version'])).toEqual(await runInProcess(['version']))
  const { exitCode, out } = await runInProcess(['openapi'])
  expect(exitCode).toBe(0)
  const document = JSON.parse(out)
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } })
  const { webhooks, ...others } = document
  expect(Object.keys(webhooks)).toContain('record.created')
  const without = await runInProcess(['openapi', '--no-webhooks'])
  expect(JSON.parse(without.out)).toEqual(others)
})
