import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { removeUser } from '../../support/members.ts'
import { type Client, startService, type TestService } from '../../support/service.ts'

let service: TestService
let structure: string
beforeEach(async () => {
  service = await startService()
  structure = await declared('Tasks')
})
afterEach(() => service.close())

const FIELDS = [
  { key: 'title', type: 'text' },
  { key: 'status', type: 'select', options: ['open', 'done'] },
  { key: 'urgent', type: 'bool' },
  { key: 'points', type: 'number' },
  { key: 'day', type: 'date' },
  { key: 'end', type: 'date' },
  { key: 'at', type: 'datetime' },
]

const declared = async (name: string): Promise<string> =>
  (await service.post('/v1/records/structures', { name, fields: FIELDS })).body.structure.id
const save = async (more: object = {}, client: Client = service) => {
  const { status, body } = await client.post('/v1/records/views', { structure, name: 'Open', ...more })
  expect([status, body.error]).toEqual([201, undefined])
  return body.row_view
}
const path = ({ id }: { id: string }) => `/v1/records/views/${id}`
const names = async (client: Client = service, query = `?structure=${structure}`) =>
  (await client.get(`/v1/records/views${query}`)).body.row_views.map(({ name }: { name: string }) => name)
const member = async (user: string, role: 'owner' | 'editor' | 'viewer' = 'editor') =>
  service.as(await service.newKey({ user, role }))

