import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { storedKey } from '../../../src/people/accounts/names.ts'
import {
  type Browser,
  browserOf,
  PASSWORD,
  setUpIn,
  setupToken,
  signedIn,
} from '../../support/browser-client.ts'
import { runInProcess } from '../../support/cli.ts'
import { alter } from '../../support/database.ts'
import { makeFile } from '../../support/files.ts'
import { addMember } from '../../support/members.ts'
import { newFolder } from '../../support/process.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
let owner: Browser
beforeEach(async () => {
  service = await startService()
  owner = await signedIn(service)
})
afterEach(() => service.close())

const add = (name: string, role = 'viewer') => owner.request('POST', '/app/api/members', { name, role })
const idOf = async (name: string, role?: string): Promise<string> =>
  (await add(name, role)).body.member.user_id
const roles = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await owner.request('GET', '/app/api/members')).body.members.map(
      ({ name, role }: Record<string, string>) => [name, role],
    ),
  )
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

/** Gives a user or a workspace a name that only older versions allowed. */
const nameAs = (table: 'users' | 'workspaces', id: string, name: string) =>
  alter(
    service,
    `UPDATE ${table} SET name = ?, name_fold = ?, name_key = ? WHERE id = ?`,
    ...[name, name.toLowerCase(), storedKey(name), id],
  )

describe('an id means the user or workspace that has it, whatever others are called', () => {
  test('in a change of a role and in a removal', async () => {
    const mallory = await idOf('mallory')
    const yvonne = await idOf('yvonne', 'editor')
    await nameAs('users', mallory, yvonne)
    const changed = await owner.request('PATCH', `/app/api/members/${yvonne}`, { role: 'owner' })
    expect(changed.body.member).toMatchObject({ user_id: yvonne, name: 'yvonne', role: 'owner' })
    expect(await roles()).toEqual({ owner: 'owner', [yvonne]: 'viewer', yvonne: 'owner' })
    await owner.request('DELETE', `/app/api/members/${yvonne}`)
    expect(await roles()).toEqual({ owner: 'owner', [yvonne]: 'viewer' })
  })

  test('on the command line', async () => {
    const folder = newFolder()
    const file = folder.file('daybook.db')
    service.close()
    service = await startService({ file })
    owner = await signedIn(service)
    const [first] = (await owner.request('GET', '/app/api/workspaces')).body.workspaces
    const made = (await owner.request('POST', '/app/api/workspaces', { name: 'Later' })).body.workspace
    await nameAs('workspaces', first.id, made.id)
    const later = await idOf('later')
    await nameAs('users', await idOf('named'), later)
    const run = (...args: string[]) => runInProcess(['users', ...args, '--db', file])
    await run('add', 'guest', '--workspace', made.id)
    await run('role', later, 'editor', '--workspace', first.id)
    const { users } = JSON.parse((await run('list', '--json')).out)
    const memberships = users.map(({ name, memberships }: { name: string; memberships: object[] }) => [
      name,
      memberships,
    ])
    expect(Object.fromEntries(memberships)).toMatchObject({
      guest: [{ workspace: 'Later', role: 'editor' }],
      later: [{ workspace: made.id, role: 'editor' }],
      [later]: [{ workspace: made.id, role: 'viewer' }],
    })
    folder.remove()
  })

  test('and is not a name: no member is added by one', async () => {
    const vera = await idOf('vera')
    expect(outcome(await add(vera))).toEqual([400, 'invalid_request'])
    expect(await roles()).toEqual({ owner: 'owner', vera: 'viewer' })
  })
})

