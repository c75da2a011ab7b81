import { afterEach, beforeEach, expect, test } from 'bun:test'
import { declare, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'
import { payloadsOf, subscribe } from '../support/webhooks.ts'

/* Reverting a row to an earlier version follows the current rules of its structure. */

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const FIELDS = [
  { key: 'name', type: 'text' },
  { key: 'size', type: 'number' },
  { key: 'state', type: 'select', options: ['open', 'done'] },
]

type Values = Record<string, unknown>

/** Creates a row that was changed once. */
async function changedRow(before: Values, after: Values, more: Values = {}): Promise<string> {
  await declare(service, 'Boxes', FIELDS, more)
  const [{ id }] = await write(service, 'Boxes', before)
  await service.patch(`/v1/records/${id}`, { data: after })
  return id
}

const setFields = (change: Record<string, object>) =>
  service.patch('/v1/records/structures/Boxes', {
    fields: FIELDS.map((field) => ({ ...field, ...change[field.key] })),
  })

/** Reverts the row to its first version. */
async function revert(id: string) {
  const { versions } = (await service.get(`/v1/records/${id}/history`)).body
  return service.post(`/v1/records/${id}/revert`, { to: versions.at(-1).cursor })
}

const dataOf = async (id: string) => (await service.get(`/v1/records/${id}`)).body.record.data

test('a field hidden meanwhile is reverted, too', async () => {
  const id = await changedRow({ name: 'a', size: 1 }, { size: 2 })
  expect((await setFields({ size: { hidden: true } })).status).toBe(200)
  expect((await revert(id)).body.record.data).toEqual({ name: 'a', size: 1 })
})

test('fields added later have no value in an earlier version, and removed values are restored', async () => {
  const id = await changedRow({ name: 'a', size: 1 }, { size: null })
  await service.patch('/v1/records/structures/Boxes', { fields: [...FIELDS, { key: 'new', type: 'text' }] })
  await service.patch(`/v1/records/${id}`, { data: { new: 'x' } })
  const { versions } = (await service.get(`/v1/records/${id}/history`)).body
  const { body } = await service.post(`/v1/records/${id}/revert`, { to: versions[2].cursor })
  expect(body.record.data).toEqual({ name: 'a', size: 1 })
  const again = await service.post(`/v1/records/${id}/revert`, { to: versions[0].cursor })
  expect(again.body.record.data).toEqual({ name: 'a', new: 'x' })
})

test.each([
  [
    'an option that there is no longer',
    { state: 'open' },
    { state: 'done' },
    { state: { options: ['done'] } },
  ],
  ['a value out of new bounds', { size: 1 }, { size: 5 }, { size: { min: 3 } }],
  ['no value where one is required now', {}, { size: 5 }, { size: { required: true } }],
])('%s is refused, and the row stays', async (_, before, after, change) => {
  const id = await changedRow({ name: 'a', ...before }, after)
  expect((await setFields(change)).status).toBe(200)
  const kept = await dataOf(id)
  const { status, body } = await revert(id)
  expect([status, body.code, body.error]).toEqual([
    400,
    'refused',
    expect.stringContaining(`"${Object.keys(change)[0]}"`),
  ])
  expect(await dataOf(id)).toEqual(kept)
})

test('the only row of a structure is reverted, and stays the only one', async () => {
  const id = await changedRow({ name: 'a' }, { name: 'b' }, { max_rows: 1 })
  expect((await revert(id)).body.record).toMatchObject({ id, data: { name: 'a' } })
  const { records, total } = (await service.get('/v1/records?structure=Boxes')).body
  expect([total, records[0].id]).toEqual([1, id])
  await write(service, 'Boxes', { name: 'c' })
  expect((await revert(id)).status).toBe(404)
})

test('it fires an update with what it changed', async () => {
  const id = await changedRow({ name: 'a', size: 1 }, { name: 'b', size: 2 })
  const webhook = await subscribe(service, 'Boxes', 'https://hooks.example.com/x')
  await revert(id)
  expect(await payloadsOf(service, webhook.id)).toMatchObject([
    {
      type: 'record.updated',
      record: { id, data: { name: 'a', size: 1 } },
      previous: { name: 'b', size: 2 },
    },
  ])
})
