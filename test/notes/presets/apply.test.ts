import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeNote, type NoteAnswer, revisionsOf, tagNamed, titlesFound } from '../../support/notes.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
let note: NoteAnswer
beforeEach(async () => {
  service = await startService()
  await service.post('/v1/properties', { key: 'status', type: 'select', options: ['open', 'done', 'old'] })
  await service.post('/v1/properties', { key: 'due', type: 'date' })
  await service.post('/v1/properties', { key: 'cost', type: 'number' })
  await service.post('/v1/properties', { key: 'paid', type: 'bool' })
  await save('Task', {
    tags: ['work'],
    properties: [{ key: 'status', value: 'open' }],
    ask: [{ key: 'due' }, { key: 'cost', value: 5 }, { key: 'paid', value: false }],
  })
  note = await makeNote(service, { title: 'Plan' })
  service.clock.advance(1_000)
})
afterEach(() => service.close())

const LATER = '2026-11-21T09:30:01.000Z'

const save = (name: string, more: object) => service.post('/v1/presets', { name, ...more })
const apply = (input: object = {}) => service.post('/v1/presets/task/apply', { note_id: note.id, ...input })
const hold = (values: object) => service.patch(`/v1/notes/${note.id}/properties`, values)
const held = async () => [
  (await service.get(`/v1/notes/${note.id}`)).body,
  (await service.get(`/v1/notes/${note.id}/properties`)).body,
]

async function expectRefused(input: object, status: number, code: string, words: string) {
  const before = await held()
  const answer = await apply(input)
  expect([answer.status, answer.body]).toEqual([status, { error: expect.stringContaining(words), code }])
  expect(await held()).toEqual(before)
}

