import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { expireChanges, runJobs } from '../../support/jobs.ts'
import { faultsOf, mirrorOf, type TestMirror } from '../../support/mirror.ts'
import { makeNote, readNote, tagNamed, titlesFound } from '../../support/notes.ts'
import { declare, list, write } from '../../support/records.ts'
import { type Client, startService, type TestService } from '../../support/service.ts'
import { deleteStructure } from '../../support/structures.ts'

let service: TestService
let mirror: TestMirror
let ada: { id: string; updated_at: string }
let note: { id: string }

beforeEach(async () => {
  service = await startService()
  const fields = [
    { key: 'name', type: 'text', unique: true },
    { key: 'age', type: 'number' },
  ]
  await declare(service, 'People', fields, { label_field: 'name' })
  await service.post('/v1/properties', { key: 'due', label: 'Due', type: 'date' })
  ;[ada] = await write(service, 'People', { name: 'Ada', age: 36 })
  note = await makeNote(service, {
    title: 'Tea',
    content: 'Green',
    tags: ['work'],
    alias: 't',
    aliases: ['tee'],
  })
  await service.post('/v1/quick-access', { note_id: (await makeNote(service, { title: 'First' })).id })
  await service.post('/v1/quick-access', { note_id: note.id })
  await service.post('/v1/quick-access', { note_id: (await makeNote(service, { title: 'Last' })).id })
  mirror = await mirrorOf(service, { isWritable: true })
})
afterEach(async () => {
  expect(faultsOf(mirror)).toEqual([])
  await mirror.close()
  service.close()
})

const diff = () => mirror.localChanges().map(({ isLost, ...change }) => change)
const brief = () => diff().map(({ kind, op, label, conflict }) => [kind, op, label, conflict !== null])
const people = async (of: Client) =>
  (await list(of as TestService, 'People', { sort: 'name', direction: 'asc' })).body.records.map(
    ({ data }: { data: object }) => data,
  )
const later = () => service.clock.advance(1_000)

/** Returns every object of a workspace as in its snapshot. */
async function objectsOf(client: Client): Promise<string[]> {
  const { body } = await client.get('/v1/changes/snapshot')
  return (body as string).trimEnd().split('\n').slice(1).sort()
}

async function expectEqual(): Promise<void> {
  expect(await objectsOf(mirror)).toEqual(await objectsOf(service))
  expect(await mirror.differing()).toEqual([])
}

/** Makes a change of every kind. */
async function changeHere(): Promise<{ grace: string; plan: string }> {
  later()
  const plan = await makeNote(mirror, {
    title: 'Plan',
    tags: ['new', 'work'],
    properties: { due: '2026-12-01' },
  })
  const [grace] = await write(mirror as never, 'People', { name: 'Grace' })
  await mirror.patch(`/v1/records/${ada.id}`, { data: { age: 37 } })
  await mirror.patch(`/v1/notes/${note.id}`, { content: 'Black', tags: ['new'] })
  await mirror.patch(`/v1/notes/${note.id}/properties`, { due: '2026-12-24' })
  return { grace: grace.id, plan: plan.id }
}

test('local changes are read, found and counted in the copy only', async () => {
  const before = await objectsOf(service)
  const { grace, plan } = await changeHere()
  expect(await people(mirror)).toEqual([{ name: 'Ada', age: 37 }, { name: 'Grace' }])
  expect(await titlesFound(mirror, 'Black')).toEqual(['Tea'])
  expect(await tagNamed(mirror, 'new')).toMatchObject({ note_count: 2 })
  expect(await objectsOf(service)).toEqual(before)
  expect(diff().map(({ before: _, after: __, ...change }) => change)).toEqual([
    { kind: 'note', op: 'created', id: plan, structure_id: null, label: 'Plan', changed: [], conflict: null },
    {
      ...{ kind: 'record', op: 'created', id: grace, structure_id: expect.any(String), label: 'Grace' },
      ...{ changed: [], conflict: null },
    },
    {
      ...{ kind: 'record', op: 'updated', id: ada.id, structure_id: expect.any(String), label: 'Ada' },
      ...{ changed: ['age'], conflict: null },
    },
    {
      ...{ kind: 'note', op: 'updated', id: note.id, structure_id: null, label: 'Tea' },
      ...{ changed: ['content', 'tags', 'properties'], conflict: null },
    },
  ])
  expect(await mirror.differing()).toEqual([])
})

