import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Access } from '../../../src/kernel/caller.ts'
import { type Browser, signedIn } from '../../support/browser-client.ts'
import { runInProcess } from '../../support/cli.ts'
import { makeFile } from '../../support/files.ts'
import { newFolder } from '../../support/process.ts'
import { declare, write } from '../../support/records.ts'
import { type Answer, type Client, settle, startService, type TestService } from '../../support/service.ts'
import { readWatch } from '../../support/watch.ts'

let service: TestService
let owner: Browser
let leads: string
let costs: string
let lead: string

beforeEach(async () => {
  service = await startService()
  owner = await signedIn(service)
  const fields = [
    { key: 'email', type: 'text', unique: true },
    { key: 'about', type: 'note' },
  ]
  leads = (await declare(service, 'Leads', fields)).id
  costs = (await declare(service, 'Costs', [{ key: 'of', type: 'record', structure: 'Leads' }])).id
  lead = (await write(service, 'Leads', { email: 'ada@example.com' }))[0].id
})
afterEach(() => service.close())

const keyWith = async (access: Access, scope: 'read' | 'write' = 'write'): Promise<Client> =>
  service.as(await service.newKey({ access, scope }))

const outcome = ({ status, body }: Answer) => (status < 300 ? status : [status, body.code])
const stateOf = ({ status, pause_reason }: { status: string; pause_reason?: string }) => [
  status,
  pause_reason?.slice(0, 11),
]
const PAUSED = ['paused', 'The member ']
const ENABLED = ['enabled', undefined]
const NO_ACCESS = [403, 'no_access']
const NOT_FOUND = [404, 'not_found']

describe('a structure', () => {
  const calls = (client: Client) => ({
    definition: client.get(`/v1/records/structures/${leads}`),
    byName: client.get('/v1/records/structures/leads'),
    rows: client.get('/v1/records?structure=Leads'),
    row: client.get(`/v1/records/${lead}`),
    summary: client.get('/v1/records/summary?structure=Leads'),
    watch: client.get('/v1/records/watch?structure=Nothing'),
    history: client.get(`/v1/records/${lead}/history`),
    post: client.post('/v1/records', { structure: leads, data: { email: 'new@example.com' } }),
    update: client.post('/v1/records', {
      structure: leads,
      data: { email: 'ada@example.com' },
      on_conflict: 'update',
    }),
    patch: client.patch(`/v1/records/${lead}`, { data: { email: 'b@example.com' } }),
    define: client.patch(`/v1/records/structures/${leads}`, { description: 'x' }),
    subscribe: client.post('/v1/webhooks', { structure: leads, url: 'https://hooks.example.com/x' }),
  })

  const TABLE = {
    none: { definition: NOT_FOUND, byName: NOT_FOUND, read: NOT_FOUND, add: NOT_FOUND, change: NOT_FOUND },
    read: { definition: 200, byName: 200, read: 200, add: NO_ACCESS, change: NO_ACCESS },
    add: { definition: 200, byName: 200, read: NO_ACCESS, add: 201, change: NO_ACCESS },
    write: { definition: 200, byName: 200, read: 200, add: 201, change: 200 },
  } as const

  test.each(Object.keys(TABLE) as (keyof typeof TABLE)[])('with "%s" does so much', async (level) => {
    const client = await keyWith({ structures: { [leads]: level } })
    const entries = []
    for (const [name, call] of Object.entries(calls(client))) entries.push([name, outcome(await call)])
    const { definition, byName, read, add, change } = TABLE[level]
    expect(Object.fromEntries(entries)).toEqual({
      definition,
      byName,
      rows: read,
      row: read,
      summary: read,
      watch: NOT_FOUND,
      history: read,
      post: add,
      update: change === 200 ? 201 : change,
      patch: change,
      define: change,
      subscribe: change === 200 ? 201 : change,
    })
  })

  test('to which rows may be added shows the rows just sent, and nothing of others', async () => {
    const client = await keyWith({ structures: { [leads]: 'add', '*': 'none' } })
    const { body } = await client.get(`/v1/records/structures/${leads}`)
    expect(body.structure).not.toHaveProperty('record_count')
    expect((await client.get('/v1/records/structures')).body.structures).toEqual([body.structure])
    const sent = { structure: leads, data: { email: 'ada@example.com' } }
    const collision = await client.post('/v1/records', sent)
    expect([outcome(collision), collision.body.error.includes(lead)]).toEqual([
      [400, 'unique_violation'],
      false,
    ])
    expect((await client.get('/v1/workspace')).body.workspace.counts).toMatchObject({
      structures: 1,
      records: 0,
    })
    const change = (await service.get('/v1/changes?before=now')).body.changes[0]
    expect(outcome(await client.post('/v1/changes/undo', { transaction: change.transaction }))).toEqual(
      NOT_FOUND,
    )
  })

  test('named or not: "*" applies to later ones, and to creating one', async () => {
    const client = await keyWith({ structures: { [leads]: 'write', '*': 'none' } })
    const later = await declare(service, 'Later', [{ key: 'x', type: 'text' }])
    expect(outcome(await client.get(`/v1/records/structures/${later.id}`))).toEqual(NOT_FOUND)
    const made = await client.post('/v1/records/structures', { name: 'Mine', fields: [] })
    expect(outcome(made)).toEqual(NO_ACCESS)
    const taken = await client.patch(`/v1/records/structures/${leads}`, { name: 'COSTS' })
    expect([outcome(taken), /Costs/.test(taken.body.error), taken.body.error.includes(costs)]).toEqual([
      [409, 'name_taken'],
      false,
      false,
    ])
  })

  test('that is hidden cannot be referenced, and existing references show the id', async () => {
    const [row] = await write(service, 'Costs', { of: lead })
    const client = await keyWith({ structures: { [leads]: 'none' } })
    expect((await client.get(`/v1/records/${row.id}`)).body.record.data).toEqual({ of: lead })
    const added = await client.post('/v1/records', { structure: 'Costs', data: { of: lead } })
    expect(outcome(added)).toEqual([400, 'refused'])
  })

  test('is read by a key of which scope and access leave nothing of the rows', async () => {
    const client = await keyWith({ structures: { [leads]: 'add' } }, 'read')
    expect(outcome(await client.get('/v1/records?structure=Leads'))).toEqual(NO_ACCESS)
    expect(outcome(await client.get('/v1/records/structures/Leads'))).toBe(200)
    expect((await client.get('/v1/me')).body.access).toEqual({
      notes: 'read',
      files: 'read',
      structures: { '*': 'read', [leads]: 'add' },
    })
  })
})