const UNUSABLE: [string, string][] = [
  ['nothing but blanks', '   '],
  ['201 characters', 'n'.repeat(201)],
  ['a zero-width space', 'own\u200ber'],
  ['a word joiner', 'owner\u2060'],
  ['a soft hyphen', 'owner\u00ad'],
  ['a change of direction', '\u202eowner'],
  ['a byte order mark', '\ufeffowner'],
  ['a combining grapheme joiner', 'owner\u034f'],
  ['a Hangul filler', 'owner\u115f'],
  ['another Hangul filler', 'owner\u3164'],
  ['a variation selector', 'owner\ufe0f'],
  ['a Mongolian variation selector', 'owner\u180b'],
  ['a blank of Braille', 'owner\u2800'],
  ['a supplementary variation selector', 'owner\u{e0100}'],
  ['a line break', 'some\nbody'],
  ['the form of an id', '0198c0de-0000-7000-8000-000000000000'],
  ['the form of an id in capitals', '0198C0DE-0000-7000-8000-000000000000'],
  ['the form of an id in wide digits', '0198c0de-0000-7000-8000-00000000000\uff10'],
]
// In the last four, Cyrillic and Greek letters replace Latin ones.
const TAKEN = [
  'owner ',
  '\towner\r\n',
  ' Owner',
  '\uff4f\uff57\uff4e\uff45\uff52',
  'OWNER',
  '\u24deWNER',
  '\u043ewner',
  'own\u0435r',
  '\u039fWNER',
  'ow\u03b7er',
]

describe('a name', () => {
  test.each(UNUSABLE)('with %s is refused, of a user and of a workspace', async (_, name) => {
    const token = await setupToken(service)
    const own = (await owner.request('GET', '/app/api/workspaces')).body.workspaces[0].id
    const refusals = [
      await add(name),
      await browserOf(service).request('POST', '/app/api/setup', { token, password: PASSWORD, user: name }),
      await owner.request('POST', '/app/api/workspaces', { name }),
      await owner.request('PATCH', `/app/api/workspaces/${own}`, { name }),
    ]
    expect(refusals.map(outcome)).toEqual(Array(4).fill([400, 'invalid_request']))
    expect(await roles()).toEqual({ owner: 'owner' })
  })

  test.each(TAKEN)('that looks like %p is taken if it has an owner', async (name) => {
    await idOf('vera')
    expect(outcome(await add(name))).toEqual([409, 'name_taken'])
    const token = await setupToken(service, 'vera')
    const sent = { token, password: PASSWORD, user: name }
    const browser = browserOf(service)
    expect(outcome(await browser.request('POST', '/app/api/setup', sent))).toEqual([409, 'name_taken'])
    // The link is still valid.
    expect((await browser.request('POST', '/app/api/setup', { ...sent, user: 'Vera' })).status).toBe(200)
  })

  test('of a workspace is taken in any spelling', async () => {
    for (const name of ['personal ', '\uff30ersonal'])
      expect(outcome(await owner.request('POST', '/app/api/workspaces', { name }))).toEqual([
        409,
        'name_taken',
      ])
    const { body } = await owner.request('POST', '/app/api/workspaces', { name: ' Work ' })
    expect(body.workspace.name).toBe('Work')
    const place = `/app/api/workspaces/${body.workspace.id}`
    expect(outcome(await owner.request('PATCH', place, { name: 'PERSONAL' }))).toEqual([409, 'name_taken'])
    const renamed = await owner.request('PATCH', place, { name: ` ${'w'.repeat(200)} ` })
    expect([renamed.status, renamed.body.workspace.name]).toEqual([200, 'w'.repeat(200)])
  })

  test('is stored trimmed, and found in every spelling at a sign-in', async () => {
    const { body } = await add('  Ünï ℡  ')
    expect(body.member.name).toBe('Ünï ℡')
    await setUpIn(service, 'Ünï ℡')
    for (const user of ['Ünï ℡', ' ünï TEL ', 'U\u0308NI\u0308 tel'])
      expect(
        (await browserOf(service).request('POST', '/app/api/session', { user, password: PASSWORD })).status,
      ).toBe(200)
    const byId = { user: body.member.user_id, password: PASSWORD }
    expect((await browserOf(service).request('POST', '/app/api/session', byId)).status).toBe(401)
  })
})

