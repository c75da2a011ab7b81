import { afterAll, beforeAll, expect, test } from 'bun:test'
import { faultsIn } from '../support/check.ts'
import { makeNote, readNote, titlesFound } from '../support/notes.ts'
import { indexAll } from '../support/search-tables.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const patch = (id: string, body: object) => service.patch(`/v1/notes/${id}`, body)

test('are absent until given, then the whole list, also an empty one', async () => {
  const plain = await makeNote(service, { title: 'plain' })
  expect('aliases' in plain).toBe(false)
  const { body } = await patch(plain.id, { aliases: ['One', ' Two '] })
  expect(body.note.aliases).toEqual(['One', 'Two'])
  expect((await patch(plain.id, { aliases: ['Three'] })).body.note.aliases).toEqual(['Three'])
  expect((await patch(plain.id, { title: 'renamed' })).body.note.aliases).toEqual(['Three'])
  expect((await patch(plain.id, { aliases: [] })).body.note.aliases).toEqual([])
  expect((await readNote(service, plain.id)).aliases).toEqual([])
  expect((await makeNote(service, { title: 'new', aliases: ['Four'] })).aliases).toEqual(['Four'])
})

test('are refused if null, too many, twice, or taken, and then nothing changes', async () => {
  const other = await makeNote(service, { title: 'other', alias: 'Taken', aliases: ['Taken too'] })
  const note = await makeNote(service, { title: 'note', alias: 'Own', aliases: ['Mine'] })
  const many = Array.from({ length: 21 }, (_, at) => `alias ${at}`)
  for (const aliases of [null, many, [''], ['a\nb'], ['x'.repeat(201)], [7], 'a'])
    expect((await patch(note.id, { aliases })).body.code).toBe('invalid_request')
  for (const body of [{ aliases: ['a', 'A'] }, { aliases: ['own'] }, { alias: 'MINE' }]) {
    const { status } = await patch(note.id, body)
    expect(status).toBe(400)
  }
  for (const body of [{ aliases: ['taken'] }, { aliases: ['taken TOO'] }, { alias: 'taken too' }])
    expect((await patch(note.id, body)).body.code).toBe('name_taken')
  expect(await readNote(service, note.id)).toEqual(note)
  await service.delete(`/v1/notes/${other.id}`)
  expect((await patch(note.id, { aliases: ['Taken too'] })).status).toBe(200)
  await service.post(`/v1/notes/${other.id}/restore`)
  expect((await readNote(service, other.id)).aliases).toEqual([])
})

test('lead links and backlinks to the note, and are found by searches, as the alias is', async () => {
  const note = await makeNote(service, { title: 'Saturn', aliases: ['Ringed giant', 'Kronos'] })
  const from = await makeNote(service, { title: 'from', content: '[[kronos]] and [[Ringed giant|it]]' })
  const { body } = await service.get(`/v1/notes/${from.id}/links`)
  expect(body.outgoing.map((link: { note: { id: string } }) => link.note.id)).toEqual([note.id, note.id])
  const back = await service.get(`/v1/notes/${note.id}/links`)
  expect(back.body.backlinks.map(({ id }: { id: string }) => id)).toEqual([from.id])
  expect(await titlesFound(service, 'ringed')).toContain('Saturn')
  await patch(note.id, { alias: 'Sixth' })
  const found = await service.get('/v1/notes?search=sixth')
  expect(found.body.notes).toMatchObject([{ title: 'Saturn', snippet: '<mark>Sixth</mark>' }])
  for (const phrase of ['"saturn sixth"', '"sixth ringed"', '"giant kronos"'])
    expect(await titlesFound(service, phrase)).toEqual([])
  expect(await titlesFound(service, '"ringed giant" saturn sixth -pluto')).toEqual(['Saturn'])
  await patch(note.id, { aliases: ['Ringed giant'] })
  expect(await titlesFound(service, 'kronos')).toEqual(['from'])
  const after = await service.get(`/v1/notes/${from.id}/links`)
  expect(after.body.outgoing.map((link: { note: unknown }) => link.note === null)).toEqual([true, false])
})