test('the copy keeps following beneath local changes, and a push makes both sides equal', async () => {
  await changeHere()
  later()
  await write(service, 'People', { name: 'Eve' })
  await makeNote(service, { title: 'Other', tags: ['new', 'more'] })
  await mirror.catchUp()
  expect(await people(mirror)).toEqual([{ name: 'Ada', age: 37 }, { name: 'Eve' }, { name: 'Grace' }])
  expect(await readNote(mirror, note.id)).toMatchObject({ content: 'Black', tags: ['new', 'work'] })
  expect(brief().length).toBe(4)
  expect(await mirror.differing()).toEqual([])
  const end = await objectsOf(service)
  expect((await mirror.push(true)).length).toBe(4)
  expect(await objectsOf(service)).toEqual(end)
  await mirror.push()
  await mirror.push()
  await mirror.catchUp()
  expect(diff()).toEqual([])
  await expectEqual()
  const { transactions } = (await service.get('/v1/changes/transactions?limit=1')).body
  expect(transactions[0].counts).toContainEqual(
    expect.objectContaining({ kind: 'record', op: 'created', n: 1 }),
  )
})

test('the values of formulas are computed on both sides and never pushed', async () => {
  const fields = [
    { key: 'name', type: 'text', unique: true },
    { key: 'age', type: 'number' },
    { key: 'next', type: 'formula', expression: '{age} + 1' },
  ]
  await service.patch('/v1/records/structures/People', { fields })
  await runJobs(service.ctx)
  const [bob] = await write(service, 'People', { name: 'Bob', age: 1 })
  await mirror.catchUp()
  await runJobs(mirror.ctx)
  await expectEqual()
  later()
  await mirror.patch(`/v1/records/${ada.id}`, { data: { age: 40 } })
  await mirror.patch(`/v1/records/${bob.id}`, { data: { age: 2 } })
  await write(mirror as never, 'People', { name: 'Eve', age: 5 })
  await service.delete(`/v1/records/${bob.id}`)
  await mirror.catchUp()
  await mirror.push(false, [bob.id])
  await mirror.catchUp()
  expect(await people(service)).toEqual([
    { name: 'Ada', age: 40, next: 41 },
    { name: 'Bob', age: 2, next: 3 },
    { name: 'Eve', age: 5, next: 6 },
  ])
  expect(diff()).toEqual([])
  await expectEqual()
})

test('reset restores the remote state of one object or of all', async () => {
  const { grace } = await changeHere()
  later()
  await service.patch(`/v1/records/${ada.id}`, { data: { age: 40 } })
  await mirror.catchUp()
  expect(brief()).toContainEqual(['record', 'updated', 'Ada', true])
  await mirror.reset(ada.id)
  expect(await people(mirror)).toEqual([{ name: 'Ada', age: 40 }, { name: 'Grace' }])
  await mirror.reset(grace)
  expect(await people(mirror)).toEqual([{ name: 'Ada', age: 40 }])
  await mirror.reset()
  expect(diff()).toEqual([])
  await expectEqual()
})

test('an object deleted after a push without a response is refused by the next push, and removed by a reset', async () => {
  await mirror.close()
  let isCut = true
  mirror = await mirrorOf(service, {
    isWritable: true,
    between: async ({ url }, answer) => {
      const response = await answer()
      const isLost = isCut && new URL(url).pathname === '/v1/changes/apply'
      return isLost ? new Response(null, { status: 502 }) : response
    },
  })
  const mine = await makeNote(mirror as never, { title: 'Mine' })
  expect(mirror.push()).rejects.toThrow()
  isCut = false
  await service.delete(`/v1/notes/${mine.id}`)
  await mirror.catchUp()
  expect(brief()).toEqual([['note', 'created', 'Mine', false]])
  expect(String(await mirror.push().catch((error) => error))).toContain(mine.id)
  await mirror.reset(mine.id)
  expect(diff()).toEqual([])
  await expectEqual()
})

