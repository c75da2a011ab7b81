import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Browser, signedIn } from '../../support/browser-client.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
let owner: Browser
beforeEach(async () => {
  service = await startService()
  owner = await signedIn(service)
})
afterEach(() => service.close())

const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

/** Adds a member to the owner's workspace. */
async function member(name: string, role: string): Promise<{ browser: Browser; userId: string }> {
  const { body } = await owner.request('POST', '/app/api/members', { name, role })
  return { browser: await signedIn(service, name), userId: body.member.user_id }
}

describe('keys', () => {
  test('are created, work, and are revoked immediately', async () => {
    const made = await owner.request('POST', '/app/api/keys', { name: 'script', scope: 'read' })
    const user = { id, name: 'owner' }
    const key = {
      id,
      name: 'script',
      scope: 'read',
      user,
      created_at: time,
      expires_at: null,
      last_used_at: null,
    }
    expect([made.status, made.body]).toEqual([201, { key, secret: expect.stringMatching(/^dbk_/) }])
    expect((await service.as(made.body.secret).get('/v1/notes')).status).toBe(200)
    const listed = (await owner.request('GET', '/app/api/keys')).body.keys
    expect(listed.map((one: { name: string }) => one.name)).toEqual(['first key', 'script'])
    expect(JSON.stringify(listed)).not.toContain(made.body.secret)
    const ended = await owner.request('DELETE', `/app/api/keys/${made.body.key.id}`)
    expect(ended.body).toEqual({ deleted: true, id: made.body.key.id })
    expect((await service.as(made.body.secret).get('/v1/notes')).status).toBe(401)
  })

  test('may expire, but not in the past', async () => {
    const soon = new Date(service.clock.now() + 1_000).toISOString()
    const sent = { name: 'lent', scope: 'write', expires_at: soon }
    const { body } = await owner.request('POST', '/app/api/keys', sent)
    expect(body.key.expires_at).toBe(soon)
    for (const expires_at of ['2020-01-01T00:00:00Z', 'tomorrow']) {
      expect(codeOf(await owner.request('POST', '/app/api/keys', { ...sent, expires_at }))).toEqual([
        400,
        'invalid_request',
      ])
    }
  })

  test('of others are seen and revoked by owners alone', async () => {
    const { browser: vera } = await member('Vera', 'editor')
    const made = (await owner.request('POST', '/app/api/keys', { name: 'mine', scope: 'write' })).body
    expect((await vera.request('GET', '/app/api/keys')).body.keys).toEqual([])
    expect(codeOf(await vera.request('DELETE', `/app/api/keys/${made.key.id}`))).toEqual([404, 'not_found'])
    const hers = (await vera.request('POST', '/app/api/keys', { name: 'hers', scope: 'write' })).body
    expect((await owner.request('DELETE', `/app/api/keys/${hers.key.id}`)).status).toBe(200)
    expect((await service.as(hers.secret).get('/v1/notes')).status).toBe(401)
    expect((await service.as(made.secret).get('/v1/notes')).status).toBe(200)
  })
})

