import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../src/lib/dates.ts'
import type { FeedChange } from '../support/changes.ts'
import { contentOf } from '../support/content.ts'
import { beginEpoch } from '../support/epochs.ts'
import { runRetention } from '../support/jobs.ts'
import { settle, startService, type TestService } from '../support/service.ts'
import { deleteStructure } from '../support/structures.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const feed = async (query = '') => (await service.get(`/v1/changes${query}`)).body
const newNote = async (title: string, body: object = {}): Promise<string> =>
  (await service.post('/v1/notes', { title, ...body })).body.note.id
const declare = async (fields: object[] = [{ key: 'a', type: 'text' }], more: object = {}): Promise<string> =>
  (await service.post('/v1/records/structures', { name: 'Rows', fields, ...more })).body.structure.id
const insert = async (data: object): Promise<string> =>
  (await service.post('/v1/records', { structure: 'Rows', data })).body.records[0].id
const short = ({ kind, op, changed, previous }: FeedChange) => [kind, op, changed, previous]

describe('a change', () => {
  test('shows the change, the old values, the surface and the author', async () => {
    const structure = await declare()
    const id = await insert({ a: 'x' })
    await service.patch(`/v1/records/${id}`, { data: { a: 'y' } })
    const { body: me } = await service.get('/v1/me')
    const { changes, has_more } = await feed()
    expect(has_more).toBe(false)
    expect(changes.at(-1)).toEqual({
      cursor: expect.stringMatching(/^[\w-]{1,64}$/),
      transaction: changes.at(-1).cursor,
      at: '2026-11-21T09:30:00.000Z',
      kind: 'record',
      op: 'updated',
      id,
      structure_id: structure,
      changed: ['a'],
      previous: { a: 'x' },
      actor: { surface: 'api', user_id: me.user_id, key_id: me.key.id, name: me.key.name },
    })
  })

  test('of a note names its attributes, of its properties only those that changed, and has no old text', async () => {
    await service.post('/v1/properties', { key: 'status', type: 'text' })
    await service.post('/v1/properties', { key: 'due', type: 'date' })
    const id = await newNote('One', { content: 'old', properties: { status: 'open', due: '2026-12-01' } })
    await service.patch(`/v1/notes/${id}`, { title: 'Two', content: 'new', pinned: true })
    await service.patch(`/v1/notes/${id}/properties`, { status: 'done' })
    await service.post(`/v1/notes/${id}/tags`, { tags: ['work'] })
    const { changes } = await feed('?kinds=note')
    expect(changes.map(short)).toEqual([
      ['note', 'created', [], {}],
      ['note', 'updated', ['title', 'content', 'pinned'], { title: 'One', pinned: false }],
      ['note', 'updated', ['properties'], { properties: { status: 'open' } }],
      ['note', 'updated', ['tags'], { tags: [] }],
    ])
  })

  test('is not logged for a refused write, or one without effect', async () => {
    const id = await newNote('One')
    const { cursor } = await feed('?after=now')
    await service.patch(`/v1/notes/${id}`, { title: 'One' })
    await service.patch(`/v1/notes/${id}`, { title: '' })
    await service.post(`/v1/notes/${id}/edit`, { old_str: 'nothing', new_str: 'x' })
    await service.post('/v1/records', { structure: 'none', data: {} })
    expect((await feed(`?after=${cursor}`)).changes).toEqual([])
    expect((await feed('?after=now')).cursor).toBe(cursor)
  })

  test('of the command line or of a sweep names it as the author', async () => {
    service.close()
    service = await startService({ config: { keepChangesMs: 60 * DAY_MS } })
    const structure = await declare()
    const id = await newNote('One')
    await service.delete(`/v1/notes/${id}`)
    await deleteStructure(service, structure)
    service.clock.advance(31 * DAY_MS)
    await runRetention(service.ctx)
    const { changes } = await feed()
    expect(
      changes.slice(-2).map(({ kind, op, actor }: FeedChange & { actor: object }) => [kind, op, actor]),
    ).toEqual([
      ['structure', 'deleted', { surface: 'web', user_id: null, key_id: null, name: 'command line' }],
      ['note', 'purged', { surface: 'system', user_id: null, key_id: null, name: null }],
    ])
  })

  test('never has a secret', async () => {
    await declare()
    const { body } = await service.post('/v1/webhooks', {
      structure: 'Rows',
      url: 'https://hooks.example.com/x',
    })
    const { body: rotated } = await service.post(`/v1/webhooks/${body.webhook.id}/rotate-secret`)
    const { changes } = await feed('?kinds=webhook&include=objects')
    expect(changes.map(short)).toEqual([
      ['webhook', 'created', [], {}],
      ['webhook', 'updated', ['secret'], {}],
    ])
    const everything = JSON.stringify([changes, (await service.get('/v1/changes/snapshot')).body])
    for (const secret of [body.secret, rotated.secret]) expect(everything).not.toContain(secret)
  })
})

