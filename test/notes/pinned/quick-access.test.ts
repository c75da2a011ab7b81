import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../../support/counts.ts'
import { alter, statementsIn } from '../../support/database.ts'
import { makeNote } from '../../support/notes.ts'
import { type Client, startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const NOW = '2026-11-21T09:30:00.000Z'

async function pin(note_id: string, more: object = {}) {
  const { status, body } = await service.post('/v1/quick-access', { note_id, ...more })
  expect({ status, error: body.error }).toEqual({ status: 201, error: undefined })
  return body.item
}

/** Creates a note for each title and pins it. */
async function pinAll(...titles: string[]) {
  const items = new Map<string, { id: string; note_id: string }>()
  for (const title of titles) items.set(title, await pin((await makeNote(service, { title })).id))
  return (title: string) => items.get(title) ?? { id: '', note_id: '' }
}

const order = async (client: Client = service): Promise<string[]> =>
  (await client.get('/v1/quick-access')).body.items.map(
    ({ title, position }: { title: string; position: number }) => `${position} ${title}`,
  )

const count = async () => (await service.get('/v1/workspace')).body.workspace.counts.quick_access

describe('a Quick Access item', () => {
  test('is returned in full and counted', async () => {
    const note = await makeNote(service, { title: 'Plan' })
    const { status, body } = await service.post('/v1/quick-access', { note_id: note.id })
    const item = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      note_id: note.id,
      title: 'Plan',
      icon: null,
      color: null,
      icon_filled: false,
      position: 0,
      created_at: NOW,
    }
    expect([status, body]).toEqual([201, { item }])
    expect(body.item.id).not.toBe(note.id)
    expect((await service.get('/v1/quick-access')).body).toEqual({ items: [item] })
    expect(await count()).toBe(1)
  })

  test('is restyled by its own id or by that of its note, and follows the title of the note', async () => {
    const note = await makeNote(service, { title: 'Plan' })
    const item = await pin(note.id, { icon: 'book', color: '#1e90FF', icon_filled: true })
    expect(item).toMatchObject({ icon: 'book', color: '#1e90FF', icon_filled: true })
    await service.patch(`/v1/notes/${note.id}`, { title: 'Great plan' })
    for (const id of [item.id, note.id]) {
      const { status, body } = await service.patch(`/v1/quick-access/${id}`, { color: null })
      expect([status, body]).toEqual([200, { item: { ...item, title: 'Great plan', color: null } }])
    }
    const { body } = await service.patch(`/v1/quick-access/${note.id}`, { icon: null, icon_filled: false })
    expect(body.item).toEqual({
      ...item,
      title: 'Great plan',
      color: null,
      icon: null,
      icon_filled: false,
    })
  })

  test('is separate from `pinned` of the note, nor with its updated_at', async () => {
    const note = await makeNote(service)
    service.clock.advance(1_000)
    await pin(note.id)
    expect((await service.get(`/v1/notes/${note.id}`)).body.note).toEqual(note)
    await service.patch(`/v1/notes/${note.id}`, { pinned: true })
    await service.delete(`/v1/quick-access/${note.id}`)
    expect((await service.get(`/v1/notes/${note.id}`)).body.note.pinned).toBe(true)
    expect(await order()).toEqual([])
  })

  test('is deleted by its own id or that of its note; the response names the item', async () => {
    const item = await pinAll('a', 'b', 'c')
    const byItem = await service.delete(`/v1/quick-access/${item('a').id}`)
    expect([byItem.status, byItem.body]).toEqual([200, { deleted: true, id: item('a').id }])
    const byNote = await service.delete(`/v1/quick-access/${item('c').note_id}`)
    expect([byNote.status, byNote.body]).toEqual([200, { deleted: true, id: item('c').id }])
    expect(await order()).toEqual(['0 b'])
    expect((await service.get(`/v1/notes/${item('a').note_id}`)).status).toBe(200)
    const again = await service.delete(`/v1/quick-access/${item('a').id}`)
    expect([again.status, again.body.code]).toEqual([404, 'not_found'])
  })

  test('is refused for a note that is there already, and for one that is unknown or trashed', async () => {
    const item = await pinAll('a', 'b')
    const again = await service.post('/v1/quick-access', { note_id: item('a').note_id, position: 1 })
    expect([again.status, again.body.code]).toEqual([409, 'name_taken'])
    const trashed = await makeNote(service)
    await service.delete(`/v1/notes/${trashed.id}`)
    for (const note_id of [trashed.id, '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60', 'x']) {
      const { status, body } = await service.post('/v1/quick-access', { note_id, position: 0 })
      expect([status, body]).toEqual([
        404,
        { error: 'There is no such note in this workspace.', code: 'not_found' },
      ])
    }
    const bad = [{ position: -1 }, { position: 0.5 }, { color: 'red' }, { icon: '' }, { icon_filled: 1 }]
    for (const more of [...bad, { note_id: 'x' }]) {
      const { status, body } = await service.patch(`/v1/quick-access/${item('a').id}`, more)
      expect([more, status, body.code]).toEqual([more, 400, 'invalid_request'])
    }
    expect(await order()).toEqual(['0 a', '1 b'])
  })

  test('is created once under an Idempotency-Key', async () => {
    const { id: note_id } = await makeNote(service)
    const send = () =>
      service.request('POST', '/v1/quick-access', { note_id }, { 'Idempotency-Key': 'pin it' })
    const [first, second] = [await send(), await send()]
    expect([second.status, second.body]).toEqual([201, first.body])
    expect(second.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await count()).toBe(1)
  })
})