test('come back by undo, and are absent again where they were', async () => {
  const note = await makeNote(service, { title: 'undone' })
  const write = async (aliases: string[]) => {
    await patch(note.id, { aliases })
    return (await service.get('/v1/changes/transactions?limit=1')).body.transactions[0].transaction
  }
  const first = await write(['Undone one'])
  const second = await write(['Undone two'])
  const undo = (transaction: string) => service.post('/v1/changes/undo', { transaction })
  expect((await undo(second)).status).toBe(200)
  expect((await readNote(service, note.id)).aliases).toEqual(['Undone one'])
  expect((await undo(first)).status).toBe(200)
  expect('aliases' in (await readNote(service, note.id))).toBe(false)
})

const lastTransaction = async () =>
  (await service.get('/v1/changes/transactions?limit=1')).body.transactions[0].transaction
const undo = async (transaction: string) => (await service.post('/v1/changes/undo', { transaction })).status

test('that a restore removed come back when it is undone, unless they are taken', async () => {
  const note = await makeNote(service, { title: 'Hidden', alias: 'h0', aliases: ['h1', 'h2'] })
  const { alias, aliases } = note
  await service.delete(`/v1/notes/${note.id}`)
  const taker = await makeNote(service, { title: 'Taker', alias: 'H1', aliases: ['h0'] })
  await service.post(`/v1/notes/${note.id}/restore`)
  const restoring = await lastTransaction()
  expect(await readNote(service, note.id)).toMatchObject({ alias: null, aliases: ['h2'] })
  expect(await undo(restoring)).toBe(200)
  const undoing = await lastTransaction()
  expect((await service.get(`/v1/notes/trash/${note.id}`)).body.note).toMatchObject({ alias, aliases })
  expect(await undo(undoing)).toBe(200)
  expect(await readNote(service, note.id)).toMatchObject({ alias: null, aliases: ['h2'] })
  await service.delete(`/v1/notes/${note.id}`)
  const deleting = await lastTransaction()
  await patch(taker.id, { aliases: ['h2'] })
  expect(await undo(deleting)).toBe(409)
  await patch(taker.id, { aliases: [] })
  expect(await undo(deleting)).toBe(200)
  expect((await readNote(service, note.id)).aliases).toEqual(['h2'])
})

test('that are removed leave links to the title, with `rewrite_links`; one that becomes the alias keeps them', async () => {
  const mars = await makeNote(service, { title: 'Mars', alias: 'Red', aliases: ['Ares', 'Planet 4'] })
  const content = '[[ares]] [[Ares#Poles|x]] [[Planet 4]] [[red]]'
  const from = await makeNote(service, { title: 'from Mars', content })
  const rename = async (body: object) => (await patch(mars.id, { ...body, rewrite_links: true })).body
  const textOf = async () => (await readNote(service, from.id)).content
  expect((await rename({ aliases: ['planet 4'] })).links_rewritten).toBe(2)
  expect(await textOf()).toBe('[[Mars]] [[Mars#Poles|x]] [[Planet 4]] [[red]]')
  const transaction = await lastTransaction()
  expect((await rename({ alias: 'Planet 4', aliases: [] })).links_rewritten).toBe(1)
  expect(await textOf()).toBe('[[Mars]] [[Mars#Poles|x]] [[Planet 4]] [[Planet 4]]')
  expect(await undo(await lastTransaction())).toBe(200)
  expect(await undo(transaction)).toBe(200)
  expect([await textOf(), (await readNote(service, mars.id)).aliases]).toEqual([
    content,
    ['Ares', 'Planet 4'],
  ])
})

test('are exchanged between notes in one call', async () => {
  const [one, two] = [
    await makeNote(service, { aliases: ['e1'] }),
    await makeNote(service, { aliases: ['e2'] }),
  ]
  const update = (id: string, aliases: string[]) => ({ kind: 'note', op: 'updated', id, data: { aliases } })
  const changes = [update(one.id, ['e2', 'e3']), update(two.id, ['e1'])]
  expect((await service.post('/v1/changes/apply', { changes })).status).toBe(200)
  expect((await readNote(service, one.id)).aliases).toEqual(['e2', 'e3'])
  expect(await undo(await lastTransaction())).toBe(200)
  expect((await readNote(service, two.id)).aliases).toEqual(['e2'])
  expect((await patch(one.id, { aliases: ['e3'] })).status).toBe(200)
})

test('agree with everything derived from them', async () => {
  await indexAll(service.ctx)
  expect(faultsIn(service)).toEqual([])
})