describe('notes and files', () => {
  test('that may be read are not written', async () => {
    const { body } = await service.post('/v1/notes', { title: 'Plan' })
    const client = await keyWith({ notes: 'read', files: 'read' })
    const path = `/v1/notes/${body.note.id}`
    expect(outcome(await client.get(path))).toBe(200)
    for (const write of [
      client.patch(path, { title: 'Other' }),
      client.delete(path),
      client.post('/v1/notes', { title: 'New' }),
    ])
      expect(outcome(await write)).toEqual(NO_ACCESS)
  })

  test('a file of a note needs access to notes', async () => {
    const { body } = await service.post('/v1/notes', { title: 'Plan' })
    const attached = await makeFile(service, { noteId: body.note.id, name: 'plan.txt', pages: ['Word'] })
    const free = await makeFile(service, { name: 'free.txt', pages: ['Word'] })
    const client = await keyWith({ notes: 'none' })
    expect((await client.get('/v1/files')).body.files.map(({ id }: { id: string }) => id)).toEqual([free])
    expect(outcome(await client.get(`/v1/files/${attached}/text`))).toEqual(NOT_FOUND)
    expect((await client.get('/v1/files/search?q=word')).body.total).toBe(1)
    expect((await client.get('/v1/workspace')).body.workspace.counts).toMatchObject({
      files: 1,
      notes: 0,
      tags: 0,
    })
    const { changes } = (await client.get('/v1/changes?kinds=file')).body
    expect([...new Set(changes.map(({ id }: { id: string }) => id))]).toEqual([free])
  })
})