describe('a name of invisible characters alone', () => {
  const NAMES = ['\u200b', '\u2800', '\u3164\ufe0f', '\u2060 \u200d']
  const refusedBy = ({ status, body }: { status: number; body: { code?: string; error?: string } }) => [
    status,
    body.code,
    body.error?.includes('visible character'),
  ]

  test.each(NAMES)('%j is refused for everything that has one', async (name) => {
    const fields = [{ key: 'title', type: 'text' }]
    const { body } = await service.post('/v1/records/structures', { name: 'Books', fields })
    const note = (await service.post('/v1/notes', { title: 'Note' })).body.note.id
    const file = await makeFile(service)
    const source = { structure: 'Books', provider: 'none', options: { unverified: true } }
    const own = (await owner.request('GET', '/app/api/workspaces')).body.workspaces[0].id
    const refusals = [
      service.post('/v1/notes', { title: 'T', tags: ['work', name] }),
      service.post('/v1/notes', { title: 'T', alias: name }),
      service.post(`/v1/notes/${note}/tags`, { tags: [name] }),
      service.post('/v1/records/structures', { name, fields }),
      service.patch(`/v1/records/structures/${body.structure.id}`, { name }),
      service.post('/v1/presets', { name }),
      service.post('/v1/views', { name }),
      service.post('/v1/lenses', { name }),
      service.post('/v1/records/views', { structure: 'Books', name }),
      service.post('/v1/sources', { ...source, name }),
      service.post('/v1/shares', { kind: 'note', target_id: note, name }),
      service.patch(`/v1/files/${file}`, { file_name: name }),
      owner.request('POST', `/app/api/files?file_name=${encodeURIComponent(name)}`),
      owner.request('POST', '/app/api/keys', { name, scope: 'read' }),
      owner.request('POST', '/app/api/members', { name, role: 'viewer' }),
      owner.request('POST', '/app/api/workspaces', { name }),
      owner.request('PATCH', `/app/api/workspaces/${own}`, { name }),
    ]
    for (const answer of await Promise.all(refusals))
      expect(refusedBy(answer)).toEqual([400, 'refused', true])
  })
})

test('of a tag and an alias is trimmed of tabs and line breaks before its check, not inside', async () => {
  const { body } = await service.post('/v1/notes', {
    title: 'T',
    tags: ['\tdeep work\r\n'],
    alias: '\nshort\t',
  })
  expect([body.note.tags, body.note.alias]).toEqual([['deep work'], 'short'])
  for (const sent of [{ tags: ['deep\twork'] }, { alias: 'a\nb' }])
    expect((await service.post('/v1/notes', { title: 'T', ...sent })).status).toBe(400)
})

test('of an existing account is added with a notice', async () => {
  await service.newWorkspace('Other')
  await addMember(service, 'carol', 'Other')
  service.clock.advance(1_000)
  const { status, body } = await add('carol')
  expect([status, body.link]).toEqual([201, null])
  expect(body.notice).toContain('"carol" already has an account on this server')
  expect((await add('dave')).body.notice).toBeUndefined()
})

describe('names that an older version allowed', () => {
  const OLDER = ['owner ', '\uff4f\uff57\uff4e\uff45\uff52', 'own\u200ber', 'n'.repeat(500)]

  test('continue to work beside the name that they look like', async () => {
    owner = await setUpIn(service)
    for (const [at, name] of OLDER.entries()) {
      const id = await idOf(`older ${at}`)
      await setUpIn(service, id)
      await nameAs('users', id, name)
      const { body } = await browserOf(service).request('POST', '/app/api/session', {
        user: name,
        password: PASSWORD,
      })
      expect(body.user).toEqual({ id, name })
    }
    const { body } = await browserOf(service).request('POST', '/app/api/session', {
      user: 'Owner',
      password: PASSWORD,
    })
    expect(body.user.name).toBe('owner')
  })

  test('that look the same both sign in, and stay', async () => {
    const lookalike = '\u043ewner'
    owner = await setUpIn(service)
    const id = await idOf('older')
    await setUpIn(service, id)
    await nameAs('users', id, lookalike)
    for (const user of [lookalike, 'owner']) {
      const { body } = await browserOf(service).request('POST', '/app/api/session', {
        user,
        password: PASSWORD,
      })
      expect([body.user.name, body.user.id === id]).toEqual([user, user === lookalike])
    }
  })

  test('are added to another workspace, and not to another user', async () => {
    const id = await idOf('older')
    await nameAs('users', id, '\uff26red')
    await service.newWorkspace('Other')
    await addMember(service, '\uff26red', 'Other')
    expect(outcome(await add('Fred'))).toEqual([409, 'name_taken'])
  })
})