describe('changes of pushed objects on the remote are no conflicts, if the copy receives both', () => {
  const ways: [string, () => Promise<unknown>][] = [
    ['as changes', async () => {}],
    ['in a whole copy', () => expireChanges(service.ctx)],
  ]
  test.each(ways)('%s', async (_name, prepare) => {
    later()
    const edited = await makeNote(mirror as never, { title: 'Edited', tags: ['new'] })
    const deleted = await makeNote(mirror as never, { title: 'Deleted' })
    const [grace] = await write(mirror as never, 'People', { name: 'Grace' })
    await mirror.patch(`/v1/records/${ada.id}`, { data: { age: 37 } })
    await mirror.patch(`/v1/notes/${note.id}`, { content: 'Black' })
    await mirror.push()
    expect(diff()).toEqual([])
    later()
    await service.patch(`/v1/notes/${edited.id}`, { content: 'Theirs' })
    await service.delete(`/v1/notes/${deleted.id}`)
    await service.delete(`/v1/records/${grace.id}`)
    await service.patch(`/v1/records/${ada.id}`, { data: { age: 40 } })
    await service.delete(`/v1/notes/${note.id}`)
    await prepare()
    await mirror.catchUp()
    expect(diff()).toEqual([])
    await expectEqual()
  })

  test('unless they were changed here again', async () => {
    later()
    await mirror.patch(`/v1/records/${ada.id}`, { data: { age: 37 } })
    await mirror.push()
    later()
    await mirror.patch(`/v1/records/${ada.id}`, { data: { age: 38 } })
    expect(brief()).toEqual([['record', 'updated', 'Ada', false]])
    await service.patch(`/v1/records/${ada.id}`, { data: { age: 40 } })
    await mirror.catchUp()
    expect(brief()).toEqual([['record', 'updated', 'Ada', true]])
    await mirror.patch(`/v1/records/${ada.id}`, { data: { age: 37 } })
    await mirror.catchUp()
    expect(diff()).toEqual([])
    await expectEqual()
  })
})

test('the next push completes one whose response was lost, even after older changes arrived', async () => {
  await mirror.close()
  let isCut = false
  let isLate = false
  mirror = await mirrorOf(service, {
    isWritable: true,
    between: async ({ url }, answer) => {
      const response = await answer()
      const { pathname } = new URL(url)
      if (isCut && pathname === '/v1/changes/apply') return new Response(null, { status: 502 })
      return isLate && pathname === '/v1/changes' ? Response.json(beforePush) : response
    },
  })
  const start = (await service.get('/v1/changes?after=now')).body.cursor
  await write(service, 'People', { name: 'Eve' })
  await write(mirror as never, 'People', { name: 'Grace' })
  const beforePush = (await service.get(`/v1/changes?after=${start}&include=objects&edited=true`)).body
  isCut = true
  isLate = true
  expect(mirror.push()).rejects.toThrow()
  await mirror.catchUp()
  expect(await people(mirror)).toEqual([{ name: 'Ada', age: 36 }, { name: 'Eve' }, { name: 'Grace' }])
  expect(brief()).toEqual([['record', 'created', 'Grace', false]])
  isCut = false
  await mirror.patch(`/v1/records/${ada.id}`, { data: { age: 37 } })
  isLate = false
  await mirror.push()
  isLate = true
  await mirror.catchUp()
  expect(await people(mirror)).toEqual([{ name: 'Ada', age: 37 }, { name: 'Eve' }, { name: 'Grace' }])
  isLate = false
  await mirror.catchUp()
  expect(diff()).toEqual([])
  await expectEqual()
})

