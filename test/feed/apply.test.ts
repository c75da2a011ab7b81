import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUIDv7 } from 'bun'
import { makeNote, readNote, tagNamed, titlesFound } from '../support/notes.ts'
import { declare, list, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let structureId: string
let ada: { id: string; updated_at: string }

beforeEach(async () => {
  service = await startService()
  structureId = (
    await declare(service, 'People', [
      { key: 'name', type: 'text', required: true, unique: true },
      { key: 'friend', type: 'record' },
      { key: 'letter', type: 'note' },
    ])
  ).id
  ;[ada] = await write(service, 'People', { name: 'Ada' })
})
afterEach(() => service.close())

type Sent = Record<string, unknown>
const person = (id: string, data: Sent): Sent => ({
  kind: 'record',
  op: 'created',
  id,
  structure: 'People',
  data,
})
const apply = (changes: Sent[], more: Sent = {}) => service.post('/v1/changes/apply', { changes, ...more })
const end = async () => (await service.get('/v1/changes?after=now')).body.cursor

test('notes and records are created, updated and deleted in one transaction that undo reverts', async () => {
  const kept = await makeNote(service, { title: 'Kept', tags: ['old', 'both'], content: 'Before' })
  const gone = await makeNote(service, { title: 'Gone' })
  await service.post('/v1/properties', { key: 'due', label: 'Due', type: 'date' })
  const [noteId, rowId] = [randomUUIDv7(), randomUUIDv7()]
  const changes = [
    person(rowId, { name: 'Grace', letter: noteId, friend: ada.id }),
    {
      ...{ kind: 'note', op: 'created', id: noteId },
      data: { title: 'New', tags: ['new'], pinned: true, properties: { due: '2026-12-01' } },
    },
    { kind: 'record', op: 'updated', id: ada.id, structure: structureId, data: { friend: rowId } },
    {
      ...{ kind: 'note', op: 'updated', id: kept.id, if_unchanged: kept.updated_at },
      data: { content: 'After', tags: ['both', 'new'], properties: { due: '2026-12-02' } },
    },
    { kind: 'note', op: 'deleted', id: gone.id },
  ]
  const before = await end()
  const dry = await apply(changes, { dry_run: true })
  expect([dry.status, await end()]).toEqual([200, before])
  const { status, body } = await apply(changes)
  expect([status, body]).toEqual([
    200,
    {
      transaction: expect.any(String),
      applied: changes.map(({ kind, id, op }) => ({ kind, id, op })),
    },
  ])
  expect(dry.body).toEqual({ ...body, transaction: null })
  const { transactions } = (await service.get('/v1/changes/transactions?limit=1')).body
  expect(transactions[0].transaction).toBe(body.transaction)
  expect(await readNote(service, kept.id)).toMatchObject({ content: 'After', tags: ['both', 'new'] })
  expect(await readNote(service, noteId)).toMatchObject({ title: 'New', tags: ['new'], pinned: true })
  expect((await service.get(`/v1/notes/${kept.id}/properties`)).body.properties).toEqual({
    due: '2026-12-02',
  })
  expect((await service.get(`/v1/records/${rowId}`)).body.record).toMatchObject({
    id: rowId,
    data: { name: 'Grace', letter: noteId, friend: ada.id },
  })
  expect(await titlesFound(service, 'After')).toEqual(['Kept'])
  expect((await service.get('/v1/notes/trash')).body.notes).toMatchObject([{ id: gone.id }])
  expect(await tagNamed(service, 'old')).toMatchObject({ note_count: 0 })
  const undone = await service.post('/v1/changes/undo', { transaction: body.transaction })
  expect([undone.status, (await list(service, 'People')).body.total]).toEqual([200, 1])
  expect(await readNote(service, kept.id)).toMatchObject({ content: 'Before', tags: ['both', 'old'] })
})

test('rows under ids of any order are listed in the order of their creation, and counted', async () => {
  const ids = Array.from({ length: 1_000 }, () => randomUUIDv7()).toReversed()
  const { status, body } = await apply(ids.map((id) => person(id, { name: id })))
  expect([status, body.applied.length]).toEqual([200, 1_000])
  const answer = (await list(service, 'People', { sort: 'created_at', direction: 'asc', limit: 500 })).body
  expect([answer.total, answer.records[0].id]).toEqual([1_001, ada.id])
  expect(answer.records.slice(1).map(({ id }: { id: string }) => id)).toEqual(ids.toSorted().slice(0, 499))
})

test('rows swap unique values, and notes aliases, in one call that undo reverts', async () => {
  const [eve] = await write(service, 'People', { name: 'Eve' })
  const [one, two] = [await makeNote(service, { alias: 'one' }), await makeNote(service, { alias: 'two' })]
  const update = (kind: string, { id }: { id: string }, data: Sent) => ({ kind, op: 'updated', id, data })
  const names = async () =>
    (await list(service, 'People', { sort: 'created_at', direction: 'asc' })).body.records.map(
      ({ data }: { data: { name: string } }) => data.name,
    )
  const aliases = async () => [
    (await readNote(service, one.id)).alias,
    (await readNote(service, two.id)).alias,
  ]
  const { status, body } = await apply([
    update('record', ada, { name: 'Eve' }),
    update('record', eve, { name: 'Ada', friend: ada.id }),
    update('note', one, { alias: 'two' }),
    update('note', two, { alias: 'one' }),
  ])
  expect([status, await names(), await aliases()]).toEqual([200, ['Eve', 'Ada'], ['two', 'one']])
  const held = await service.post('/v1/records', { structure: 'People', data: { name: 'Ada' } })
  expect([held.status, held.body.code]).toEqual([400, 'unique_violation'])
  expect((await service.post('/v1/notes', { title: 'x', alias: 'two' })).status).toBe(409)
  const undone = await service.post('/v1/changes/undo', { transaction: body.transaction })
  expect([undone.status, await names(), await aliases()]).toEqual([200, ['Ada', 'Eve'], ['one', 'two']])
})

test('final collisions are refused, and unchanged values still count', async () => {
  const [eve] = await write(service, 'People', { name: 'Eve' })
  const rename = (id: string, name: string) => ({ kind: 'record', op: 'updated', id, data: { name } })
  const both = await apply([rename(ada.id, 'Zoe'), rename(eve.id, 'Zoe')])
  expect([both.status, both.body.code]).toEqual([400, 'unique_violation'])
  expect(both.body.error).toContain(`changes[1], the record ${eve.id}`)
  const same = await apply([rename(ada.id, 'Ada'), rename(eve.id, 'Ada')])
  expect([same.status, same.body.code]).toEqual([400, 'unique_violation'])
  const cleared = await apply([rename(ada.id, 'Ada'), rename(eve.id, 'Eve')])
  const taken = await service.post('/v1/records', { structure: 'People', data: { name: 'Ada' } })
  expect([cleared.status, taken.body.code]).toEqual([200, 'unique_violation'])
})

test('webhooks and the log have each row once, as for any write', async () => {
  const url = 'https://hooks.example.com/x'
  const { webhook } = (await service.post('/v1/webhooks', { structure: 'People', url })).body
  const id = randomUUIDv7()
  await apply([
    person(id, { name: 'Grace' }),
    { kind: 'record', op: 'updated', id: ada.id, data: { friend: id } },
  ])
  const { deliveries } = (await service.get(`/v1/webhooks/${webhook.id}/deliveries`)).body
  expect(deliveries.map(({ event }: { event: string }) => event).toSorted()).toEqual([
    'record.created',
    'record.updated',
  ])
})

test('a repeated call with its Idempotency-Key gets the same response and writes nothing', async () => {
  const body = { changes: [person(randomUUIDv7(), { name: 'Grace' })] }
  const send = (sent: object) =>
    service.request('POST', '/v1/changes/apply', sent, { 'idempotency-key': 'once' })
  expect((await send({ ...body, dry_run: true })).body.transaction).toBeNull()
  const first = await send(body)
  const after = await end()
  const again = await send(body)
  expect([again.status, again.body, await end()]).toEqual([200, first.body, after])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await send({ ...body, dry_run: true })).toMatchObject({ status: 400, body: { code: 'refused' } })
})