describe('a view of rows', () => {
  test('is saved with defaults, and read alone, in a list, and as it was saved', async () => {
    const plain = await save()
    expect(plain).toEqual({
      id: expect.any(String),
      structure_id: structure,
      name: 'Open',
      kind: 'table',
      filter: [],
      search: null,
      sort: null,
      direction: null,
      columns: null,
      group_by: null,
      date_field: null,
      end_field: null,
      personal: false,
      locked: false,
      owner: { id: expect.any(String), name: 'owner' },
      position: 0,
      created_at: '2026-11-21T09:30:00.000Z',
      updated_at: '2026-11-21T09:30:00.000Z',
    })
    expect((await service.get(path(plain))).body.row_view).toEqual(plain)
    const whole = {
      name: 'All of it',
      kind: 'calendar',
      filter: [
        { field: 'points', op: 'gt', value: 3 },
        { field: 'title', op: 'is_empty' },
      ],
      search: 'tea',
      sort: 'points',
      direction: 'asc',
      columns: [{ key: 'points', width: 40 }, { key: 'title' }],
      group_by: 'urgent',
      date_field: 'day',
      end_field: 'end',
      personal: true,
      locked: true,
    }
    expect(await save({ ...whole, position: 0 })).toMatchObject({ ...whole, position: 0 })
    expect(await names()).toEqual(['All of it', 'Open'])
  })

  test('keeps a place among those of its structure alone', async () => {
    const other = await declared('Other')
    await save({ structure: other, name: 'First of the other' })
    for (const name of ['A', 'B', 'C']) await save({ name })
    const { row_views } = (await service.get(`/v1/records/views?structure=Tasks`)).body
    expect(row_views.map(({ position }: { position: number }) => position)).toEqual([0, 1, 2])
    await service.patch(path(row_views[2]), { position: 1 })
    expect(await names()).toEqual(['A', 'C', 'B'])
    await service.delete(path(row_views[0]))
    expect(await names()).toEqual(['C', 'B'])
    expect(await names(service, '')).toEqual(['C', 'B', 'First of the other'])
  })

  const REFUSED: [why: string, body: object, says: string][] = [
    ['a board without a field', { kind: 'board' }, 'group_by'],
    ['a calendar without a field', { kind: 'calendar' }, 'date_field'],
    ['groups of numbers', { group_by: 'points' }, 'points'],
    ['days of texts', { date_field: 'title' }, 'title'],
    ['an end without a beginning', { end_field: 'end' }, 'date_field'],
    ['an end of another type', { date_field: 'day', end_field: 'at' }, 'datetime'],
    ['an unknown field to sort by', { sort: 'none' }, 'none'],
    ['an unknown field in a filter', { filter: [{ field: 'none', op: 'eq', value: 1 }] }, 'filter[0]'],
    ['an operator of another type', { filter: [{ field: 'title', op: 'gt', value: 'a' }] }, 'filter[0].op'],
    [
      'conditions without end',
      { filter: [{ field: 'title', op: 'eq', value: 'x'.repeat(200_000) }] },
      '200,000 characters',
    ],
    ['an unknown column', { columns: [{ key: 'none' }] }, 'columns[0].key'],
    ['a column twice', { columns: [{ key: 'title' }, { key: 'title' }] }, 'twice'],
    ['a narrow column', { columns: [{ key: 'title', width: 39 }] }, 'columns'],
    ['a wide column', { columns: [{ key: 'title', width: 2001 }] }, 'columns'],
    ['an unknown member of a column', { columns: [{ key: 'title', frozen: true }] }, 'columns'],
    ['no name', { name: ' ' }, 'name'],
    ['a long name', { name: 'x'.repeat(201) }, 'name'],
    ['a long search', { search: 'x'.repeat(201) }, 'search'],
    ['an unknown kind', { kind: 'gallery' }, 'kind'],
  ]
  test.each(REFUSED)('is refused with %s, when it is saved and when it is changed', async (_, body, says) => {
    const { id } = await save({ name: 'Is there' })
    for (const answer of [
      await service.post('/v1/records/views', { structure, name: 'New', ...body }),
      await service.patch(path({ id }), body),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(says)])
    }
    expect(await names()).toEqual(['Is there'])
  })

  test('has a unique name among the shared ones, or among those of its author, ignoring case', async () => {
    const ada = await member('Ada')
    const shared = await save({ name: 'Open' })
    await save({ name: 'OPEN', personal: true })
    await save({ name: 'open', personal: true }, ada)
    const taken = await save({ name: 'Done' })
    for (const [client, method, body] of [
      [service, 'post', { structure, name: 'oPen' }],
      [ada, 'post', { structure, name: 'Open', personal: true }],
      [ada, 'patch', { name: 'OPEN' }],
    ] as const) {
      const target = method === 'post' ? '/v1/records/views' : path(taken)
      const answer = await client.request(method.toUpperCase(), target, body)
      expect([answer.status, answer.body.code]).toEqual([409, 'name_taken'])
    }
    expect((await service.patch(path(shared), { name: 'OPEN' })).body.row_view.name).toBe('OPEN')
    expect((await service.patch(path(shared), { personal: true })).status).toBe(409)
  })

  test('is refused beyond 200 per structure, personal ones included', async () => {
    for (let at = 0; at < 200; at++) await save({ name: `View ${at}`, personal: at % 2 === 0 })
    const { status, body } = await (await member('Ada')).post('/v1/records/views', {
      structure,
      name: 'Another',
    })
    expect([status, body.code]).toEqual([400, 'refused'])
    expect(
      (await service.post('/v1/records/views', { structure: await declared('Other'), name: 'One' })).status,
    ).toBe(201)
  })

  test('is deleted with its structure, and prevents the removal of its fields', async () => {
    await service.post('/v1/records/structures', { name: 'Plan', fields: FIELDS })
    const ada = await member('Ada')
    const views = [
      { name: 'By state', kind: 'board', group_by: 'status' },
      { name: 'Due', kind: 'calendar', date_field: 'day', end_field: 'end' },
      { name: 'Shown', columns: [{ key: 'points' }] },
      { name: 'Filtered', filter: [{ field: 'title', op: 'is_empty' }] },
      { name: 'Sorted', sort: 'at' },
    ]
    for (const view of views) await save({ structure: 'Plan', ...view })
    await save({ structure: 'Plan', name: 'Secret', personal: true, group_by: 'urgent' }, ada)
    const without = (key: string) =>
      service.patch('/v1/records/structures/Plan', { fields: FIELDS.filter((field) => field.key !== key) })
    for (const [key, says] of [
      ['status', 'the view "By state"'],
      ['end', 'the view "Due"'],
      ['points', 'the view "Shown"'],
      ['title', 'the view "Filtered"'],
      ['at', 'the view "Sorted"'],
      ['urgent', 'a personal view'],
    ] as const) {
      const { status, body } = await without(key)
      expect([status, body.code, body.error]).toEqual([409, 'in_use', expect.stringContaining(says)])
      expect(body.error).not.toContain('Secret')
    }
    const retyped = FIELDS.map((field) => (field.key === 'points' ? { key: 'points', type: 'text' } : field))
    const answer = await service.patch('/v1/records/structures/Plan', { fields: retyped, dry_run: true })
    expect(answer.body.refusals).toEqual([
      { error: expect.stringContaining('the view "Shown"'), code: 'in_use', field: 'points' },
    ])
  })
})