describe('keys of a member', () => {
  const make = (browser: Browser, scope: string, expires_at: string | null = null) =>
    browser.request('POST', '/app/api/keys', { name: 'one of many', scope, expires_at })

  test('are at most 100 that work; revoked and expired ones, and those of others, do not count', async () => {
    const { browser: vera } = await member('Vera', 'editor')
    const soon = new Date(service.clock.now() + 1_000).toISOString()
    for (let at = 0; at < 99; at++) expect((await make(vera, 'read')).status).toBe(201)
    expect((await make(vera, 'read', soon)).status).toBe(201)
    expect((await make(vera, 'write')).body).toEqual({
      error: 'A member has at most 100 keys in a workspace; revoke one that is no longer used.',
      code: 'refused',
    })
    // The command line enforces the same limit.
    expect(service.newKey({ user: 'Vera' })).rejects.toThrow('at most 100 keys')
    expect((await make(owner, 'write')).status).toBe(201)
    service.clock.advance(1_000)
    expect(await service.newKey({ user: 'Vera' })).toStartWith('dbk_')
    expect(codeOf(await make(vera, 'write'))).toEqual([400, 'refused'])
    const [first] = (await vera.request('GET', '/app/api/keys')).body.keys
    await vera.request('DELETE', `/app/api/keys/${first.id}`)
    expect((await make(vera, 'write')).status).toBe(201)
  })

  test('with the role of viewer only read, also after a promotion; the command line can create others', async () => {
    const { browser: vera, userId } = await member('Vera', 'viewer')
    expect((await make(vera, 'write')).body).toEqual({
      error: 'A viewer makes keys that may only read; choose the scope "read".',
      code: 'refused',
    })
    const { secret } = (await make(vera, 'read')).body
    const lent = await service.newKey({ user: 'Vera', scope: 'write' })
    const writes = async () => [
      codeOf(await service.as(secret).post('/v1/notes', { title: 'Read-only' })),
      codeOf(await service.as(lent).post('/v1/notes', { title: 'Written' })),
    ]
    expect(await writes()).toEqual(Array(2).fill([403, 'read_only_key']))
    await owner.request('PATCH', `/app/api/members/${userId}`, { role: 'editor' })
    expect(await writes()).toEqual([
      [403, 'read_only_key'],
      [201, undefined],
    ])
  })
})