test('a push deletes on the remote, and a reset restores the note with its place in Quick Access', async () => {
  await mirror.delete(`/v1/notes/${note.id}`)
  await mirror.delete(`/v1/records/${ada.id}`)
  later()
  const third = await makeNote(service, { title: 'Third' })
  await service.post('/v1/quick-access', { note_id: third.id, position: 0 })
  await mirror.catchUp()
  expect((await mirror.get(`/v1/notes/${note.id}`)).status).toBe(404)
  expect((await mirror.get('/v1/notes/trash')).body.notes).toMatchObject([{ id: note.id }])
  const titles = async (of: Client) =>
    (await of.get('/v1/quick-access')).body.items.map(({ title }: { title: string }) => title)
  expect(await titles(mirror)).toEqual(['Third', 'First', 'Last'])
  expect(brief()).toEqual([
    ['note', 'deleted', 'Tea', false],
    ['record', 'deleted', 'Ada', false],
  ])
  expect(await mirror.differing()).toEqual([])
  await mirror.reset(note.id)
  expect(await titles(mirror)).toEqual(['Third', 'First', 'Tea', 'Last'])
  await mirror.delete(`/v1/notes/${note.id}`)
  await mirror.push()
  await mirror.catchUp()
  expect(diff()).toEqual([])
  await expectEqual()
})

test('a change that is undone by hand is none', async () => {
  await mirror.patch(`/v1/records/${ada.id}`, { data: { age: 1 } })
  await mirror.patch(`/v1/records/${ada.id}`, { data: { age: 36 } })
  await mirror.delete(`/v1/notes/${note.id}`)
  await mirror.post(`/v1/notes/${note.id}/restore`)
  const made = await makeNote(mirror)
  await mirror.delete(`/v1/notes/${made.id}`)
  expect(diff()).toEqual([])
  expect(await mirror.push()).toEqual([])
})

test('a change reverted by hand takes the current remote state', async () => {
  later()
  await mirror.patch(`/v1/records/${ada.id}`, { data: { age: 1 } })
  await service.patch(`/v1/records/${ada.id}`, { data: { age: 40 } })
  await mirror.catchUp()
  await mirror.patch(`/v1/records/${ada.id}`, { data: { age: 36 } })
  expect(diff()).toEqual([])
  await mirror.catchUp()
  await expectEqual()
})

test('a field or property that is named as a time of the object is a change as any other', async () => {
  await declare(service, 'Named', [{ key: 'edited_at', type: 'text' }])
  const [row] = await write(service, 'Named', { edited_at: 'MONDAY' })
  await mirror.catchUp()
  later()
  expect((await mirror.patch(`/v1/records/${row.id}`, { data: { edited_at: 'TUESDAY' } })).status).toBe(200)
  expect(diff().map(({ id, op }) => [id, op])).toEqual([[row.id, 'updated']])
})