describe('a personal view', () => {
  test('is seen by its maker alone, by id, in lists, in reads of rows and in the log, until it is shared', async () => {
    const ada = await member('Ada')
    const start = (await service.get('/v1/changes?after=now')).body.cursor
    const mine = await save({ name: 'Mine', personal: true, group_by: 'status' })
    await save({ name: 'Ours' })
    await service.patch(path(mine), { sort: 'points' })
    for (const target of [
      path(mine),
      `/v1/records?view=${mine.id}`,
      `/v1/records/board?view=${mine.id}`,
      `/v1/records/summary?view=${mine.id}`,
      `/v1/records/watch?view=${mine.id}`,
    ])
      expect([target, (await ada.get(target)).status]).toEqual([target, 404])
    for (const [method, body] of [
      ['PATCH', { name: 'x' }],
      ['DELETE', undefined],
    ] as const)
      expect((await ada.request(method, path(mine), body)).status).toBe(404)
    const seen = async (client: Client) => {
      const feed = (await client.get(`/v1/changes?after=${start}&include=objects`)).body.changes
      const back = (await client.get('/v1/changes?before=now&kinds=row_view')).body.changes
      const { transactions } = (await client.get('/v1/changes/transactions?kinds=row_view')).body
      const lines = (await client.get('/v1/changes/snapshot')).body.split('\n')
      return {
        feed: feed.map(
          ({ op, id }: { op: string; id: string }) => `${op} ${id === mine.id ? 'mine' : 'ours'}`,
        ),
        back: back.length,
        transactions: transactions.length,
        snapshot: lines.filter((line: string) => line.includes('"row_view","')).length,
        listed: await names(client),
      }
    }
    expect(await seen(service)).toEqual({
      feed: ['created mine', 'created ours', 'updated mine'],
      back: 3,
      transactions: 3,
      snapshot: 2,
      listed: ['Mine', 'Ours'],
    })
    const hidden = { feed: ['created ours'], back: 1, transactions: 1, snapshot: 1, listed: ['Ours'] }
    expect(await seen(ada)).toEqual(hidden)
    await service.patch(path(mine), { personal: false })
    expect((await seen(ada)).feed).toEqual(['created ours', 'updated mine'])
    const shared = (await ada.get(`/v1/changes?after=${start}&include=objects`)).body.changes.at(-1)
    expect(shared).toMatchObject({ changed: ['personal'], object: { id: mine.id, name: 'Mine' } })
    await service.patch(path(mine), { personal: true })
    const last = (await ada.get(`/v1/changes?after=${start}&include=objects`)).body.changes.at(-1)
    expect([last.changed, last.object]).toEqual([['personal'], null])
    await service.delete(path(mine))
    // The other row moved into its place.
    expect((await seen(ada)).feed).toEqual(['created ours', 'updated mine', 'updated mine', 'updated ours'])
  })

  test('is not revealed to others by an undo of its transaction', async () => {
    const ada = await member('Ada')
    await save({ name: 'Mine', personal: true })
    const { transaction } = (await service.get('/v1/changes/transactions?kinds=row_view')).body
      .transactions[0]
    for (const dry_run of [true, false]) {
      const hidden = await ada.post('/v1/changes/undo', { transaction, dry_run })
      expect([hidden.status, hidden.body.code]).toEqual([404, 'not_found'])
      expect((await service.post('/v1/changes/undo', { transaction, dry_run })).status).toBe(400)
    }
    await service.delete(`/v1/records/structures/${structure}`)
    const [deletion] = (await ada.get('/v1/changes/transactions?kinds=structure')).body.transactions
    const { body } = await ada.post('/v1/changes/undo', { transaction: deletion.transaction, dry_run: true })
    expect(body.error).toContain(`the structure ${structure}`)
    expect(body.error).not.toContain('view of rows')
  })

  test('is made personal by its author alone', async () => {
    const ada = await member('Ada')
    const shared = await save()
    const { status, body } = await ada.patch(path(shared), { personal: true })
    expect([status, body.code]).toEqual([400, 'refused'])
    expect((await service.patch(path(shared), { personal: true })).body.row_view.personal).toBe(true)
    expect((await ada.get(path(shared))).status).toBe(404)
  })

  test('is deleted with its author, whose shared ones stay without an owner', async () => {
    const ada = await member('Ada')
    const shared = await save({ name: 'Shared' }, ada)
    const mine = await save({ name: 'Personal', personal: true }, ada)
    await removeUser(service, 'Ada', 'Personal')
    expect((await service.get(path(shared))).body.row_view.owner).toBeNull()
    expect((await service.get(path(mine))).status).toBe(404)
  })
})