test('undo and revert need write on all that a transaction touches', async () => {
  const note = (await service.post('/v1/notes', { title: 'Plan' })).body.note.id
  const applied = await service.post('/v1/changes/apply', {
    changes: [
      { kind: 'note', id: note, op: 'updated', data: { title: 'Other plan' } },
      { kind: 'record', id: lead, op: 'updated', data: { email: 'c@example.com' } },
    ],
  })
  const { transaction } = applied.body
  const undo = async (access: Access) =>
    outcome(await (await keyWith(access)).post('/v1/changes/undo', { transaction, dry_run: true }))
  expect(await undo({ notes: 'none', structures: { '*': 'none' } })).toEqual(NOT_FOUND)
  expect(await undo({ notes: 'none' })).toEqual(NO_ACCESS)
  expect(await undo({ structures: { '*': 'read' } })).toEqual(NO_ACCESS)
  const sentence = async (access: Access) =>
    (await (await keyWith(access)).post('/v1/changes/undo', { transaction, dry_run: true })).body.error
  expect(await sentence({ structures: { '*': 'read' } })).toContain(
    'This needs "write" access to the structure "Leads", and yours is "read"',
  )
  expect(await sentence({ notes: 'read' })).toContain(
    'This needs "write" access to notes, and yours is "read"',
  )
  expect(await sentence({ structures: { '*': 'none' } })).not.toContain('Leads')
  expect(await undo({ files: 'none' })).toBe(200)
  const [listed] = (await (await keyWith({ notes: 'none' })).get('/v1/changes/transactions')).body
    .transactions
  expect([listed.counts, listed.objects]).toEqual([
    [{ kind: 'record', op: 'updated', structure_id: leads, n: 1 }],
    [{ kind: 'record', id: lead, op: 'updated', structure_id: leads, label: null }],
  ])
})

test('a saved response is not replayed to a caller without access', async () => {
  const { body } = await owner.request('POST', '/app/api/keys', { name: 'site', scope: 'write' })
  const site = service.as(body.secret)
  const send = () =>
    site.request('POST', '/v1/records', { structure: leads, data: {} }, { 'idempotency-key': 'one' })
  const first = await send()
  expect((await send()).body).toEqual(first.body)
  const change = () =>
    site.request('PATCH', `/v1/records/${lead}`, { data: {} }, { 'idempotency-key': 'one' })
  expect([outcome(await change()), outcome(await change())]).toEqual([200, 200])
  const narrow = (level: 'none' | 'read') =>
    owner.request('PATCH', `/app/api/keys/${body.key.id}`, { access: { structures: { [leads]: level } } })
  await narrow('read')
  expect([outcome(await send()), outcome(await change())]).toEqual([NO_ACCESS, NO_ACCESS])
  await narrow('none')
  expect([outcome(await send()), outcome(await change())]).toEqual([NOT_FOUND, NOT_FOUND])
})