test('a structure with one row takes the new one in its place, once a call', async () => {
  await declare(service, 'Settings', [{ key: 'theme', type: 'text' }], { max_rows: 1 })
  const setting = (theme: string) => ({ ...person(randomUUIDv7(), { theme }), structure: 'Settings' })
  await apply([setting('light')])
  expect((await apply([setting('dark')])).status).toBe(200)
  const refused = await apply([setting('blue'), setting('green')])
  expect([refused.status, refused.body.code]).toEqual([400, 'max_rows_reached'])
  expect((await list(service, 'Settings')).body.records).toMatchObject([{ data: { theme: 'dark' } }])
})

describe('a refusal names its object, and nothing is written:', () => {
  const id = randomUUIDv7()
  const note = (op: string, of: string, data?: Sent): Sent => ({ kind: 'note', op, id: of, data })
  const fresh = () => person(randomUUIDv7(), { name: 'First' })
  const cases: [string, () => Sent[], number, string, string?][] = [
    [
      'an object twice',
      () => [person(id, { name: 'x' }), note('deleted', id)],
      400,
      'invalid_request',
      'changes[1]',
    ],
    ['an id that is no UUIDv7', () => [person('mine', { name: 'x' })], 400, 'invalid_request', 'changes[0]'],
    [
      'an older UUID',
      () => [person('7f1b1f9e-6f0c-4c57-8f4e-0d6a7f0b1c2d', { name: 'x' })],
      400,
      'invalid_request',
    ],
    [
      'a record without a structure',
      () => [{ ...person(id, {}), structure: undefined }],
      400,
      'invalid_request',
    ],
    [
      'a note in a structure',
      () => [{ ...note('deleted', id), structure: 'People' }],
      400,
      'invalid_request',
    ],
    ['a note without a title', () => [note('created', id, { content: 'x' })], 400, 'invalid_request'],
    [
      'an attribute that no note has',
      () => [note('created', id, { title: 'x', text: 'y' })],
      400,
      'invalid_request',
    ],
    ['an update without data', () => [note('updated', id)], 400, 'invalid_request', 'changes[0]'],
    [
      'a deletion with data',
      () => [note('deleted', id, { title: 'x' })],
      400,
      'invalid_request',
      'changes[0]',
    ],
    [
      'if_unchanged that is no time',
      () => [{ ...note('deleted', id), if_unchanged: 'now' }],
      400,
      'invalid_request',
    ],
    [
      'if_unchanged of what is created',
      () => [{ ...fresh(), if_unchanged: '2026-11-21T09:30:00.000Z' }],
      400,
      'invalid_request',
    ],
    ['a kind that is neither', () => [{ ...fresh(), kind: 'tag' }], 400, 'invalid_request'],
    ['no change', () => [], 400, 'invalid_request'],
    ['more than 1,000', () => Array.from({ length: 1_001 }, fresh), 400, 'invalid_request'],
    ['an unknown note', () => [fresh(), note('deleted', id)], 404, 'not_found', id],
    ['an unknown record', () => [fresh(), { kind: 'record', op: 'deleted', id }], 404, 'not_found', id],
    ['an unknown structure', () => [{ ...fresh(), structure: 'Pets' }], 404, 'not_found', 'changes[0]'],
    [
      'an id that is taken',
      () => [fresh(), person(ada.id, { name: 'Eve' })],
      409,
      'name_taken',
      'changes[1]',
    ],
    ['a unique value', () => [fresh(), person(id, { name: 'Ada' })], 400, 'unique_violation', id],
    ['a required field', () => [fresh(), person(id, {})], 400, 'refused', id],
    [
      'a property that is not defined',
      () => [note('created', id, { title: 'x', properties: { a: 1 } })],
      400,
      'refused',
    ],
    ['a reference to nothing', () => [person(id, { name: 'x', letter: id }), fresh()], 400, 'refused', id],
    [
      'a reference to what the call deletes',
      () => [person(id, { name: 'x', friend: ada.id }), { kind: 'record', op: 'deleted', id: ada.id }],
      400,
      'refused',
      id,
    ],
  ]
  test.each(cases)('%s', async (_name, changes, status, code, named = '') => {
    const before = await end()
    const sent = changes()
    const answer = await apply(sent)
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(answer.body.error).toContain(named)
    expect((await apply(sent, { dry_run: true })).body).toEqual(answer.body)
    expect(await end()).toBe(before)
  })

  test('every stale object, and an update of a record in another structure', async () => {
    const letter = await makeNote(service)
    const [eve] = await write(service, 'People', { name: 'Eve' })
    service.clock.advance(1_000)
    await service.patch(`/v1/notes/${letter.id}`, { title: 'Other' })
    await service.patch(`/v1/records/${ada.id}`, { data: { friend: eve.id } })
    const answer = await apply([
      { kind: 'note', op: 'deleted', id: letter.id, if_unchanged: letter.updated_at },
      { kind: 'record', op: 'updated', id: eve.id, if_unchanged: eve.updated_at, data: { name: 'Eva' } },
      { kind: 'record', op: 'updated', id: ada.id, if_unchanged: ada.updated_at, data: { name: 'Ida' } },
    ])
    expect([answer.status, answer.body.code]).toEqual([409, 'stale'])
    expect(answer.body.error).toContain(`changes[0], the note ${letter.id}`)
    expect(answer.body.error).toContain(`changes[2], the record ${ada.id}`)
    expect(answer.body.error).not.toContain(eve.id)
    await declare(service, 'Pets', [])
    const moved = await apply([{ kind: 'record', op: 'deleted', id: eve.id, structure: 'Pets' }])
    expect([moved.status, moved.body.code]).toEqual([404, 'not_found'])
    expect((await list(service, 'People')).body.total).toBe(2)
  })
})
