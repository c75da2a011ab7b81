import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeNote, type NoteAnswer, revisionsOf } from '../../support/notes.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
  await service.post('/v1/properties', { key: 'status', type: 'select', options: ['open', 'done'] })
  await service.post('/v1/properties', { key: 'due', type: 'date' })
  await save('Daily', {
    tags: ['day'],
    properties: [{ key: 'status', value: 'open' }],
    ask: [{ key: 'due' }],
    content: '# {{title}}\n{{date}} {{time}} {{ date }} {{other}}',
  })
})
afterEach(() => service.close())

const save = (name: string, more: object) => service.post('/v1/presets', { name, ...more })
const create = async (input: object) => (await service.post('/v1/notes', { title: 'Monday', ...input })).body

describe('the text of a preset', () => {
  test('is returned where there is one, is changed and cleared, and the log names it without the old text', async () => {
    const { preset: plain } = (await save('Plain', { tags: ['x'] })).body
    expect('content' in plain).toBe(false)
    const { body } = await service.patch('/v1/presets/plain', { content: 'text' })
    expect(body.preset.content).toBe('text')
    expect((await service.patch('/v1/presets/plain', { tags: [] })).body.preset.content).toBe('text')
    const { preset: cleared } = (await service.patch('/v1/presets/plain', { content: null })).body
    expect(cleared.content ?? null).toBeNull()
    const { changes } = (await service.get('/v1/changes?kinds=preset&before=now&limit=1')).body
    expect([changes[0].changed, changes[0].previous]).toEqual([['content'], {}])
    expect((await save('Long', { content: 'x'.repeat(1_000_001) })).status).toBe(400)
    expect((await save('As long as it may be', { content: 'x'.repeat(1_000_000) })).status).toBe(201)
  })

  test('is that of a new note, with its holes filled in, once', async () => {
    const { note, properties } = await create({ title: '{{date}}', preset: 'daily' })
    expect(note.content).toBe('# {{date}}\n2026-11-21 09:30 {{ date }} {{other}}')
    expect([note.tags, properties]).toEqual([['day'], { status: 'open' }])
    expect(await revisionsOf(service, note.id)).toEqual([])
    const { changes } = (await service.get('/v1/changes?kinds=note')).body
    expect(changes.map(({ op }: { op: string }) => op)).toEqual(['created'])
  })

  test('has the day and the hour of the time zone of the caller', async () => {
    const { note } = await create({ preset: 'Daily', tz: 'Pacific/Auckland' })
    expect(note.content).toContain('2026-11-21 22:30')
    const { note: earlier } = await create({ preset: 'Daily', tz: 'Pacific/Kiritimati' })
    expect(earlier.content).toContain('2026-11-21 23:30')
    const refused = await service.post('/v1/notes', { title: 'x', preset: 'Daily', tz: 'Mars/Olympus' })
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request'])
  })

  test('is replaced by a sent text; tags and values are added, and sent values win', async () => {
    const { note, properties, properties_error } = await create({
      preset: 'Daily',
      content: '',
      tags: ['mine'],
      properties: { status: 'done' },
      answers: { due: '2026-12-01' },
    })
    expect([note.content, note.tags, properties, properties_error]).toEqual([
      '',
      ['day', 'mine'],
      { status: 'done', due: '2026-12-01' },
      null,
    ])
    const wrong = await create({ preset: 'Daily', properties: { status: 'lost' } })
    expect([wrong.properties, wrong.properties_error.code]).toEqual([{ status: 'open' }, 'refused'])
  })

  test.each([
    ['an unknown preset', { preset: 'None' }, 404],
    ['answers without a preset', { answers: {} }, 400],
    ['an answer that is not asked for', { preset: 'Daily', answers: { status: 'done' } }, 400],
    ['an answer that does not fit', { preset: 'Daily', answers: { due: 'soon' } }, 400],
  ])('is refused with %s, and nothing is created', async (_, input, status) => {
    const answer = await service.post('/v1/notes', { title: 'x', tags: ['new'], ...input })
    expect(answer.status).toBe(status)
    expect((await service.get('/v1/workspace')).body.workspace.counts).toMatchObject({ notes: 0, tags: 1 })
  })

  test('is appended where the preset is applied, as one change', async () => {
    const note: NoteAnswer = await makeNote(service, { title: 'Plan', content: 'first' })
    service.clock.advance(1_000)
    const { body } = await service.post('/v1/presets/daily/apply', { note_id: note.id, tz: 'Asia/Tokyo' })
    expect(body.note.content).toBe('first\n\n# Plan\n2026-11-21 18:30 {{ date }} {{other}}')
    expect((await revisionsOf(service, note.id)).map(({ content }) => content)).toEqual(['first'])
    const { changes } = (await service.get('/v1/changes?kinds=note&before=now&limit=1')).body
    expect(changes[0].changed.sort()).toEqual(['content', 'properties', 'tags'])
    expect((await service.get('/v1/notes?search=18')).body.total).toBe(1)
    const full = await makeNote(service, { title: 'Full', content: 'x'.repeat(1_000_000) })
    const refused = await service.post('/v1/presets/daily/apply', { note_id: full.id })
    expect([refused.status, refused.body.code]).toEqual([400, 'refused'])
    expect((await service.get(`/v1/notes/${full.id}`)).body.note).toEqual(full)
  })
})