describe('the access of members and keys', () => {
  test('is returned as sent, and takes effect with the next request', async () => {
    const access = { structures: { [leads]: 'read' } }
    const added = await owner.request('POST', '/app/api/members', { name: 'Vera', role: 'editor', access })
    expect(added.body.member.access).toEqual(access)
    const vera = await signedIn(service, 'Vera')
    expect((await vera.request('GET', '/v1/me')).body.access.structures).toEqual({
      '*': 'write',
      [leads]: 'read',
    })
    const made = await vera.request('POST', '/app/api/keys', {
      name: 'adds',
      scope: 'write',
      access: { notes: 'none', structures: { [leads]: 'add' } },
    })
    const key = service.as(made.body.secret)
    expect(made.body.key.access).toEqual({ notes: 'none', structures: { [leads]: 'add' } })
    expect(outcome(await key.get('/v1/records?structure=Leads'))).toEqual(NO_ACCESS)
    expect(outcome(await key.post('/v1/records', { structure: leads, data: {} }))).toEqual(NO_ACCESS)
    const { member } = added.body
    await owner.request('PATCH', `/app/api/members/${member.user_id}`, { access: null })
    expect(outcome(await key.post('/v1/records', { structure: leads, data: {} }))).toBe(201)
    expect(await vera.request('GET', '/v1/me')).not.toHaveProperty('body.access')
    await owner.request('PATCH', `/app/api/members/${member.user_id}`, { access })
    const promoted = await owner.request('PATCH', `/app/api/members/${member.user_id}`, { role: 'owner' })
    expect(promoted.body.member).not.toHaveProperty('access')
  })

  test('is refused for an owner, for a name, and for a hidden structure', async () => {
    const make = (role: string, access: object) =>
      owner.request('POST', '/app/api/members', { name: `A ${role}`, role, access })
    expect(outcome(await make('owner', { notes: 'none' }))).toEqual([400, 'refused'])
    expect(outcome(await make('editor', { structures: { Leads: 'add' } }))).toEqual([400, 'invalid_request'])
    const unknown = '01a1fd70-f1c0-7003-b12b-9b6707029ed6'
    expect(outcome(await make('editor', { structures: { [unknown]: 'add' } }))).toEqual([
      400,
      'invalid_request',
    ])
    expect(outcome(await make('editor', { notes: 'add' }))).toEqual([400, 'invalid_request'])
  })

  test('pauses the subscriptions of a key that lost write access to their subject', async () => {
    const { body } = await owner.request('POST', '/app/api/keys', { name: 'hooks', scope: 'write' })
    const hooks = service.as(body.secret)
    const made = []
    for (const structure of [leads, costs])
      made.push((await hooks.post('/v1/webhooks', { structure, url: 'https://hooks.example.com/x' })).body)
    await owner.request('PATCH', `/app/api/keys/${body.key.id}`, {
      access: { structures: { [leads]: 'read' } },
    })
    const { webhooks } = (await service.get('/v1/webhooks')).body
    expect(webhooks.map(stateOf)).toEqual([PAUSED, ENABLED])
    const path = `/v1/webhooks/${made[0].webhook.id}`
    expect(outcome(await hooks.patch(path, { resume: true }))).toEqual(NO_ACCESS)
    expect(stateOf((await service.patch(path, { resume: true })).body.webhook)).toEqual(ENABLED)
  })

  test('may name a structure that was deleted since', async () => {
    const access = { structures: { [leads]: 'read', [costs]: 'none' } }
    const { body } = await owner.request('POST', '/app/api/members', { name: 'Vera', role: 'editor', access })
    const made = await owner.request('POST', '/app/api/keys', { name: 'site', scope: 'write', access })
    const deleted = await owner.request('DELETE', `/app/api/structures/${costs}`, { name: 'Costs' })
    expect(deleted.status).toBe(200)
    for (const path of [`members/${body.member.user_id}`, `keys/${made.body.key.id}`]) {
      const changed = await owner.request('PATCH', `/app/api/${path}`, {
        access: { ...access, notes: 'read' },
      })
      expect([path, changed.status]).toEqual([path, 200])
    }
    expect((await owner.request('POST', '/app/api/keys', { name: 'x', scope: 'read', access })).status).toBe(
      400,
    )
  })

  const narrowings: [string, (member: string) => Promise<unknown>, unknown[]][] = [
    [
      'is narrowed',
      (member) =>
        owner.request('PATCH', `/app/api/members/${member}`, { access: { structures: { [leads]: 'read' } } }),
      [PAUSED, ENABLED, ENABLED],
    ],
    [
      'becomes a viewer',
      (member) => owner.request('PATCH', `/app/api/members/${member}`, { role: 'viewer' }),
      [PAUSED, PAUSED, PAUSED],
    ],
    [
      'is removed',
      (member) => owner.request('DELETE', `/app/api/members/${member}`),
      [PAUSED, PAUSED, PAUSED],
    ],
  ]
  test.each(narrowings)(
    'pauses the subscriptions of a member who %s, created with a key or without one',
    async (_, change, paused) => {
      const { body } = await owner.request('POST', '/app/api/members', { name: 'Vera', role: 'editor' })
      const vera = await signedIn(service, 'Vera')
      const made = await vera.request('POST', '/app/api/keys', { name: 'hooks', scope: 'write' })
      const url = 'https://hooks.example.com/x'
      await vera.request('POST', '/v1/webhooks', { structure: leads, url })
      await service.as(made.body.secret).post('/v1/webhooks', { structure: costs, url })
      await vera.request('POST', '/v1/webhooks', { kind: 'note', url })
      await service.post('/v1/webhooks', { structure: leads, url })
      await change(body.member.user_id)
      const { webhooks } = (await service.get('/v1/webhooks')).body
      expect(webhooks.map(stateOf)).toEqual([...paused, ENABLED])
      // The user who resumes a subscription takes it over: it stays when its creator loses access.
      const path = `/v1/webhooks/${webhooks[0].id}`
      expect(stateOf((await service.patch(path, { resume: true })).body.webhook)).toEqual(ENABLED)
      await owner.request('PATCH', `/app/api/members/${body.member.user_id}`, {
        access: { notes: 'read', structures: { '*': 'none' } },
      })
      expect(stateOf((await service.get(path)).body.webhook)).toEqual(ENABLED)
    },
  )

  test('hides events from a page that waits for them', async () => {
    const { body } = await owner.request('POST', '/app/api/keys', { name: 'waits', scope: 'read' })
    const webhook = await service.post('/v1/webhooks', { structure: leads, delivery: 'pull' })
    const source = {
      name: 'Calls',
      structure: leads,
      provider: 'none',
      options: { unverified: true },
      map: {},
    }
    const { id, url } = (await service.post('/v1/sources', source)).body.source
    const waiting = [
      `/v1/webhooks/${webhook.body.webhook.id}/events?wait=60`,
      `/v1/sources/${id}/events?after=start&wait=60`,
    ].map((path) => service.as(body.secret).get(path))
    await settle()
    await owner.request('PATCH', `/app/api/keys/${body.key.id}`, {
      access: { structures: { [leads]: 'none' } },
    })
    await write(service, 'Leads', { email: 'bea@example.com' })
    await service.as(undefined).request('POST', new URL(url).pathname, '{}')
    expect((await Promise.all(waiting)).map(outcome)).toEqual([NOT_FOUND, NOT_FOUND])
  })

  test('ends the streams that a change touches, and no others', async () => {
    const { body } = await owner.request('POST', '/app/api/keys', { name: 'reader', scope: 'write' })
    const open = async (structure: string) => {
      const path = `http://localhost/v1/records/watch?structure=${structure}`
      const headers = { authorization: `Bearer ${body.secret}` }
      const stream = readWatch(await service.app.fetch(new Request(path, { headers })))
      await stream.opened()
      await stream.event('answer')
      return stream
    }
    const [touched, other] = [await open(leads), await open(costs)]
    await owner.request('PATCH', `/app/api/keys/${body.key.id}`, {
      access: { structures: { [leads]: 'none' } },
    })
    await settle()
    expect((await touched.event('closed')).code).toBe('access_changed')
    expect(await other.rest()).toEqual([])
    await other.leave()
  })
})