describe('a locked view', () => {
  test('is unlocked by its maker or an owner, and until then neither changed nor deleted', async () => {
    const [ada, bob] = [await member('Ada'), await member('Bob')]
    const locked = await save({ locked: true }, ada)
    const tries = [
      [ada, 'PATCH', { name: 'x' }],
      [ada, 'PATCH', { locked: false, name: 'x' }],
      [service, 'PATCH', { position: 0 }],
      [bob, 'PATCH', { locked: false }],
      [ada, 'DELETE', undefined],
      [service, 'DELETE', undefined],
    ] as const
    for (const [client, method, body] of tries) {
      const answer = await client.request(method, path(locked), body)
      expect([body, answer.status, answer.body.code]).toEqual([body, 400, 'refused'])
    }
    expect((await bob.get(path(locked))).body.row_view).toEqual(locked)
    for (const client of [service, ada]) {
      expect((await client.patch(path(locked), { locked: false })).body.row_view.locked).toBe(false)
      expect((await bob.patch(path(locked), { locked: true })).status).toBe(400)
      expect((await client.patch(path(locked), { locked: true })).status).toBe(200)
    }
    await ada.patch(path(locked), { locked: false })
    expect((await bob.patch(path(locked), { name: 'Anybody' })).status).toBe(200)
    expect((await bob.delete(path(locked))).body).toEqual({ deleted: true, id: locked.id })
  })
})

test('a view of rows cannot be undone, as it is called', async () => {
  await save()
  const { changes } = (await service.get('/v1/changes?before=now&kinds=row_view')).body
  const { status, body } = await service.post('/v1/changes/undo', { transaction: changes[0].transaction })
  expect([status, body.error]).toEqual([400, expect.stringContaining('the view of rows ')])
})

test('a viewer creates no view, and reads the shared ones', async () => {
  const viewer = await member('Vera', 'viewer')
  const shared = await save()
  const { status, body } = await viewer.post('/v1/records/views', { structure, name: 'Mine', personal: true })
  expect([status, body.code]).toEqual([403, 'read_only_key'])
  expect((await viewer.get(path(shared))).body.row_view).toEqual(shared)
})

test('a structure has an icon and a color once it was given them', async () => {
  const target = `/v1/records/structures/${structure}`
  expect(Object.keys((await service.get(target)).body.structure)).not.toContain('icon')
  const given = { icon: 'book', color: '#1E90FF' }
  expect((await service.patch(target, given)).body.structure).toMatchObject(given)
  expect((await service.patch(target, { icon: null })).body.structure.icon ?? null).toBeNull()
  const { changes } = (await service.get('/v1/changes?before=now&kinds=structure')).body
  expect(changes[0]).toMatchObject({ changed: ['icon'], previous: { icon: 'book' } })
  expect((await service.patch(target, { icon: '' })).status).toBe(400)
  expect((await service.patch(target, { color: 'blue' })).status).toBe(400)
})
