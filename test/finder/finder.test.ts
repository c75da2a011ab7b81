import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { declare, write } from '../support/records.ts'
import { type Client, startService, type TestService } from '../support/service.ts'

let service: TestService
let orders: string
let secrets: string

beforeAll(async () => {
  service = await startService()
  const notes = [
    { title: 'About wheels', content: 'Spokes.' },
    { title: 'Wheel log' },
    { title: 'Shed', alias: 'Wheelhouse' },
    { title: 'Trip', content: 'One wheel broke.' },
    { title: 'wheel' },
  ]
  for (const note of notes) await service.post('/v1/notes', note)
  const fields = [{ key: 'what', type: 'text' }]
  orders = (await declare(service, 'Wheel orders', fields, { label_field: 'what' })).id
  secrets = (await declare(service, 'Secrets', fields)).id
  await write(service, 'Wheel orders', { what: 'Hub for a wheel' })
  await write(service, 'Secrets', { what: 'Golden wheel' })
  await service.post('/v1/presets', { name: 'Wheel check', content: '# Check' })
  await service.post('/v1/presets', { name: 'Wheel tags' })
})
afterAll(() => service.close())

const find = async (query: string, client: Client = service) => {
  const { status, body } = await client.get(`/v1/search${query}`)
  expect([status, body.error]).toEqual([200, undefined])
  return body
}
const titles = (body: { notes: { title: string }[] }) => body.notes.map(({ title }) => title)

describe('GET /v1/search', () => {
  test('finds every kind, and ranks equal titles, their beginnings and all words before texts', async () => {
    const found = await find('?q=wheel')
    expect(titles(found)).toEqual(['wheel', 'Shed', 'Wheel log', 'About wheels', 'Trip'])
    expect(found.notes[1]).toMatchObject({ match: 'title', matched_alias: 'Wheelhouse' })
    expect(found.notes[4]).toMatchObject({ match: 'text', snippet: 'One <mark>wheel</mark> broke.' })
    expect(found.notes[0]).not.toHaveProperty('content')
    expect(found.structures).toEqual([{ id: orders, name: 'Wheel orders' }])
    expect(found.records).toEqual([
      expect.objectContaining({ structure_id: orders, structure: 'Wheel orders', label: 'Hub for a wheel' }),
      expect.objectContaining({ structure_id: secrets, structure: 'Secrets', label: 'Golden wheel' }),
    ])
    expect(found.presets).toEqual([{ id: expect.any(String), name: 'Wheel check' }])
    expect((await find('?q=new+check')).presets).toHaveLength(1)
  })

  test('finds one kind alone, and at most the given number of notes', async () => {
    const found = await find('?q=wheel&kind=notes&limit=2')
    expect(titles(found)).toEqual(['wheel', 'Shed'])
    expect([found.structures, found.records, found.presets]).toEqual([[], [], []])
    const rows = await find('?q=golden&kind=records')
    expect([rows.notes, rows.records.length]).toEqual([[], 1])
  })

  test('without a text, returns the last edited notes', async () => {
    const found = await find('?limit=1')
    expect(found.notes).toMatchObject([{ title: 'wheel', match: 'recent' }])
    expect([found.structures, found.records, found.files]).toEqual([[], [], []])
  })

  test('finds a title with a typing error, and notes with some of the words', async () => {
    expect((await find('?q=weels')).notes).toMatchObject([{ title: 'About wheels', match: 'similar_title' }])
    expect((await find('?q=spokes+xylophone')).notes).toMatchObject([
      { title: 'About wheels', match: 'some_words' },
    ])
  })

  test('takes operators of searches as text', async () => {
    expect(titles(await find('?q=%22wheel+log%22'))).toEqual(['Wheel log'])
    expect(titles(await find('?q=%22*-'))).toEqual([])
  })

  test('leaves out what the caller may not read', async () => {
    const access = { notes: 'none' as const, structures: { [secrets]: 'none' as const } }
    const limited = service.as(await service.newKey({ access }))
    const found = await find('?q=wheel', limited)
    expect([found.notes, found.presets]).toEqual([[], []])
    expect(found.records.map(({ label }: { label: string }) => label)).toEqual(['Hub for a wheel'])
  })

  test('refuses an unknown kind, and more notes than 50', async () => {
    expect((await service.get('/v1/search?q=a&kind=tags')).status).toBe(400)
    expect((await service.get('/v1/search?q=a&limit=51')).status).toBe(400)
  })
})