test('the feed shows the shares of a structure to its readers, and those of notes to readers of notes', async () => {
  const { body } = await owner.request('POST', '/app/api/members', { name: 'Vera', role: 'editor' })
  const vera = await signedIn(service, 'Vera')
  const note = (await service.post('/v1/notes', { title: 'Plan' })).body.note.id
  const share = async (kind: string, target_id: string) =>
    (await vera.request('POST', '/v1/shares', { kind, target_id })).body.share.id
  const [form, page] = [await share('form', leads), await share('note', note)]
  await owner.request('DELETE', `/app/api/members/${body.member.user_id}`)
  const told = async (access: Access) => {
    const { changes } = (await (await keyWith(access)).get('/v1/changes?kinds=share')).body
    return [form, page].map((id) => changes.filter((change: { id: string }) => change.id === id).length)
  }
  expect(await told({ files: 'none' })).toEqual([2, 2])
  expect(await told({ structures: { [leads]: 'add' } })).toEqual([0, 2])
  expect(await told({ notes: 'none' })).toEqual([2, 0])
})

test('the command line creates a narrowed key, by names', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const stored = await startService({ file })
  const made = await declare(stored, 'Leads = hot', [{ key: 'x', type: 'text' }])
  const create = (access: string) =>
    runInProcess(['keys', 'create', '--name', 'site', '--access', access, '--json', '--db', file])
  const { out } = await create('notes=none, files=read,leads = hot=add,*=none')
  const { body } = await stored.as(JSON.parse(out).key).get('/v1/me')
  expect(body.access).toEqual({
    notes: 'none',
    files: 'read',
    structures: { [made.id]: 'add', '*': 'none' },
  })
  for (const [access, exitCode] of [
    ['notes=add', 2],
    ['Leads = hot', 2],
    ['Nothing=read', 1],
    ['notes=none,files=none,notes=write', 2],
    [`leads = hot=add,${made.id}=write`, 2],
  ] as const)
    expect([access, (await create(access)).exitCode]).toEqual([access, exitCode])
  stored.close()
  folder.remove()
})

