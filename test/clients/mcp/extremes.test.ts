import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Agent, connectAgent } from '../../support/agent.ts'
import { startService, type TestService } from '../../support/service.ts'

/* Extreme sizes within the limits of the API: responses stay short, name what they omit, and are fast. */

/**
 * A text without spaces, in the script with the most tokens per character. It is too long for a tokenizer, so
 * characters are counted.
 */
const MOST_CHARACTERS = 10_000
const RARE = 'ጀ'

let service: TestService
let agent: Agent
let note: string
let record: string
const KEYS = Array.from({ length: 100 }, (_, at) => `field_${at}_${'x'.repeat(50)}`)

beforeAll(async () => {
  service = await startService()
  agent = await connectAgent(service.app, service.key)
  await service.post('/v1/properties', { key: 'list', type: 'json' })
  await service.post('/v1/properties', { key: 'text', type: 'text' })
  note = (await service.post('/v1/notes', { title: 'needle', content: 'text' })).body.note.id
  for (let at = 0; at < 5; at++) {
    const tags = Array.from({ length: 100 }, (_, tag) => `${RARE.repeat(90)} ${at * 100 + tag}`)
    await service.post(`/v1/notes/${note}/tags`, { tags })
  }
  const list = Array.from({ length: 5_000 }, (_, at) => at)
  await service.patch(`/v1/notes/${note}/properties`, { list, text: RARE.repeat(50_000) })
  await service.post('/v1/records/structures', {
    name: 'Wide',
    fields: KEYS.map((key) => ({ key, type: 'text', label: RARE.repeat(500) })),
  })
  const data = Object.fromEntries(KEYS.map((key) => [key, `${RARE.repeat(300)} needle`]))
  const rows = Array.from({ length: 3 }, () => ({ data }))
  record = (await service.post('/v1/records', { structure: 'Wide', rows })).body.records[0].id
  const other = Object.fromEntries(KEYS.map((key) => [key, 'other']))
  await service.patch(`/v1/records/${record}`, { data: other })
  await service.patch(`/v1/records/${record}`, { data })
})
afterAll(async () => {
  await agent.close()
  service.close()
})

describe('a response is short, however long a single object is', () => {
  const CALLS: readonly (readonly [tool: string, input: () => Record<string, unknown>])[] = [
    ['read_note', () => ({ note })],
    ['read_note', () => ({ note, outline: true, links: true })],
    ['list_notes', () => ({})],
    ['search', () => ({ query: 'needle' })],
    ['update_note', () => ({ note, add_tags: ['more'] })],
    ['edit_note', () => ({ note, append: { text: RARE.repeat(3_000) } })],
    ['describe', () => ({ structure: 'Wide' })],
    ['query_records', () => ({ structure: 'Wide' })],
    ['history', () => ({ record })],
    ['changes', () => ({ kinds: 'record' })],
    ['write_records', () => ({ structure: 'Wide', rows: [{ id: record, data: { [KEYS[0] ?? '']: 'x' } }] })],
  ]
  test.each(CALLS)('of %s', async (tool, input) => {
    const { text, data, isError } = await agent.call(tool, input())
    expect(isError).toBe(false)
    expect(text.length).toBeLessThan(MOST_CHARACTERS)
    expect(JSON.stringify(data).length).toBeLessThan(2 * MOST_CHARACTERS)
  })
})

test('ids, cursors and times are never shortened', async () => {
  const [version] = (await agent.call('history', { record })).data.versions
  const { id, created_at } = (await service.get(`/v1/records/${record}`)).body.record
  expect(version).toMatchObject({
    cursor: expect.stringMatching(/^[\da-f]{12}-\w+$/),
    at: expect.stringMatching(/Z$/),
  })
  const wanted = { structure: 'Wide', filter: [{ field: 'id', op: 'eq', value: id }] }
  const { text, data } = await agent.call('query_records', wanted)
  expect(data.records).toMatchObject([{ id, created_at }])
  expect(text).toContain(id)
  const { records, notes } = (await agent.call('search', { query: 'needle' })).data
  expect([records[0].id.length, notes[0].id]).toEqual([36, note])
})

test('a cell without a value is empty, whatever the name of its field', async () => {
  const fields = ['name', 'constructor'].map((key) => ({ key, type: 'text' }))
  await service.post('/v1/records/structures', { name: 'Cars', fields })
  await service.post('/v1/records', { structure: 'Cars', data: { name: 'Six wheels' } })
  const { text } = await agent.call('query_records', { structure: 'Cars' })
  expect(text).toContain('|Six wheels||')
})

