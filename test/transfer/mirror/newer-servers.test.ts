import { afterEach, beforeEach, expect, test } from 'bun:test'
import { alter as alterDatabase } from '../../support/database.ts'
import {
  type Alter,
  changeAll,
  type FullService,
  mirrorOfAltered,
  startFullService,
} from '../../support/full-service.ts'
import { faultsOf, newFollower, type TestMirror } from '../../support/mirror.ts'

/* A newer server has objects unknown to a mirror: the mirror omits and names them, and loses nothing else. */

let full: FullService
let mirror: TestMirror
/** Alters the responses of the newer server. */
let alter: Alter

beforeEach(async () => {
  full = await startFullService()
})
afterEach(async () => {
  await mirror.close()
  full.service.close()
})

const idOf = (kind: string) => full.examples.get(kind)?.id
const copy = async (how: Alter) => {
  alter = how
  mirror = await mirrorOfAltered(full.service, (...told) => alter(...told))
}
const status = () => mirror.status().status

test('omits unknown kinds, counts them, and copies them once they are known', async () => {
  const { service } = full
  await copy((kind, _, told) => {
    if (kind === 'row_view') told.kind = 'dashboard'
  })
  expect(status().left_out).toEqual({ dashboard: 1 })
  const { body } = await service.post('/v1/records/views', { structure: 'Payments', name: 'More' })
  await changeAll(full, 1)
  await mirror.catchUp()
  expect(status().left_out).toEqual({ dashboard: 2 })
  await service.delete(`/v1/records/views/${body.row_view.id}`)
  await mirror.catchUp()
  expect(status().left_out).toEqual({ dashboard: 1 })
  expect(await mirror.differing()).toEqual([])
  expect((await mirror.get(`/v1/notes/${idOf('note')}`)).body.note.title).toBe('Ada 1')
  // Upgrades the program.
  alter = () => {}
  await alterDatabase(mirror, "UPDATE mirrors SET selection = json_set(selection, '$.knowledge', 'less')")
  await (await newFollower(mirror, service)).catchUp()
  expect(status().left_out).toBeUndefined()
  expect((await mirror.get('/v1/records/views')).body.row_views).toMatchObject([{ name: 'Board' }])
  expect(faultsOf(mirror)).toEqual([])
}, 60_000)

test('omits a field of unknown type with its values, and copies it once the type is known', async () => {
  const { service } = full
  const fieldsOf = (object: Record<string, unknown>) =>
    (object.fields ?? []) as { key: string; type: string }[]
  await service.patch(`/v1/records/${idOf('record')}`, { data: { raw: 'secret' } })
  await copy((kind, object) => {
    for (const field of kind === 'structure' ? fieldsOf(object) : [])
      if (field.key === 'raw') field.type = 'geo'
  })
  expect(status().left_out).toEqual({ field: 1 })
  const record = async () => (await mirror.get(`/v1/records/${idOf('record')}`)).body.record.data
  expect(await record()).toEqual({ number: 'one', amount: 1 })
  expect(await mirror.differing()).toEqual([])
  await service.patch(`/v1/records/${idOf('record')}`, { data: { amount: 2, raw: 'other' } })
  await mirror.catchUp()
  expect(await record()).toEqual({ number: 'one', amount: 2 })
  alter = () => {}
  await service.patch(`/v1/records/structures/${idOf('structure')}`, { description: 'converted' })
  await mirror.catchUp()
  expect(await record()).toEqual({ number: 'one', amount: 2, raw: 'other' })
  expect(status().left_out).toBeUndefined()
  expect(faultsOf(mirror)).toEqual([])
}, 60_000)

const WORDS: Record<string, object> = {
  property: { type: 'money' },
  view: { filter: { type: 'near', place: 'here' } },
  lens: { settings: { layers: {}, nodes: {}, look: { titles: 'hover' } } },
  file: { status: 'queued' },
  webhook: { events: ['record.archived'] },
  source: { provider: 'paypal' },
  row_view: { kind: 'timeline' },
}

test('omits objects with words that only a newer server knows, and restores them later', async () => {
  await copy((kind, object) => Object.assign(object, WORDS[kind]))
  const all = Object.fromEntries(Object.keys(WORDS).map((kind) => [kind, 1]))
  expect(status().left_out).toEqual(all)
  expect(await mirror.differing()).toEqual([])
  expect((await mirror.get('/v1/notes')).body.total).toBe(1)
  alter = () => {}
  await changeAll(full, 1)
  await mirror.catchUp()
  expect(status().left_out).toEqual({ file: 1 })
  alter = (kind, object) => Object.assign(object, WORDS[kind])
  await changeAll(full, 2)
  await mirror.catchUp()
  expect(status().left_out).toEqual(all)
  expect((await mirror.get('/v1/views')).body.views).toEqual([])
  expect(faultsOf(mirror)).toEqual([])
}, 60_000)

test('leaves a share that a remote sends where it is', async () => {
  await copy((kind, _, told) => {
    if (kind === 'row_view') told.kind = 'share'
  })
  await changeAll(full, 1)
  await mirror.catchUp()
  expect(status()).not.toHaveProperty('left_out')
  expect(faultsOf(mirror)).toEqual([])
}, 60_000)

test('reports that it no longer follows when it cannot', async () => {
  await copy(() => {})
  expect(status()).not.toHaveProperty('problem')
  alter = (kind, object) => kind === 'note' && Object.assign(object, { title: 5 })
  await changeAll(full, 1)
  const follower = await newFollower(mirror, full.service)
  const running = follower.run()
  while (status().problem === undefined) await Bun.sleep(10)
  const { isFollowing } = mirror.status()
  expect([isFollowing, status().problem]).toEqual([false, expect.stringContaining('"title" must be')])
  follower.stop()
  await running
  alter = () => {}
  await (await newFollower(mirror, full.service)).catchUp()
  expect(status()).not.toHaveProperty('problem')
}, 60_000)