test('a caller without access to files cannot add a link to a file to a note', async () => {
  const [file, other] = await Promise.all(['a.txt', 'b.txt'].map((name) => makeFile(service, { name })))
  const link = `[[file:${file}]]`
  const content = `Before ${link}`
  const named = (await service.post('/v1/notes', { title: 'Named', content })).body.note.id
  const plain = (await service.post('/v1/notes', { title: 'Plain', content: 'text' })).body.note.id
  await service.post('/v1/presets', { name: 'With', content: link })
  await service.post('/v1/presets', { name: 'Without', content: 'text' })
  const linked = (await service.post('/v1/notes', { title: 'L', content: '[[Target]]' })).body.note.id
  const target = (await service.post('/v1/notes', { title: 'Target' })).body.note.id
  const client = await keyWith({ files: 'none' })
  const image = `![x](/v1/files/${file}/content)`
  const refused: [string, string, object][] = [
    ['POST', '/v1/notes', { title: 'New', content: link }],
    ['POST', '/v1/notes', { title: 'New', preset: 'With' }],
    ['PATCH', `/v1/notes/${plain}`, { content: image }],
    ['PATCH', `/v1/notes/${named}`, { content: `${content} [[file:${other}]]` }],
    ['POST', `/v1/notes/${plain}/append`, { text: link }],
    ['POST', `/v1/notes/${plain}/edit`, { old_str: 'text', new_str: link }],
    ['POST', '/v1/presets/With/apply', { note_id: plain }],
    ['POST', '/v1/presets', { name: 'Made', content: link }],
    ['PATCH', '/v1/presets/Without', { content: link }],
    [
      'POST',
      '/v1/changes/apply',
      { changes: [{ kind: 'note', op: 'updated', id: plain, data: { content: link } }] },
    ],
  ]
  for (const [method, path, body] of refused) {
    const { status, body: answer } = await client.request(method, path, body)
    expect([method, path, status, answer.error]).toEqual([method, path, 400, expect.stringContaining('file')])
  }
  expect((await service.get(`/v1/notes/${plain}`)).body.note.content).toBe('text')
  // Links to a note with a file-like name keep pointing to the note.
  const renaming = { title: `file:${file}`, rewrite_links: true }
  expect((await client.patch(`/v1/notes/${target}`, renaming)).status).toBe(200)
  expect((await service.get(`/v1/notes/${linked}`)).body.note.content).toBe(`[[${target}|Target]]`)
  // References that the note already has may move, and code contains no references.
  const moved = { content: `${link} after, \`[[file:${other}]]\`` }
  expect((await client.patch(`/v1/notes/${named}`, moved)).status).toBe(200)
  expect((await client.patch(`/v1/notes/${named}`, { content: 'gone' })).status).toBe(200)
  const { transactions } = (await client.get('/v1/changes/transactions')).body
  const undone = await client.post('/v1/changes/undo', { transaction: transactions[0].transaction })
  expect([undone.status, undone.body.error]).toEqual([400, expect.stringContaining(link.slice(2, -2))])
})

test('a pin without access to notes is refused as other new objects of notes are', async () => {
  const { body } = await service.post('/v1/notes', { title: 'Pinned' })
  const client = await keyWith({ notes: 'none' })
  expect(outcome(await client.post('/v1/quick-access', { note_id: body.note.id }))).toEqual(NO_ACCESS)
})

test('the reported access names no hidden structure if all others are hidden, too', async () => {
  const shown = async (others: 'none' | 'read') =>
    (await (await keyWith({ structures: { '*': others, [leads]: 'none', [costs]: 'add' } })).get('/v1/me'))
      .body.access.structures
  expect(await shown('none')).toEqual({ '*': 'none', [costs]: 'add' })
  expect(await shown('read')).toEqual({ '*': 'read', [costs]: 'add', [leads]: 'none' })
})