describe('applying a preset', () => {
  test('adds tags and values to a note and reports them', async () => {
    const { status, body } = await apply()
    expect([status, body]).toEqual([
      200,
      {
        note: { ...note, tags: ['work'], updated_at: LATER },
        properties: { status: 'open', cost: 5, paid: false },
        tags_added: ['work'],
        properties_set: ['status', 'cost', 'paid'],
        properties_kept: [],
        properties_unanswered: ['due'],
      },
    ])
    expect(await revisionsOf(service, note.id)).toEqual([])
    expect((await tagNamed(service, 'work')).note_count).toBe(1)
    expect(await titlesFound(service, 'work')).toEqual(['Plan'])
  })

  test('puts on tags that a search finds, also when the note was searched before', async () => {
    expect(await titlesFound(service, 'work')).toEqual([])
    await apply()
    expect(await titlesFound(service, 'work')).toEqual(['Plan'])
  })

  test('a second time changes nothing, not even updated_at', async () => {
    const { body: first } = await apply()
    service.clock.advance(1_000)
    const again = {
      ...first,
      tags_added: [],
      properties_set: [],
      properties_kept: ['status', 'cost', 'paid'],
    }
    expect((await apply()).body).toEqual(again)
    const overwritten = { ...again, properties_set: ['status', 'cost', 'paid'], properties_kept: [] }
    expect((await apply({ overwrite: true })).body).toEqual(overwritten)
  })

  test('prefers an answer to the pre-filled one; an empty answer counts as none', async () => {
    const { body } = await apply({ answers: { DUE: '2026-12-01', cost: 0, paid: null } })
    expect(body).toMatchObject({
      properties: { status: 'open', due: '2026-12-01', cost: 0, paid: false },
      properties_set: ['status', 'due', 'cost', 'paid'],
      properties_unanswered: [],
    })
    const other = await makeNote(service)
    const empty = { due: '', cost: '' }
    const answer = await service.post('/v1/presets/task/apply', { note_id: other.id, answers: empty })
    expect(answer.body).toMatchObject({ properties: { cost: 5 }, properties_unanswered: ['due'] })
  })

  test('keeps existing values of the note, unless overwrite is set', async () => {
    const before = { status: 'done', due: '2026-01-01', cost: 1 }
    await hold(before)
    const { body } = await apply({ answers: { cost: 7 } })
    expect(body).toMatchObject({
      properties: { ...before, paid: false },
      properties_set: ['paid'],
      properties_kept: ['status', 'cost'],
      properties_unanswered: ['due'],
    })
    const { body: second } = await apply({ answers: { cost: 7 }, overwrite: true })
    expect(second).toMatchObject({
      properties: { status: 'open', due: '2026-01-01', cost: 7, paid: false },
      properties_set: ['status', 'cost', 'paid'],
      properties_kept: [],
      properties_unanswered: ['due'],
    })
  })

  test('never writes an empty value', async () => {
    await save('Empty', { properties: [{ key: 'due', value: null }], ask: [{ key: 'status', value: '' }] })
    await hold({ due: '2026-01-01' })
    const { body } = await service.post('/v1/presets/empty/apply', { note_id: note.id, overwrite: true })
    expect(body).toMatchObject({
      properties: { due: '2026-01-01' },
      properties_set: [],
      properties_kept: [],
      properties_unanswered: ['status'],
    })
  })

  test('brings linked tags along', async () => {
    await service.post(`/v1/notes/${note.id}/tags`, { tags: ['near', 'Far'] })
    const idOf = async (name: string): Promise<number> => (await tagNamed(service, name)).id
    const [work, near, far] = [await idOf('work'), await idOf('near'), await idOf('Far')]
    for (const name of ['near', 'Far']) await service.delete(`/v1/notes/${note.id}/tags/${name}`)
    await service.put(`/v1/tags/${work}/links`, { linked_tag_ids: [near] })
    await service.put(`/v1/tags/${near}/links`, { linked_tag_ids: [far, work] })
    const { body } = await apply()
    expect([body.note.tags, body.tags_added]).toEqual([
      ['Far', 'near', 'work'],
      ['Far', 'near', 'work'],
    ])
  })

  test('refuses an answer without a question, or an invalid one, and writes nothing', async () => {
    const refusals: [object, string][] = [
      [{ status: 'open' }, '"answers" names "status"'],
      [{ nothing: 1 }, '"answers" names "nothing"'],
      [{ due: 'tomorrow' }, '"due" must be an existing day'],
      [{ due: '2026-12-01', DUE: '' }, '"due" twice'],
      [{ cost: 7, paid: 'no' }, '"paid" must be true or false'],
    ]
    for (const [answers, words] of refusals) await expectRefused({ answers }, 400, 'refused', words)
    await hold({ cost: 1 })
    await expectRefused({ answers: { cost: 'much' } }, 400, 'refused', '"cost" must be a finite number')
    await expectRefused({ answers: [] }, 400, 'invalid_request', '"answers"')
    await expectRefused({ answer: {} }, 400, 'invalid_request', '"answer"')
    expect((await tagNamed(service, 'work')).note_count).toBe(0)
  })

  test('refuses a value of the preset that narrowed options leave out, only where it would be written', async () => {
    await save('Old', { tags: ['x'], properties: [{ key: 'status', value: 'old' }] })
    await save('Asks old', { ask: [{ key: 'status', value: 'old' }] })
    await service.patch('/v1/properties/status', { options: ['open', 'done'] })
    for (const name of ['old', 'asks%20old']) {
      const before = await held()
      const { status, body } = await service.post(`/v1/presets/${name}/apply`, { note_id: note.id })
      expect([status, body.code]).toEqual([400, 'refused'])
      expect(body.error).toStartWith('The property "status" must be one of "open" and "done". The preset "')
      expect(await held()).toEqual(before)
    }
    const answers = { status: 'done' }
    const answered = await service.post('/v1/presets/asks%20old/apply', { note_id: note.id, answers })
    expect(answered.body.properties).toEqual({ status: 'done' })
    const kept = await service.post('/v1/presets/old/apply', { note_id: note.id })
    expect(kept.body.properties_kept).toEqual(['status'])
    const renamed = await service.patch('/v1/presets/old', { name: 'Older', ask: [{ key: 'due' }] })
    expect(renamed.body.preset.properties).toEqual([{ key: 'status', value: 'old' }])
  })

  test('is 404 for a note that is unknown, trashed or of another workspace', async () => {
    const trashed = await makeNote(service)
    await service.delete(`/v1/notes/${trashed.id}`)
    const other = service.as(await service.newWorkspace('Other'))
    const { body: theirs } = await other.post('/v1/notes', { title: 'A note' })
    for (const note_id of [trashed.id, theirs.note.id, '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60', 'x']) {
      await expectRefused({ note_id, answers: { nothing: 1 } }, 404, 'not_found', 'note')
    }
    expect((await other.get(`/v1/notes/${theirs.note.id}`)).body.note.tags).toEqual([])
  })
})