describe('a conflict is named, and neither side overwrites the other:', () => {
  const cases: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    [
      'a row that both changed',
      () => mirror.patch(`/v1/records/${ada.id}`, { data: { age: 1 } }),
      () => service.patch(`/v1/records/${ada.id}`, { data: { name: 'Ida' } }),
    ],
    [
      'a row that the remote deleted',
      () => mirror.patch(`/v1/records/${ada.id}`, { data: { age: 1 } }),
      () => service.delete(`/v1/records/${ada.id}`),
    ],
    [
      'a row that the remote changed and this side deleted',
      () => mirror.delete(`/v1/records/${ada.id}`),
      () => service.patch(`/v1/records/${ada.id}`, { data: { age: 2 } }),
    ],
    [
      'a note that the remote deleted',
      () => mirror.patch(`/v1/notes/${note.id}`, { title: 'Coffee' }),
      () => service.delete(`/v1/notes/${note.id}`),
    ],
    [
      'a unique value that the remote took',
      () => write(mirror as never, 'People', { name: 'Bea', age: 1 }),
      () => write(service, 'People', { name: 'Bea', age: 2 }),
    ],
    [
      'an alias that the remote took',
      () => makeNote(mirror, { aliases: ['w', 'x'] }),
      () => makeNote(service, { alias: 'X' }),
    ],
    [
      'a structure that the remote deleted',
      () => mirror.patch(`/v1/records/${ada.id}`, { data: { age: 1 } }),
      async () => {
        await deleteStructure(service, 'People')
      },
    ],
    [
      'a rule that the remote made',
      () => write(mirror as never, 'People', { name: 'Bea' }),
      async () => {
        await service.patch(`/v1/records/structures/People`, { max_rows: 1 })
      },
    ],
  ]
  test.each(cases)('%s', async (_name, here, there) => {
    later()
    await here()
    later()
    await there()
    const remote = await objectsOf(service)
    await mirror.catchUp()
    const [change] = diff()
    expect(change?.conflict).toBeString()
    expect(mirror.push()).rejects.toThrow(change?.id)
    expect(await objectsOf(service)).toEqual(remote)
    expect(await mirror.differing()).toEqual([])
    expect(diff()).toEqual([change] as never)
    await mirror.reset(change?.id)
    expect(diff()).toEqual([])
    await expectEqual()
  })

  const pushable = cases.filter(([name]) => name.startsWith('a row') || name.startsWith('a note'))
  test.each(pushable)('and is resolved in favour of the local state: %s', async (_name, here, there) => {
    later()
    await here()
    later()
    await there()
    await mirror.catchUp()
    const [change] = diff()
    const id = change?.id ?? ''
    await mirror.push(true, [id])
    expect(diff()).toEqual([change] as never)
    const path = `/v1/${change?.kind === 'note' ? 'notes' : 'records'}/${id}`
    const shown = async (client: Client) => {
      const { status, body } = await client.get(path)
      const { title, content, data } = body.note ?? body.record ?? {}
      return [status, title, content, data]
    }
    const mine = await shown(mirror)
    expect(await mirror.push(false, [id])).toMatchObject([{ id, conflict: null }])
    expect(await shown(service)).toEqual(mine)
    await mirror.catchUp()
    expect(diff()).toEqual([])
    await expectEqual()
  })

  test('and only locally changed objects can be kept', async () => {
    expect(mirror.push(false, [ada.id])).rejects.toThrow(`There are no local changes of ${ada.id}`)
  })

  test('even one that the copy has not received yet', async () => {
    later()
    await mirror.patch(`/v1/records/${ada.id}`, { data: { age: 1 } })
    await service.patch(`/v1/records/${ada.id}`, { data: { age: 2 } })
    expect(mirror.push()).rejects.toThrow(ada.id)
    expect(await people(service)).toEqual([{ name: 'Ada', age: 2 }])
  })
})

test('tags keep their identity when the remote renames one and reuses its name', async () => {
  await mirror.post(`/v1/notes/${note.id}/tags`, { tags: ['mine'] })
  later()
  const { id } = await tagNamed(service, 'work')
  await service.patch(`/v1/tags/${id}`, { name: 'job' })
  await makeNote(service, { tags: ['Mine'] })
  await mirror.catchUp()
  expect(await readNote(mirror, note.id)).toMatchObject({ tags: ['job', 'Mine'] })
  expect(brief()).toEqual([['note', 'updated', 'Tea', false]])
  await mirror.push()
  await mirror.catchUp()
  await expectEqual()
})

test('everything else is refused with mirror', async () => {
  const { id } = await tagNamed(mirror, 'work')
  const calls: [string, string, object?][] = [
    ['PATCH', `/v1/tags/${id}`, { name: 'x' }],
    ['DELETE', `/v1/tags/${id}`],
    ['POST', '/v1/records/structures', { name: 'New', fields: [] }],
    ['POST', '/v1/properties', { key: 'x', label: 'X', type: 'text' }],
    ['POST', '/v1/webhooks', { structure: 'People', url: 'https://example.com/x' }],
    ['POST', '/v1/quick-access', { note_id: note.id }],
    ['POST', '/v1/views', { name: 'x' }],
    ['PUT', '/v1/files', { file_name: 'x' }],
  ]
  const answers = []
  for (const [method, path, body] of calls) {
    const { status, body: answer } = await mirror.request(method, path, body)
    if (status !== 405) answers.push([path, status, answer.code])
  }
  expect(answers.filter(([, status, code]) => status !== 403 || code !== 'mirror')).toEqual([])
  expect(diff()).toEqual([])
})

test('the events of local changes are posted like those of the remote', async () => {
  const forwarding = await mirrorOf(service, { isWritable: true, isForwarding: true })
  await forwarding.patch(`/v1/records/${ada.id}`, { data: { age: 1 } })
  await service.post('/v1/records', { structure: 'People', data: { name: 'Eve' } })
  await forwarding.catchUp()
  expect(forwarding.events().map(({ type }) => type)).toEqual(['record.updated', 'record.created'])
  await forwarding.close()
})
