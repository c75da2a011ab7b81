import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sizesOf } from '../support/database.ts'
import { declare, write } from '../support/records.ts'
import { type Client, startService, type TestService } from '../support/service.ts'

let service: TestService
let ada: Client
let note: string
let structure: string
let row: string
beforeEach(async () => {
  service = await startService()
  ada = service.as(await service.newKey({ user: 'Ada', role: 'editor' }))
  note = (await service.post('/v1/notes', { title: 'Plan', content: 'One mill. Ask about the mill, twice.' }))
    .body.note.id
  structure = (await declare(service, 'Tasks', [{ key: 'what', type: 'text' }], { label_field: 'what' })).id
  row = (await write(service, 'Tasks', { what: 'Saw' }))[0].id
})
afterEach(() => service.close())

const comment = async (body: object, client: Client = service) => {
  const answer = await client.post('/v1/comments', body)
  expect([answer.status, answer.body.error]).toEqual([201, undefined])
  return answer.body.comment
}
const list = async (query = `note_id=${note}`, client: Client = service) =>
  (await client.get(`/v1/comments?${query}`)).body.comments
const texts = async (query?: string, client?: Client) =>
  (await list(query, client)).map(({ text }: { text: string }) => text)
const person = (name: string) => ({ id: expect.any(String), name })