test('a shortened text never replaces the whole text of a note', async () => {
  const before = (await service.get(`/v1/notes/${note}/properties`)).body
  const { data } = await agent.call('read_note', { note })
  for (const properties of [{ text: data.properties.text }, { list: data.properties.list }]) {
    const result = await agent.call('update_note', { note, properties })
    expect(result).toMatchObject({ isError: true, code: 'refused' })
    expect(result.text).toContain('was shortened when it was read')
  }
  const [list] = (await agent.call('list_notes', { limit: 1 })).data.notes
  const tags = await agent.call('update_note', { note, title: 'other', add_tags: [list.tags.at(-1)] })
  expect(tags).toMatchObject({ isError: true, code: 'refused' })
  expect((await service.get(`/v1/notes/${note}/properties`)).body).toEqual(before)
  expect((await service.get(`/v1/notes/${note}`)).body.note.title).toBe('needle')
})

test('a refusal shortens a very long name, and ends with the fix', async () => {
  const long = 'y'.repeat(1_000_000)
  const query = await agent.call('query_records', { structure: 'Wide', sort: long })
  expect(query).toMatchObject({ isError: true, code: 'refused' })
  expect(query.text).toMatch(/^"sort" names "y+…y+", and the structure has no such field\.$/)
  const created = await agent.call('create_note', { title: 'x', properties: { [long]: 1 } })
  for (const text of [query.text, created.text, created.data.properties_error.error])
    expect(text.length).toBeLessThan(MOST_CHARACTERS)
  const requests: readonly (() => Promise<unknown>)[] = [
    () => agent.client.callTool({ name: long }),
    () => agent.client.getPrompt({ name: long }),
    () => agent.client.readResource({ uri: `daybook://notes/${long}` }),
  ]
  for (const request of requests) {
    const { message } = await request()
      .then(() => new Error(long))
      .catch((error: Error) => error)
    expect(message.length).toBeLessThan(MOST_CHARACTERS)
  }
})

test('the headings of a note of 250,000 are listed in pages, each at once', async () => {
  const content = '# a\n'.repeat(250_000)
  const { id } = (await service.post('/v1/notes', { title: 'Headings', content })).body.note
  const seen: number[] = []
  for (let from = 1; seen.length < 1_500; from = (seen.at(-1) ?? 0) + 1) {
    const { data } = await agent.call('read_note', { note: id, outline: true, from_line: from })
    expect(data.has_more).toBe(true)
    seen.push(...data.outline.map(({ line }: { line: number }) => line))
  }
  expect(seen).toEqual(seen.map((_, at) => at + 1))
  const end = await agent.call('read_note', { note: id, outline: true, from_line: 249_999 })
  expect(end.data).toMatchObject({ has_more: false, outline: [{ line: 249_999 }, { line: 250_000 }] })
})

test('a page of a search shows as many hits of every kind, so that the next one misses none', async () => {
  for (let at = 0; at < 30; at++)
    await service.post('/v1/notes', { title: `${RARE.repeat(300)} ${at}`, content: 'common word' })
  await service.post('/v1/records/structures', { name: 'Rows', fields: [{ key: 'what', type: 'text' }] })
  const rows = Array.from({ length: 30 }, (_, at) => ({ data: { what: `common ${at} ${RARE.repeat(900)}` } }))
  await service.post('/v1/records', { structure: 'Rows', rows })
  const notes = new Set<string>()
  const records = new Set<string>()
  for (let offset = 0, isMore = true; isMore; ) {
    const { data, text } = await agent.call('search', { query: 'common', limit: 50, offset })
    for (const { id } of data.notes) notes.add(id)
    for (const { id } of data.records) records.add(id)
    isMore = data.has_more
    offset += Math.max(data.notes.length, data.records.length)
    if (isMore) expect(text).toContain(`go on with offset ${offset}`)
  }
  expect([notes.size, records.size]).toEqual([30, 30])
})

test('a hundred passages of a note of 800,000 characters are replaced in one call', async () => {
  const marks = Array.from({ length: 100 }, (_, at) => `<${at}>`)
  const content = `${'ab'.repeat(400_000)}\n${marks.join('\n')}`
  const { id } = (await service.post('/v1/notes', { title: 'Long', content })).body.note
  const edits = marks.map((mark, at) => ({ old_str: mark, new_str: `(${at})` }))
  const result = await agent.call('edit_note', { note: id, edits })
  expect(result.isError).toBe(false)
  const expected = content.replace(/<(\d+)>/g, '($1)')
  expect((await service.get(`/v1/notes/${id}`)).body.note.content === expected).toBe(true)
})