describe('the order', () => {
  test('shifts at an insertion and at a move; past the end is the end', async () => {
    const item = await pinAll('a', 'b', 'c')
    await pin((await makeNote(service, { title: 'first' })).id, { position: 0 })
    await pin((await makeNote(service, { title: 'end' })).id, { position: 99 })
    expect(await order()).toEqual(['0 first', '1 a', '2 b', '3 c', '4 end'])
    const { body } = await service.patch(`/v1/quick-access/${item('a').note_id}`, { position: 3 })
    expect(body.item.position).toBe(3)
    expect(await order()).toEqual(['0 first', '1 b', '2 c', '3 a', '4 end'])
    await service.patch(`/v1/quick-access/${item('c').id}`, { position: 2 ** 53 - 1 })
    expect(await order()).toEqual(['0 first', '1 b', '2 a', '3 end', '4 c'])
  })

  test('closes up when a note is trashed, and a restore does not bring it back', async () => {
    const item = await pinAll('a', 'b', 'c')
    await service.delete(`/v1/notes/${item('b').note_id}`)
    expect(await order()).toEqual(['0 a', '1 c'])
    expect(await count()).toBe(2)
    await service.post(`/v1/notes/${item('b').note_id}/restore`)
    expect(await order()).toEqual(['0 a', '1 c'])
    await pin(item('b').note_id)
    expect(await order()).toEqual(['0 a', '1 c', '2 b'])
  })

  test('of one workspace is unaffected by another', async () => {
    const item = await pinAll('a', 'b')
    const other = service.as(await service.newWorkspace('Other'))
    const { body } = await other.post('/v1/notes', { title: 'theirs' })
    await other.post('/v1/quick-access', { note_id: body.note.id, position: 0 })
    for (const id of [item('a').id, item('a').note_id]) {
      expect((await other.patch(`/v1/quick-access/${id}`, { position: 1 })).status).toBe(404)
      expect((await other.delete(`/v1/quick-access/${id}`)).status).toBe(404)
    }
    expect((await other.post('/v1/quick-access', { note_id: item('a').note_id })).status).toBe(404)
    expect([await order(), await order(other)]).toEqual([['0 a', '1 b'], ['0 theirs']])
  })

  const step = fc.oneof(
    fc.record({ does: fc.constant('insert' as const), at: fc.option(fc.nat(9), { nil: undefined }) }),
    fc.record({ does: fc.constant('move' as const), which: fc.nat(20), at: fc.nat(9) }),
    fc.record({ does: fc.constantFrom('remove' as const, 'trash' as const), which: fc.nat(20) }),
  )

  test('is that of an array under random insertions, moves and removals', async () => {
    let run = 0
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      run += 1
      const client = service.as(await service.newWorkspace(`of run ${run}`))
      const model: { id: string; note: string }[] = []
      for (const action of steps) {
        if (action.does === 'insert') {
          const { body } = await client.post('/v1/notes', { title: 'A note' })
          const sent = { note_id: body.note.id, position: action.at }
          const { body: made } = await client.post('/v1/quick-access', sent)
          model.splice(action.at ?? model.length, 0, { id: made.item.id, note: body.note.id })
          continue
        }
        const at = action.which % Math.max(model.length, 1)
        const chosen = model[at]
        if (!chosen) continue
        model.splice(at, 1)
        if (action.does === 'move') {
          await client.patch(`/v1/quick-access/${chosen.id}`, { position: action.at })
          model.splice(action.at, 0, chosen)
        } else if (action.does === 'remove') await client.delete(`/v1/quick-access/${chosen.note}`)
        else await client.delete(`/v1/notes/${chosen.note}`)
      }
      const { items } = (await client.get('/v1/quick-access')).body
      const placed = items.map(({ id, position }: { id: string; position: number }) => [id, position])
      expect(placed).toEqual(model.map(({ id }, position) => [id, position]))
    })
    await fc.assert(property, { numRuns: runs(12, 1_000) })
  })
})