describe('members', () => {
  test('are added with a link, and get another role', async () => {
    const { status, body } = await owner.request('POST', '/app/api/members', { name: 'Vera', role: 'viewer' })
    const vera = { user_id: id, name: 'Vera', role: 'viewer', has_password: false, created_at: time }
    expect([status, body]).toEqual([
      201,
      { member: vera, link: expect.stringMatching(/^http:\/\/localhost\/app#setup=/) },
    ])
    const place = `/app/api/members/${body.member.user_id}`
    const changed = await owner.request('PATCH', place, { role: 'editor' })
    expect(changed.body.member).toEqual({ ...vera, role: 'editor' })
  })

  test('are managed by owners alone', async () => {
    const { browser: vera, userId } = await member('Vera', 'editor')
    const place = `/app/api/members/${userId}`
    const refusals = [
      await vera.request('POST', '/app/api/members', { name: 'Max', role: 'viewer' }),
      await vera.request('PATCH', place, { role: 'owner' }),
      await vera.request('DELETE', place),
      await vera.request('POST', `${place}/link`),
    ]
    expect(refusals.map(codeOf)).toEqual(Array(4).fill([403, 'owner_required']))
    const { body } = await vera.request('GET', '/app/api/members')
    expect(body.members.map(({ name, role }: Record<string, string>) => [name, role])).toEqual([
      ['owner', 'owner'],
      ['Vera', 'editor'],
    ])
  })

  test('lose their sessions and keys immediately when they are removed', async () => {
    const { browser: vera, userId } = await member('Vera', 'editor')
    const { secret } = (await vera.request('POST', '/app/api/keys', { name: 'hers', scope: 'write' })).body
    expect((await owner.request('DELETE', `/app/api/members/${userId}`)).body).toEqual({
      deleted: true,
      id: userId,
    })
    expect((await vera.request('GET', '/v1/notes')).status).toBe(401)
    expect((await service.as(secret).get('/v1/notes')).status).toBe(401)
  })

  test('always include an owner', async () => {
    const [own] = (await owner.request('GET', '/app/api/members')).body.members
    const place = `/app/api/members/${own.user_id}`
    expect(codeOf(await owner.request('PATCH', place, { role: 'viewer' }))).toEqual([400, 'refused'])
    expect(codeOf(await owner.request('DELETE', place))).toEqual([400, 'refused'])
    expect((await owner.request('GET', '/app/api/session')).body.workspace.role).toBe('owner')
  })

  test('of a workspace with another owner get no link from this owner', async () => {
    await service.newWorkspace('Foreign')
    const known = { name: 'owner of Foreign', role: 'viewer' }
    const { status, body } = await owner.request('POST', '/app/api/members', known)
    expect([status, body.link]).toEqual([201, null])
    const renewed = await owner.request('POST', `/app/api/members/${body.member.user_id}/link`)
    expect(codeOf(renewed)).toEqual([400, 'refused'])
  })
})

describe('workspaces', () => {
  test('are created and renamed by owners', async () => {
    const { browser: vera } = await member('Vera', 'editor')
    expect(codeOf(await vera.request('POST', '/app/api/workspaces', { name: 'Hers' }))).toEqual([
      403,
      'owner_required',
    ])
    const { body } = await owner.request('POST', '/app/api/workspaces', { name: 'Work' })
    expect(body.workspace).toEqual({ id, name: 'Work', role: 'owner' })
    expect(codeOf(await owner.request('POST', '/app/api/workspaces', { name: 'work' }))).toEqual([
      409,
      'name_taken',
    ])
    const renamed = await owner.request('PATCH', `/app/api/workspaces/${body.workspace.id}`, {
      name: 'Office',
    })
    expect(renamed.body.workspace.name).toBe('Office')
    expect((await vera.request('GET', '/app/api/workspaces')).body.workspaces).toHaveLength(1)
    const foreign = await vera.request('PATCH', `/app/api/workspaces/${body.workspace.id}`, { name: 'Hers' })
    expect(codeOf(foreign)).toEqual([404, 'not_found'])
  })
})

describe('structures', () => {
  test('are deleted after the name was repeated', async () => {
    const sent = { name: 'Errands', fields: [{ key: 'what', type: 'text' }] }
    const { structure } = (await owner.request('POST', '/v1/records/structures', sent)).body
    const place = `/app/api/structures/${structure.id}`
    expect(codeOf(await owner.request('DELETE', place, { name: 'errands' }))).toEqual([400, 'refused'])
    expect((await owner.request('GET', '/v1/records?structure=Errands')).status).toBe(200)
    const deleted = await owner.request('DELETE', place, { name: 'Errands' })
    expect([deleted.status, deleted.body]).toEqual([200, { deleted: true, id: structure.id }])
    expect((await owner.request('GET', '/v1/records?structure=Errands')).status).toBe(404)
  })
})

describe('files', () => {
  const upload = (name: string, bytes: Uint8Array) =>
    owner.request('POST', `/app/api/files?file_name=${encodeURIComponent(name)}`, bytes)

  test('of any bytes are stored as they were sent, and deleted', async () => {
    for (const size of [0, 1, 524_287, 524_288, 524_289, 1_400_000]) {
      const bytes = crypto.getRandomValues(new Uint8Array(Math.min(size, 65_536)))
      const whole = new Uint8Array(size).map((_, at) => bytes[at % bytes.length] ?? 0)
      const { status, body } = await upload(`Ünï ${size}.bin`, whole)
      expect([status, body.file]).toEqual([
        201,
        expect.objectContaining({ file_name: `Ünï ${size}.bin`, size }),
      ])
      const content = await service.app.fetch(
        new Request(`http://localhost/v1/files/${body.file.id}/content`, {
          headers: { authorization: `Bearer ${service.key}` },
        }),
      )
      expect(Buffer.from(await content.arrayBuffer()).equals(whole)).toBe(true)
      expect((await owner.request('DELETE', `/app/api/files/${body.file.id}`)).status).toBe(200)
    }
    expect((await owner.request('GET', '/v1/files')).body.files).toEqual([])
  })

  test('that are too large are refused, and nothing is stored', async () => {
    const { status, body } = await upload('large.bin', new Uint8Array(52_428_801))
    expect([status, body.code]).toEqual([413, 'too_large'])
    expect((await owner.request('GET', '/v1/files')).body.files).toEqual([])
  })
})
