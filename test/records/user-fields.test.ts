import { afterEach, beforeEach, expect, test } from 'bun:test'
import { removeUser } from '../support/members.ts'
import { declare, field, list, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'
import { watch } from '../support/watch.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

/** The id of the user of the service's key. */
const ownId = async (): Promise<string> => (await service.get('/v1/me')).body.user_id

const send = (data: object) => service.post('/v1/records', { structure: 'Tasks', data })
const matching = async (op: string, value: unknown) => {
  const filter = [{ field: 'who', op, value }]
  const { body } = await list(service, 'Tasks', { filter, direction: 'asc' })
  return body.records?.map(({ data }: { data: { name: string } }) => data.name) ?? body
}

test('a user field holds the id of a member, and "me" in a filter is the caller', async () => {
  const me = await ownId()
  await declare(service, 'Tasks', [field('name', 'text'), field('who', 'user')])
  await write(service, 'Tasks', { name: 'mine', who: me }, { name: 'open' })
  expect(await matching('eq', 'me')).toEqual(['mine'])
  expect(await matching('neq', 'me')).toEqual(['open'])
  expect(await matching('eq', me)).toEqual(['mine'])
  expect(await matching('in', [me, 'nobody'])).toEqual(['mine'])
  expect(await matching('in', ['me'])).toMatchObject({ code: 'refused' })
  const board = await service.get('/v1/records/board?structure=Tasks&group_by=who')
  expect(board.body.columns).toMatchObject([
    { value: me, total: 1 },
    { value: null, total: 1 },
  ])
})

test('a value is refused that is no member, or "me"', async () => {
  await declare(service, 'Tasks', [field('who', 'user')])
  for (const who of ['me', '01a1fc86-b28a-7000-b4e6-910f6f3991a9', 1, ['x']])
    expect(await send({ who })).toMatchObject({ status: 400, body: { code: 'refused' } })
})

test('"me" is kept in a view, means each caller of it, and is refused in the filter of a webhook', async () => {
  const me = await ownId()
  await declare(service, 'Tasks', [field('name', 'text'), field('who', 'user')])
  await write(service, 'Tasks', { name: 'mine', who: me }, { name: 'open' })
  const filter = [{ field: 'who', op: 'eq', value: 'me' }]
  const view = await service.post('/v1/records/views', { structure: 'Tasks', name: 'Mine', filter })
  expect(view).toMatchObject({ status: 201, body: { row_view: { filter } } })
  const { body } = await service.get(`/v1/records?view=${view.body.row_view.id}`)
  expect(body.records).toMatchObject([{ data: { name: 'mine' } }])
  expect(
    await service.post('/v1/webhooks', { structure: 'Tasks', url: 'https://example.com/', filter }),
  ).toMatchObject({ status: 400, body: { code: 'refused' } })
})

test('several members are filtered by any and all of them', async () => {
  const me = await ownId()
  await declare(service, 'Tasks', [field('name', 'text'), field('who', 'user', { multiple: true })])
  await write(service, 'Tasks', { name: 'mine', who: [me] }, { name: 'open' })
  expect(await matching('has_any', [me, 'nobody'])).toEqual(['mine'])
  expect(await matching('has_none', [me])).toEqual(['open'])
  expect(await matching('has_any', ['me'])).toMatchObject({ code: 'refused' })
  expect(await send({ who: [me, me] })).toMatchObject({ status: 400 })
})

test('"me" is each watcher, also written with escapes', async () => {
  await declare(service, 'Tasks', [field('name', 'text'), field('who', 'user')])
  await write(service, 'Tasks', { name: 'mine', who: await ownId() })
  const other = { app: service.app, key: await service.newKey({ user: 'other' }) }
  for (const me of ['"me"', '"\\u006de"']) {
    const filter = `[{"field":"who","op":"eq","value":${me}}]`
    const [mine, theirs] = [
      await watch(service, 'Tasks', { filter }),
      await watch(other, 'Tasks', { filter }),
    ]
    expect(await mine.event('answer')).toMatchObject({ records: [{ data: { name: 'mine' } }] })
    expect(await theirs.event('answer')).toMatchObject({ records: [] })
    await mine.leave()
    await theirs.leave()
  }
})

test('a removed member stays when a batch updates the row, and cannot be added to another', async () => {
  const other = service.as(await service.newKey({ user: 'other' }))
  const id = (await other.get('/v1/me')).body.user_id
  await declare(service, 'Tasks', [field('name', 'text', { unique: true }), field('who', 'user')])
  const [row] = await write(service, 'Tasks', { name: 'a', who: id }, { name: 'b' })
  await removeUser(service, 'other')
  const update = (...rows: object[]) =>
    service.post('/v1/records', {
      structure: 'Tasks',
      rows: rows.map((data) => ({ data })),
      on_conflict: 'update',
    })
  expect(await update({ name: 'a', who: id })).toMatchObject({
    status: 201,
    body: { updated: 1, records: [{ id: row.id, data: { who: id } }] },
  })
  for (const name of ['b', 'c'])
    expect(await update({ name: 'a', who: id }, { name, who: id })).toMatchObject({
      status: 400,
      body: { code: 'refused' },
    })
})

test('a removed member stays as the id, and the row can be written and restored', async () => {
  const other = service.as(await service.newKey({ user: 'other' }))
  const id = (await other.get('/v1/me')).body.user_id
  await declare(service, 'Tasks', [field('name', 'text'), field('who', 'user', { multiple: true })])
  const me = await ownId()
  const [row] = await write(service, 'Tasks', { name: 'a', who: [id, me] })
  await removeUser(service, 'other')
  const path = `/v1/records/${row.id}`
  expect((await service.get(path)).body.record.data.who).toEqual([id, me])
  expect(await service.patch(path, { data: { name: 'b' } })).toMatchObject({ status: 200 })
  expect(await service.patch(path, { data: { name: 'c', who: [id, me] } })).toMatchObject({ status: 200 })
  expect(await service.patch(path, { data: { who: [id] } })).toMatchObject({ status: 200 })
  expect(await matching('has_any', [id])).toEqual(['c'])
  const { versions } = (await service.get(`${path}/history`)).body
  const first = versions.at(-1).cursor
  await service.patch(path, { data: { who: null } })
  expect(await service.post(`${path}/revert`, { to: first })).toMatchObject({
    status: 200,
    body: { record: { data: { name: 'a', who: [id, me] } } },
  })
  await service.patch(path, { data: { who: [id] } })
  await service.delete(path)
  expect(await service.post(`${path}/restore`)).toMatchObject({ status: 200 })
  const single = { field: 'who', key: 'one', type: 'user' }
  expect(await service.post('/v1/records/structures/Tasks/convert', single)).toMatchObject({
    body: { converted: 1, failed: 0 },
  })
  expect(await send({ who: [id] })).toMatchObject({ status: 400, body: { code: 'refused' } })
})