describe('a long Quick Access', () => {
  /** Pins this many new notes, `note 0` first. */
  const pinMany = (notes: number) =>
    alter(
      service,
      `WITH RECURSIVE n (value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n WHERE value < ${notes - 1})
       INSERT INTO notes (id, workspace, title, title_fold, created_at, updated_at)
       SELECT 'note ' || value, (SELECT pk FROM workspaces), value, value, 0, 0 FROM n;
       INSERT INTO quick_access (id, workspace, note, icon_filled, position, created_at)
       SELECT printf('%032x', pk), workspace, pk, 0, CAST(title AS INTEGER), 0 FROM notes
       WHERE id GLOB 'note *'`,
    )

  test('is shifted and logged in a few statements, each item with its own change', async () => {
    await pinMany(500)
    const { id } = await makeNote(service)
    const statements = await statementsIn(service, () => pin(id, { position: 100 }))
    expect(statements.filter((text) => !/^\s*SELECT/.test(text)).length).toBeLessThan(20)
    const { changes } = (await service.get('/v1/changes?kinds=quick_access_item&limit=1000')).body
    const shifts = changes.filter(({ op }: { op: string }) => op === 'updated')
    expect(shifts.map(({ previous }: { previous: object }) => previous)).toEqual(
      Array.from({ length: 400 }, (_, at) => ({ position: 100 + at })),
    )
    expect(new Set(changes.map(({ transaction }: { transaction: string }) => transaction)).size).toBe(1)
  })

  test('holds at most 10,000 notes', async () => {
    await pinMany(9_999)
    const [last, tooMany] = [await makeNote(service), await makeNote(service)]
    await pin(last.id, { position: 0 })
    expect(await service.post('/v1/quick-access', { note_id: tooMany.id })).toMatchObject({
      status: 400,
      body: { error: 'Quick Access holds at most 10,000 notes; unpin one first.', code: 'refused' },
    })
    expect(await count()).toBe(10_000)
    await service.delete(`/v1/quick-access/${last.id}`)
    await pin(tooMany.id)
  })
})
