import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { alter } from '../support/database.ts'
import { runRetention } from '../support/jobs.ts'
import { makeNote, tagNamed } from '../support/notes.ts'
import { declare, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

interface Listed {
  readonly transaction: string
  readonly cursor: string
  readonly at: string
  readonly actor: { readonly key_id: string | null; readonly user_id: string | null }
  readonly counts: readonly { kind: string; op: string; structure_id: string | null; n: number }[]
  readonly objects: readonly { kind: string; id: string; op: string; label: string | null }[]
  readonly undone_by: string | null
}

const page = async (query = '', of = service) => (await of.get(`/v1/changes/transactions?${query}`)).body
const listed = async (query = '', of = service): Promise<Listed[]> => (await page(query, of)).transactions
const labels = async (query = '') => (await listed(query)).map(({ objects }) => objects[0]?.label)

/** Returns every transaction from the feed, newest first. */
async function fromFeed(): Promise<object[]> {
  const { changes } = (await service.get('/v1/changes?limit=1000')).body
  const groups = Map.groupBy(
    changes as { transaction: string; cursor: string }[],
    (change) => change.transaction,
  )
  return [...groups]
    .map(([transaction, of]) => ({ transaction, cursor: of.at(-1)?.cursor, n: of.length }))
    .toReversed()
}

test('each write is listed once, newest first, with all that it changed and the first five objects', async () => {
  const { id } = await declare(service, 'Boxes', [{ key: 'name', type: 'text' }], { label_field: 'name' })
  const rows = await write(service, 'Boxes', ...Array.from({ length: 500 }, (_, n) => ({ name: `Box ${n}` })))
  const note = await makeNote(service, { title: 'Tea', tags: ['new', 'other'] })
  const [newest, batch, declared] = await listed()
  const me = (await service.get('/v1/me')).body
  expect(batch as object).toEqual({
    transaction: expect.any(String),
    cursor: expect.any(String),
    at: '2026-11-21T09:30:00.000Z',
    actor: { surface: 'api', user_id: me.user_id, key_id: me.key.id, name: me.key.name },
    counts: [{ kind: 'record', op: 'created', structure_id: id, n: 500 }],
    objects: rows.slice(0, 5).map((row: { id: string }, n: number) => ({
      ...{ kind: 'record', id: row.id, op: 'created', structure_id: id },
      label: `Box ${n}`,
    })),
    undone_by: null,
  })
  expect(newest?.counts.toSorted((one, other) => (one.kind < other.kind ? -1 : 1))).toEqual([
    { kind: 'note', op: 'created', structure_id: null, n: 1 },
    { kind: 'tag', op: 'created', structure_id: null, n: 2 },
  ])
  expect(newest?.objects.find(({ kind }) => kind === 'note')).toMatchObject({ id: note.id, label: 'Tea' })
  expect(declared?.objects).toEqual([
    { kind: 'structure', id, op: 'created', structure_id: id, label: 'Boxes' } as never,
  ])
  const summed = (await listed()).map(({ transaction, cursor, counts }) => ({
    ...{ transaction, cursor },
    n: counts.reduce((sum, { n }) => sum + n, 0),
  }))
  expect(summed).toEqual((await fromFeed()) as never)
})

test('pages continue from their cursor, also within a transaction', async () => {
  for (let at = 0; at < 7; at++) await makeNote(service, { title: `${at}`, tags: [`tag ${at}`] })
  const all = await listed()
  expect(all).toHaveLength(7)
  const seen: Listed[] = []
  let query = 'limit=3'
  for (let hasMore = true; hasMore; ) {
    const next = await page(query)
    expect(next.transactions.length).toBeLessThanOrEqual(3)
    seen.push(...next.transactions)
    query = `limit=3&before=${next.cursor}`
    hasMore = next.has_more
  }
  expect(seen).toEqual(all)
  for (const within of [all[2]?.transaction, all[2]?.cursor])
    expect(await listed(`before=${within}`)).toEqual(all.slice(3))
  expect(await listed('before=now')).toEqual(all)
})

test('kinds and structure choose which are listed, and counts stay whole', async () => {
  await declare(service, 'Boxes', [{ key: 'name', type: 'text' }])
  const other = await declare(service, 'Other', [{ key: 'name', type: 'text' }])
  await write(service, 'Boxes', { name: 'a' })
  await write(service, 'Other', { name: 'b' }, { name: 'c' })
  await makeNote(service, { title: 'Tagged', tags: ['one', 'two'] })
  await makeNote(service, { title: 'Plain' })
  const [tagged] = await listed('kinds=tag')
  expect([(await listed('kinds=tag')).length, tagged?.counts.map(({ n }) => n).toSorted()]).toEqual([
    1,
    [1, 2],
  ])
  expect(await listed('kinds=note,tag')).toHaveLength(2)
  expect((await listed('structure=Other')).map(({ counts }) => counts)).toEqual([
    [{ kind: 'record', op: 'created', structure_id: other.id, n: 2 }],
    [{ kind: 'structure', op: 'created', structure_id: other.id, n: 1 }],
  ])
  expect(await listed(`structure=${other.id}&kinds=record`)).toHaveLength(1)
})

test('a key, and a user with all their keys, are found by id; an unknown id has no transactions', async () => {
  const mine = (await service.get('/v1/me')).body
  const second = service.as(await service.newKey())
  const stranger = service.as(await service.newKey({ user: 'Vera' }))
  await makeNote(service, { title: 'first' })
  await second.post('/v1/notes', { title: 'second' })
  await stranger.post('/v1/notes', { title: 'stranger' })
  const secondKey = (await second.get('/v1/me')).body.key.id
  const vera = (await stranger.get('/v1/me')).body.user_id
  expect(await labels(`actor=${mine.key.id}`)).toEqual(['first'])
  expect(await labels(`actor=${secondKey}`)).toEqual(['second'])
  expect(await labels(`actor=${mine.user_id}`)).toEqual(['second', 'first'])
  expect(await labels(`actor=${vera}`)).toEqual(['stranger'])
  for (const unknown of ['nobody', '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'])
    expect(await page(`actor=${unknown}`)).toEqual({
      transactions: [],
      cursor: expect.any(String),
      has_more: false,
    })
})

test('an undone transaction names its undo, until that is undone itself', async () => {
  const { id } = await makeNote(service, { title: 'Before' })
  await service.patch(`/v1/notes/${id}`, { title: 'After' })
  const undo = async (transaction: string | undefined) =>
    (await service.post('/v1/changes/undo', { transaction })).body.transaction
  const [patched] = await listed()
  const undoing = await undo(patched?.transaction)
  expect((await listed()).map((one) => one.undone_by)).toEqual([null, undoing, null])
  const again = await undo(undoing)
  expect((await listed()).map((one) => one.undone_by)).toEqual([null, again, null, null])
})

describe('the label', () => {
  test('of an object of each kind is its visible name', async () => {
    const note = await makeNote(service, { title: 'Noted', tags: ['tagged'] })
    const tag = await tagNamed(service, 'tagged')
    await service.post('/v1/properties', { key: 'stage', label: 'The stage', type: 'text' })
    await service.post('/v1/quick-access', { note_id: note.id })
    await service.post('/v1/views', {
      name: 'Viewed',
      filter: { type: 'tags', op: 'has_any', tag_ids: [tag.id] },
    })
    await service.post('/v1/presets', { name: 'Preset' })
    await service.post('/v1/lenses', { name: 'Lensed', settings: {} })
    await declare(service, 'Boxes', [{ key: 'size', type: 'number' }], { label_field: 'size' })
    await declare(service, 'Plain', [{ key: 'size', type: 'number' }])
    await write(service, 'Boxes', { size: 5 })
    await write(service, 'Plain', { size: 5 })
    const found = (await listed()).flatMap(({ objects }) =>
      objects.map(({ kind, label }) => `${kind} ${label}`),
    )
    expect(found.toSorted()).toEqual([
      'lens Lensed',
      'note Noted',
      'preset Preset',
      'property stage',
      'quick_access_item Noted',
      'record 5',
      'record null',
      'structure Boxes',
      'structure Plain',
      'tag tagged',
      'view Viewed',
    ])
  })

  test('is available in the trash and after a deletion, and null once the data is purged', async () => {
    const note = await makeNote(service, { title: 'Noted', tags: ['tagged'] })
    await service.post('/v1/quick-access', { note_id: note.id })
    await service.delete(`/v1/notes/${note.id}`)
    const tag = await tagNamed(service, 'tagged')
    await service.delete(`/v1/tags/${tag.id}`)
    const [deleted, trashed] = await listed()
    expect(deleted?.objects[0]).toMatchObject({ kind: 'tag', op: 'deleted', label: 'tagged' })
    for (const { label } of trashed?.objects ?? []) expect(label).toBe('Noted')
    service.clock.advance(31 * 86_400_000)
    await runRetention(service.ctx)
    const [purged] = await listed('kinds=note')
    expect(purged?.objects).toMatchObject([{ op: 'purged', label: null }])
  })
})

test('another workspace sees none of this', async () => {
  await makeNote(service, { title: 'Mine' })
  const other = service.as(await service.newWorkspace('Elsewhere'))
  expect((await other.get('/v1/changes/transactions')).body.transactions).toEqual([])
  const [mine] = await listed()
  const { status, body } = await other.get(`/v1/changes/transactions?before=${mine?.cursor}`)
  expect([status, body.code]).toEqual([410, 'cursor_expired'])
  expect((await service.get('/v1/changes/transactions?before=nonsense')).status).toBe(400)
  expect((await service.get('/v1/changes/transactions?limit=201')).status).toBe(400)
  expect((await service.get('/v1/changes/transactions?kinds=none')).status).toBe(400)
})

test('a transaction of very many changes is counted exactly, whatever it mixes and wherever its kinds begin', async () => {
  const { id } = await declare(service, 'Boxes', [{ key: 'name', type: 'text' }])
  await makeNote(service, { title: 'Before' })
  const LARGE = 30_000
  const insert = (late: number) =>
    alter(
      service,
      `INSERT INTO changes (key, position, at, actor, kind, object, structure)
       SELECT last.key + 1 + value, value, last.at, last.actor,
         CASE WHEN value >= ?1 THEN 0 WHEN value % 10 = 0 THEN 9 ELSE 8 END,
         randomblob(16), CASE WHEN value >= ?1 THEN NULL ELSE unhex(?2, '-') END
       FROM (SELECT key, at, actor FROM changes ORDER BY key DESC LIMIT 1) last,
         (WITH RECURSIVE n (value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n WHERE value < ${LARGE - 1}) SELECT value FROM n)`,
      late,
      id,
    )
  await insert(LARGE)
  const both = [
    { kind: 'record', op: 'updated', structure_id: id, n: LARGE / 10 },
    { kind: 'record', op: 'created', structure_id: id, n: LARGE - LARGE / 10 },
  ]
  expect((await listed('limit=1'))[0]?.counts).toEqual(both)
  await insert(LARGE - 10)
  await makeNote(service, { title: 'After' })
  const [after, mixed, plain, before] = await listed('limit=4')
  expect(mixed?.counts).toEqual([
    { kind: 'record', op: 'updated', structure_id: id, n: LARGE / 10 - 1 },
    { kind: 'record', op: 'created', structure_id: id, n: LARGE - LARGE / 10 - 9 },
    { kind: 'note', op: 'created', structure_id: null, n: 10 },
  ])
  expect([after?.objects[0]?.label, plain?.counts, before?.objects[0]?.label]).toEqual([
    'After',
    both,
    'Before',
  ])
  expect(await listed('kinds=note&limit=3')).toEqual([after, mixed, before] as never)
  // Counts are memoized, but never across callers with different access.
  const keyWith = async (structures: Readonly<Record<string, 'read' | 'none'>>) =>
    service.as(await service.newKey({ access: { notes: 'read', structures } }))
  const [these, others] = [
    await keyWith({ '*': 'none', [id]: 'read' }),
    await keyWith({ '*': 'read', [id]: 'none' }),
  ]
  expect((await listed('limit=2', these as never))[1]?.counts).toEqual(mixed?.counts as never)
  expect((await listed('limit=2', others as never))[1]?.counts).toEqual([
    { kind: 'note', op: 'created', structure_id: null, n: 10 },
  ])
})