describe('a comment', () => {
  test('is on a note, on a passage of it, or on a row, with its author and times', async () => {
    const made = await comment({ note_id: note, text: 'Which one, @ada?' }, service)
    expect(made).toEqual({
      id: expect.any(String),
      note_id: note,
      record_id: null,
      structure_id: null,
      thread: null,
      text: 'Which one, @ada?',
      passage: null,
      mentions: [person('Ada')],
      author: person('owner'),
      resolved_at: null,
      resolved_by: null,
      created_at: '2026-11-21T09:30:00.000Z',
      updated_at: '2026-11-21T09:30:00.000Z',
    })
    expect((await service.get(`/v1/comments/${made.id}`)).body.comment).toEqual(made)
    const passage = { text: 'the mill', before: 'about ' }
    expect((await comment({ note_id: note, text: 'Here', passage })).passage).toEqual({
      text: 'the mill',
      before: 'One mill. Ask about ',
      after: ', twice.',
    })
    const onRow = await comment({ record_id: row, text: 'Sharp?' })
    expect([onRow.note_id, onRow.record_id, onRow.structure_id]).toEqual([null, row, structure])
    expect(await texts()).toEqual(['Which one, @ada?', 'Here'])
    expect(await texts(`record_id=${row}`)).toEqual(['Sharp?'])
  })

  test('has replies at one level, is resolved with its thread, and opened again', async () => {
    const first = await comment({ record_id: row, text: 'Sharp?' })
    const reply = await comment({ thread: first.id, text: 'Yes' }, ada)
    expect([reply.thread, reply.record_id, reply.author.name]).toEqual([first.id, row, 'Ada'])
    const nested = await service.post('/v1/comments', { thread: reply.id, text: 'No' })
    expect([nested.status, nested.body.code]).toEqual([400, 'refused'])
    const resolved = await ada.patch(`/v1/comments/${first.id}`, { resolved: true })
    expect(resolved.body.comment).toMatchObject({
      resolved_at: expect.any(String),
      resolved_by: person('Ada'),
    })
    expect((await service.patch(`/v1/comments/${reply.id}`, { resolved: true })).status).toBe(400)
    const open = await service.patch(`/v1/comments/${first.id}`, { resolved: false })
    expect(open.body.comment).toMatchObject({ resolved_at: null, resolved_by: null })
    await service.delete(`/v1/comments/${first.id}`)
    expect(await list(`record_id=${row}`)).toEqual([])
  })

  test('is paged by offset and by cursor', async () => {
    for (const text of ['a', 'b', 'c']) await comment({ note_id: note, text })
    const page = (await service.get(`/v1/comments?note_id=${note}&limit=2&offset=1`)).body
    expect([page.comments.length, page.total, page.has_more]).toEqual([2, 3, false])
    const seen: string[] = []
    for (let cursor: string | null = 'start'; cursor !== null; ) {
      const { body } = await service.get(`/v1/comments?note_id=${note}&limit=2&cursor=${cursor}`)
      seen.push(...body.comments.map(({ text }: { text: string }) => text))
      cursor = body.next_cursor
    }
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  test('is created once with an idempotency key', async () => {
    const send = () =>
      service.request('POST', '/v1/comments', { note_id: note, text: 'Once' }, { 'idempotency-key': 'k' })
    const [one, two] = [await send(), await send()]
    expect([one.status, two.body]).toEqual([201, one.body])
    expect(await texts()).toEqual(['Once'])
  })

  const HOSTILE: readonly [string, () => object, number, string][] = [
    ['no object', () => ({ text: 'x' }), 400, 'invalid_request'],
    ['two objects', () => ({ text: 'x', note_id: note, record_id: row }), 400, 'invalid_request'],
    ['an unknown note', () => ({ text: 'x', note_id: 'nothing' }), 404, 'not_found'],
    ['an unknown row', () => ({ text: 'x', record_id: note }), 404, 'not_found'],
    ['an unknown thread', () => ({ text: 'x', thread: row }), 404, 'not_found'],
    ['no text', () => ({ text: '', note_id: note }), 400, 'invalid_request'],
    ['an invisible text', () => ({ text: ' \u200b', note_id: note }), 400, 'refused'],
    ['a long text', () => ({ text: 'x'.repeat(10_001), note_id: note }), 400, 'invalid_request'],
    ['NUL', () => ({ text: 'a\0', note_id: note }), 400, 'invalid_request'],
    ['a passage that is not there', () => about('saw'), 400, 'passage_not_found'],
    ['a passage that is there twice', () => about('mill'), 400, 'passage_not_unique'],
    ['a passage that is there very often', () => about(' '), 400, 'passage_not_unique'],
    [
      'a passage of a row',
      () => ({ text: 'x', record_id: row, passage: { text: 'a' } }),
      400,
      'invalid_request',
    ],
  ]
  const about = (text: string) => ({ text: 'x', note_id: note, passage: { text } })

  test.each(HOSTILE)('is refused with %s, and nothing is written', async (_, body, status, code) => {
    const before = (await service.get('/v1/changes?before=now')).body
    const answer = await service.post('/v1/comments', body())
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect((await service.get('/v1/changes?before=now')).body).toEqual(before)
  })

  test('mentions the longest name at a place, each member once, and at most 50', async () => {
    await service.newKey({ user: 'Ada Berg', role: 'viewer' })
    const names = async (text: string) =>
      (await comment({ note_id: note, text })).mentions.map(({ name }: { name: string }) => name)
    expect(await names('@Ada Berg and @ADA, @ada; mail@ada @adamant @')).toEqual(['Ada Berg', 'Ada'])
    for (let at = 0; at < 51; at++) await service.newKey({ user: `m${at} x`, role: 'viewer' })
    const all = Array.from({ length: 51 }, (_, at) => `@m${at} x`).join(' ')
    expect((await service.post('/v1/comments', { note_id: note, text: all })).body.code).toBe('refused')
    expect((await service.post('/v1/comments', { note_id: note, text: '@'.repeat(10_000) })).status).toBe(201)
  })

  test('goes with its note into the trash, back out of it, and is purged with it', async () => {
    const first = await comment({ note_id: note, text: 'Keep' })
    await comment({ thread: first.id, text: 'Yes' })
    await service.delete(`/v1/notes/${note}`)
    expect((await service.get(`/v1/comments/${first.id}`)).status).toBe(404)
    expect((await service.get(`/v1/comments?note_id=${note}`)).status).toBe(404)
    expect((await service.patch(`/v1/comments/${first.id}`, { text: 'x' })).status).toBe(404)
    await service.post(`/v1/notes/${note}/restore`)
    expect(await texts()).toEqual(['Keep', 'Yes'])
    const { changes } = (await service.get('/v1/changes?kinds=comment&include=objects')).body
    expect(
      changes.map(({ op, object }: { op: string; object: { text: string } }) => [op, object?.text]),
    ).toEqual([
      ['created', 'Keep'],
      ['created', 'Yes'],
      ['restored', 'Keep'],
      ['restored', 'Yes'],
    ])
    await service.delete(`/v1/notes/${note}`)
    await service.delete(`/v1/notes/trash/${note}`)
    expect(sizesOf(service, 'comments')).toEqual([0])
  })

  test('goes with its row and comes back with it', async () => {
    await comment({ record_id: row, text: 'Keep' })
    await service.delete(`/v1/records/${row}`)
    expect((await service.get(`/v1/comments?record_id=${row}`)).status).toBe(404)
    await service.post(`/v1/records/${row}/restore`)
    expect(await texts(`record_id=${row}`)).toEqual(['Keep'])
  })
})

describe('access', () => {
  test('is that of the object: readers of it comment, and change their own comments alone', async () => {
    const reader = service.as(await service.newKey({ user: 'Ada', access: { notes: 'read' } }))
    const theirs = await comment({ note_id: note, text: 'Mine' })
    const own = await comment({ note_id: note, text: 'Own' }, reader)
    expect((await reader.patch(`/v1/comments/${own.id}`, { text: 'Own 2' })).status).toBe(200)
    expect((await reader.patch(`/v1/comments/${theirs.id}`, { resolved: true })).status).toBe(200)
    for (const answer of [
      await reader.patch(`/v1/comments/${theirs.id}`, { text: 'x' }),
      await reader.delete(`/v1/comments/${theirs.id}`),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, 'no_access'])
    expect((await ada.delete(`/v1/comments/${theirs.id}`)).status).toBe(200)
  })

  test('hides comments of hidden objects everywhere', async () => {
    const onNote = await comment({ note_id: note, text: 'On the note, @Ada' })
    const onRow = await comment({ record_id: row, text: 'On the row, @Ada' })
    const accesses = [
      [{ notes: 'none' }, onNote, onRow],
      [{ structures: { '*': 'none' } }, onRow, onNote],
      [{ structures: { '*': 'add' } }, onRow, onNote],
    ] as const
    for (const [access, hidden, seen] of accesses) {
      const client = service.as(await service.newKey({ user: 'Ada', access }))
      expect((await client.get(`/v1/comments/${hidden.id}`)).status).toBe(404)
      expect((await client.get(`/v1/comments/${seen.id}`)).status).toBe(200)
      expect((await client.post('/v1/comments', { thread: hidden.id, text: 'x' })).status).toBe(404)
      const all = [
        await client.get('/v1/inbox'),
        await client.get('/v1/changes?include=objects'),
        await client.get('/v1/changes/transactions'),
        await client.get('/v1/changes/snapshot'),
      ].map(({ body }) => JSON.stringify(body))
      for (const text of all)
        expect([text.includes(hidden.id), text.includes(hidden.text)]).toEqual([false, false])
    }
  })

  test('read-only keys and viewers read comments, and write none', async () => {
    const { id } = await comment({ note_id: note, text: 'Read me' })
    for (const options of [{ scope: 'read' }, { user: 'Vera', role: 'viewer' }] as const) {
      const client = service.as(await service.newKey(options))
      expect(await texts(undefined, client)).toEqual(['Read me'])
      for (const answer of [
        await client.post('/v1/comments', { note_id: note, text: 'x' }),
        await client.patch(`/v1/comments/${id}`, { resolved: true }),
        await client.delete(`/v1/comments/${id}`),
      ])
        expect([answer.status, answer.body.code]).toEqual([403, 'read_only_key'])
    }
  })
})

describe('undo', () => {
  const last = async () =>
    (await service.get('/v1/changes/transactions?limit=1')).body.transactions[0].transaction
  const undo = async (transaction: string) => service.post('/v1/changes/undo', { transaction })

  test('takes back a new comment, a changed one, and a deleted thread, and itself', async () => {
    const first = await comment({ note_id: note, text: 'Before @Ada' })
    const created = await last()
    await service.patch(`/v1/comments/${first.id}`, { text: 'After', resolved: true })
    expect((await undo(await last())).body.undone).toEqual([{ kind: 'comment', id: first.id, op: 'updated' }])
    expect((await list())[0]).toMatchObject({
      text: 'Before @Ada',
      mentions: [person('Ada')],
      resolved_at: null,
    })
    await comment({ thread: first.id, text: 'Reply' }, ada)
    expect((await undo(created)).body.code).toBe('stale')
    const [, reply] = await list()
    await service.delete(`/v1/comments/${first.id}`)
    const deletion = await last()
    expect((await undo(deletion)).status).toBe(200)
    const back = await list()
    expect(back.map(({ id, text, author }: typeof first) => [id, text, author.name])).toEqual([
      [first.id, 'Before @Ada', 'owner'],
      [reply.id, 'Reply', 'Ada'],
    ])
    expect((await undo(await last())).status).toBe(200)
    expect(await list()).toEqual([])
  })

  test('takes back changes from before a deletion and restoration of the note or row', async () => {
    for (const path of [`/v1/notes/${note}`, `/v1/records/${row}`]) {
      const made = await comment({
        [path.includes('notes') ? 'note_id' : 'record_id']: path.slice(-36),
        text: 'Old',
      })
      const done: string[] = []
      for (const write of [
        () => service.patch(`/v1/comments/${made.id}`, { text: 'New' }),
        () => service.delete(path),
        () => service.post(`${path}/restore`),
      ]) {
        expect((await write()).status).toBe(200)
        done.push(await last())
      }
      for (const transaction of done.toReversed()) expect((await undo(transaction)).status).toBe(200)
      expect((await service.get(`/v1/comments/${made.id}`)).body.comment.text).toBe('Old')
    }
  })

  test('of the deletion of a note or row brings its comments back, and undone again takes them away', async () => {
    const paths = [
      [`/v1/notes/${note}`, `note_id=${note}`],
      [`/v1/records/${row}`, `record_id=${row}`],
    ] as const
    await comment({ note_id: note, text: 'Keep' })
    await comment({ record_id: row, text: 'Keep' })
    for (const [path, query] of paths) {
      await service.delete(path)
      expect((await undo(await last())).status).toBe(200)
      expect(await texts(query)).toEqual(['Keep'])
      expect((await undo(await last())).status).toBe(200)
      expect((await service.get(`/v1/comments?${query}`)).status).toBe(404)
    }
  })
})

describe('an inbox', () => {
  const inbox = async (client: Client, query = '') => (await client.get(`/v1/inbox${query}`)).body

  test('holds mentions and replies to threads in which the user takes part, until they are read', async () => {
    const first = await comment({ note_id: note, text: 'Hello @Ada and @owner' })
    const reply = await comment({ thread: first.id, text: 'Yes?' }, ada)
    await comment({ record_id: row, text: 'Nobody' })
    expect(await inbox(ada)).toEqual({
      items: [{ comment: first, reason: 'mention', title: 'Plan', read_at: null }],
      ...{ unread: 1, total: 1, has_more: false },
    })
    expect(await inbox(service)).toMatchObject({
      items: [{ comment: { id: reply.id }, reason: 'reply' }],
      unread: 1,
    })
    const onRow = await comment({ record_id: row, text: '@owner look' }, ada)
    expect((await inbox(service, '?limit=1')).items[0]).toMatchObject({
      comment: { id: onRow.id },
      title: 'Saw',
    })
    expect((await service.post('/v1/inbox/read', { ids: [reply.id, first.id] })).body).toEqual({ unread: 1 })
    expect((await inbox(service, '?unread=true')).items).toHaveLength(1)
    expect((await inbox(service, '?unread=false')).items).toHaveLength(1)
    expect((await service.post('/v1/inbox/read', {})).body).toEqual({ unread: 0 })
    expect(await inbox(ada)).toMatchObject({ unread: 1 })
  })

  test('lacks earlier replies of a thread, also after they are edited', async () => {
    const cleo = service.as(await service.newKey({ user: 'Cleo' }))
    const first = await comment({ note_id: note, text: 'Hello' })
    const reply = await comment({ thread: first.id, text: 'Yess' }, ada)
    await comment({ thread: first.id, text: 'Later' }, cleo)
    await ada.patch(`/v1/comments/${reply.id}`, { text: 'Yes' })
    expect(await inbox(cleo)).toMatchObject({ unread: 0, total: 0 })
    await ada.patch(`/v1/comments/${reply.id}`, { text: 'Yes, @Cleo' })
    expect(await inbox(cleo)).toMatchObject({ items: [{ reason: 'mention' }], total: 1 })
  })

  test('of a viewer is marked by the viewer; an edited comment is listed once', async () => {
    const vera = service.as(await service.newKey({ user: 'Vera', role: 'viewer', scope: 'read' }))
    const { id } = await comment({ note_id: note, text: 'Hello' })
    await service.patch(`/v1/comments/${id}`, { text: 'Hello @Vera' })
    await service.patch(`/v1/comments/${id}`, { text: 'Hello, @Vera' })
    expect(await inbox(vera)).toMatchObject({ unread: 1, total: 1 })
    expect((await vera.post('/v1/inbox/read', { ids: [id] })).body).toEqual({ unread: 0 })
    await service.delete(`/v1/notes/${note}`)
    expect(await inbox(vera)).toMatchObject({ unread: 0, total: 0 })
  })
})