describe('a page', () => {
  test('splits no transaction of at most limit changes, and continues from its cursor past filtered changes', async () => {
    await declare()
    await service.post('/v1/records', { structure: 'Rows', rows: [{ data: {} }, { data: {} }, { data: {} }] })
    await service.post('/v1/records', { structure: 'Rows', rows: [{ data: {} }, { data: {} }, { data: {} }] })
    const sizes: number[] = []
    let cursor: string | undefined
    for (;;) {
      const page = await feed(`?limit=4${cursor === undefined ? '' : `&after=${cursor}`}`)
      sizes.push(page.changes.length)
      cursor = page.cursor
      if (!page.has_more) break
    }
    expect(sizes).toEqual([4, 3])
    const filtered = await feed('?kinds=structure')
    expect([filtered.changes.length, filtered.cursor]).toEqual([1, (await feed('?after=now')).cursor])
  })

  test('splits a longer transaction', async () => {
    await declare()
    const rows = Array.from({ length: 5 }, () => ({ data: {} }))
    await service.post('/v1/records', { structure: 'Rows', rows })
    const first = await feed('?limit=2&kinds=record')
    const second = await feed(`?limit=2&kinds=record&after=${first.cursor}`)
    expect([first, second].map(({ changes }) => changes.length)).toEqual([2, 2])
    expect(second.changes[0].transaction).toBe(first.changes[0].transaction)
  })

  test('towards the past begins with the newest and meets every change once', async () => {
    await declare()
    await service.post('/v1/records', { structure: 'Rows', rows: [{ data: {} }, { data: {} }, { data: {} }] })
    await newNote('One')
    await service.post('/v1/records', { structure: 'Rows', rows: [{ data: {} }, { data: {} }, { data: {} }] })
    const forward = (await feed()).changes
    const pages: FeedChange[][] = []
    let before = 'now'
    for (;;) {
      const page = await feed(`?limit=4&before=${before}`)
      pages.push(page.changes)
      before = page.cursor
      if (!page.has_more) break
    }
    expect(pages.map(({ length }) => length)).toEqual([4, 4])
    expect(pages.flat()).toEqual(forward.toReversed())
    expect(await feed(`?before=${before}`)).toEqual({ changes: [], cursor: before, has_more: false })
  })

  test('towards the past takes the filters, and splits a transaction only when it is longer than the page', async () => {
    const structure = await declare()
    await newNote('One')
    const rows = Array.from({ length: 5 }, () => ({ data: {} }))
    await service.post('/v1/records', { structure: 'Rows', rows })
    await newNote('Two')
    const notes = await feed('?before=now&kinds=note&include=objects')
    expect(notes.changes.map(({ object }: FeedChange) => object.title)).toEqual(['Two', 'One'])
    const first = await feed(`?before=now&structure=${structure}&limit=3`)
    const second = await feed(`?before=${first.cursor}&structure=${structure}&limit=3`)
    expect([first, second].map(({ changes }) => changes.length)).toEqual([3, 3])
    expect(second.changes[1].transaction).toBe(first.changes[0].transaction)
    expect(short(second.changes[2])).toEqual(['structure', 'created', [], {}])
  })

  test('towards the past is refused as a stream, with "after" or "wait", and with a foreign cursor', async () => {
    const { cursor } = await feed('?before=now')
    for (const query of [`after=${cursor}`, 'wait=1'])
      expect((await service.get(`/v1/changes?before=${cursor}&${query}`)).status).toBe(400)
    expect((await service.get('/v1/changes?before=x')).status).toBe(400)
    const stream = await service.request('GET', '/v1/changes?before=now', undefined, {
      accept: 'text/event-stream',
    })
    expect(stream.status).toBe(400)
    const { status, body } = await service.get('/v1/changes?before=0123456789ab-5')
    expect([status, body.code]).toEqual([410, 'cursor_expired'])
  })

  test('is of one structure, also once it is deleted', async () => {
    const structure = await declare()
    await insert({ a: 'x' })
    await newNote('One')
    expect((await feed('?structure=Rows')).changes.map(({ kind }: FeedChange) => kind)).toEqual([
      'structure',
      'record',
    ])
    await deleteStructure(service, structure)
    expect((await feed(`?structure=${structure}`)).changes.map(({ op }: FeedChange) => op)).toEqual([
      'created',
      'created',
      'deleted',
    ])
    expect((await service.get('/v1/changes?structure=Rows')).status).toBe(404)
  })

  test.each([
    ['?limit=0', 400, 'invalid_request'],
    ['?limit=1001', 400, 'invalid_request'],
    ['?wait=61', 400, 'invalid_request'],
    ['?kinds=notes', 400, 'invalid_request'],
    ['?include=all', 400, 'invalid_request'],
    ['?after=yesterday', 400, 'invalid_request'],
    ['?after=', 400, 'invalid_request'],
    ['?structure=None', 404, 'not_found'],
    ['?after=000000000000-1', 410, 'cursor_expired'],
  ])('with %s is refused', async (query, status, code) => {
    const answer = await service.get(`/v1/changes${query}`)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('waits for a change that matches its filter', async () => {
    const { cursor } = await feed('?after=now')
    const waiting = service.get(`/v1/changes?after=${cursor}&kinds=tag&wait=60`)
    await newNote('One')
    await settle()
    await newNote('Two', { tags: ['work'] })
    expect((await waiting).body.changes.map(short)).toEqual([['tag', 'created', [], {}]])
  })

  test('that waits without a change is empty after the timeout', async () => {
    const { cursor } = await feed('?after=now')
    const waiting = service.get(`/v1/changes?after=${cursor}&wait=5`)
    await settle()
    service.clock.advance(5_000)
    expect((await waiting).body).toEqual({ changes: [], cursor, has_more: false })
  })

  test('shows nothing of another workspace, and refuses its cursors', async () => {
    const id = await newNote('One')
    const { cursor, changes } = await feed()
    const other = service.as(await service.newWorkspace('Other'))
    expect((await other.get('/v1/changes')).body.changes).toEqual([])
    expect((await other.get(`/v1/changes?after=${cursor}`)).status).toBe(410)
    expect((await other.post('/v1/changes/undo', { transaction: changes[0].transaction })).status).toBe(404)
    expect((await other.get('/v1/changes/snapshot')).body).not.toContain(id)
  })
})

describe('a cursor', () => {
  test('expires when the changes after it are swept', async () => {
    await newNote('One')
    const { cursor: old } = await feed()
    await newNote('Two')
    service.clock.advance(31 * DAY_MS)
    await newNote('Three')
    const { cursor: young } = await feed()
    await newNote('Four')
    await runRetention(service.ctx)
    const { status, body } = await service.get(`/v1/changes?after=${old}`)
    expect([status, body.code, body.error]).toEqual([
      410,
      'cursor_expired',
      expect.stringContaining('/v1/changes/snapshot'),
    ])
    expect((await feed(`?after=${young}`)).changes).toHaveLength(1)
    expect((await feed()).changes).toHaveLength(2)
  })

  test('issued after the restored state is refused; earlier ones stay valid', async () => {
    await newNote('One')
    const { cursor: before } = await feed()
    const kept = (await feed()).changes
    const copy = contentOf(service)
    await beginEpoch(service)
    await newNote('Two')
    const { cursor: after } = await feed()
    expect(after.split('-')[0]).not.toBe(before.split('-')[0])
    // A server starts with the copy: later changes form another history.
    service.close()
    service = await startService({ content: copy })
    await beginEpoch(service)
    await newNote('Three')
    expect((await service.get(`/v1/changes?after=${after}`)).status).toBe(410)
    const page = await feed(`?after=${before}&include=objects`)
    expect(page.changes.map(({ object }: FeedChange) => object.title)).toEqual(['Three'])
    expect((await feed()).changes.slice(0, kept.length)).toEqual(kept)
  })
})

describe('a row', () => {
  test('has a history, newest first, also after its deletion', async () => {
    await declare()
    const id = await insert({ a: '1' })
    for (const a of ['2', '3']) await service.patch(`/v1/records/${id}`, { data: { a } })
    await service.delete(`/v1/records/${id}`)
    const { body } = await service.get(`/v1/records/${id}/history?limit=2`)
    expect(body.versions.map(({ op, changed, previous }: FeedChange) => [op, changed, previous])).toEqual([
      ['deleted', [], {}],
      ['updated', ['a'], { a: '2' }],
    ])
    expect(body.has_more).toBe(true)
    const { body: older } = await service.get(`/v1/records/${id}/history?before=${body.versions[1].cursor}`)
    expect(older.versions.map(({ op }: FeedChange) => op)).toEqual(['updated', 'created'])
    expect(older.has_more).toBe(false)
    const other = service.as(await service.newWorkspace('Other'))
    expect((await other.get(`/v1/records/${id}/history`)).status).toBe(404)
  })

  test('is reverted to a version, as an update under all rules', async () => {
    await declare([
      { key: 'a', type: 'text', unique: true },
      { key: 'b', type: 'number' },
    ])
    const id = await insert({ a: '1' })
    await service.patch(`/v1/records/${id}`, { data: { a: '2', b: 5 } })
    await service.patch(`/v1/records/${id}`, { data: { a: '3' } })
    const { versions } = (await service.get(`/v1/records/${id}/history`)).body
    const revert = (to: string) => service.post(`/v1/records/${id}/revert`, { to })
    expect((await revert(versions[2].cursor)).body.record.data).toEqual({ a: '1' })
    expect((await revert(versions[1].cursor)).body.record.data).toEqual({ a: '2', b: 5 })
    await insert({ a: '1' })
    expect((await revert(versions[2].cursor)).body.code).toBe('unique_violation')
    await service.patch('/v1/records/structures/Rows', { immutable: true })
    expect((await revert(versions[0].cursor)).body.code).toBe('immutable')
    expect((await service.get(`/v1/records/${id}`)).body.record.data).toEqual({ a: '2', b: 5 })
    await service.patch('/v1/records/structures/Rows', { immutable: false })
    expect((await revert('yesterday')).status).toBe(400)
    expect((await revert((await feed('?kinds=structure')).changes[0].cursor)).status).toBe(404)
    await service.delete(`/v1/records/${id}`)
    expect((await revert(versions[0].cursor)).status).toBe(404)
    await service.post(`/v1/records/${id}/restore`)
    const [, deletion] = (await service.get(`/v1/records/${id}/history`)).body.versions
    expect([deletion.op, (await revert(deletion.cursor)).body.code]).toEqual(['deleted', 'refused'])
  })
})

describe('undo', () => {
  test('refuses with a sentence that names the obstacle', async () => {
    await declare()
    const [structure] = (await feed('?kinds=structure')).changes
    const id = await newNote('One')
    await service.patch(`/v1/notes/${id}`, { content: 'new' })
    const [, write] = (await feed('?kinds=note')).changes
    const undo = (transaction: string) => service.post('/v1/changes/undo', { transaction })
    expect((await undo(structure.transaction)).body).toEqual({
      error: expect.stringContaining('structure'),
      code: 'refused',
    })
    expect((await undo('000000000000-1')).status).toBe(404)
    await service.patch(`/v1/notes/${id}`, { title: 'Two' })
    expect((await undo(write.transaction)).body).toEqual({
      error: expect.stringContaining('"Two"'),
      code: 'stale',
    })
    await service.patch(`/v1/notes/${id}`, { content: 'newest' })
    const { transaction } = (await feed('?kinds=note')).changes.at(-1)
    service.clock.advance(8 * DAY_MS)
    await runRetention(service.ctx)
    expect((await undo(transaction)).body).toEqual({
      error: expect.stringContaining('no longer kept'),
      code: 'refused',
    })
    expect((await service.get(`/v1/notes/${id}`)).body.note.content).toBe('newest')
  })

  test('restores the Quick Access item of a note, at its position', async () => {
    const ids = [await newNote('One'), await newNote('Two'), await newNote('Three')]
    for (const note_id of ids) await service.post('/v1/quick-access', { note_id, icon: 'book' })
    const before = (await service.get('/v1/quick-access')).body
    await service.delete(`/v1/notes/${ids[1]}`)
    const { transaction } = (await feed('?kinds=note')).changes.at(-1)
    const { body } = await service.post('/v1/changes/undo', { transaction })
    expect(body.undone).toEqual([{ kind: 'note', id: ids[1], op: 'restored' }])
    expect((await service.get('/v1/quick-access')).body).toEqual(before)
  })

  test('undo and redo move an alias between two notes', async () => {
    const [one, two] = [await newNote('One', { alias: 'a' }), await newNote('Two')]
    const aliasOf = async (id: string) => (await service.get(`/v1/notes/${id}`)).body.note?.alias
    const transactionOf = async (write: () => Promise<unknown>): Promise<string> => {
      await write()
      return (await feed('?before=now&limit=1')).changes[0].transaction
    }
    const undo = async (transaction: string): Promise<string> => {
      const { status, body } = await service.post('/v1/changes/undo', { transaction })
      expect([status, body.error]).toEqual([200, undefined])
      return body.transaction
    }
    const trashing = await transactionOf(() => service.delete(`/v1/notes/${one}`))
    const taking = await transactionOf(() => service.patch(`/v1/notes/${two}`, { alias: 'a' }))
    const restoring = await transactionOf(() => service.post(`/v1/notes/${one}/restore`))
    expect(await aliasOf(one)).toBeNull()
    const restoredAgain = await undo(await undo(restoring))
    expect(await aliasOf(one)).toBeNull()
    await undo(restoredAgain)
    await undo(taking)
    await undo(trashing)
    expect([await aliasOf(one), await aliasOf(two)]).toEqual(['a', null])
  })
})
