import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeNote } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

/* Links in property values are part of `outgoing` and `backlinks`, and follow renames. */

let service: TestService
let personB: string

beforeEach(async () => {
  service = await startService()
  for (const [key, type] of [
    ['friend', 'text'],
    ['people', 'json'],
  ])
    await service.post('/v1/properties', { key, type })
  personB = (await makeNote(service, { title: 'Person B' })).id
})
afterEach(() => service.close())

const withProperties = (properties: Record<string, unknown>, content = '') =>
  makeNote(service, { title: 'Person A', content, properties })

async function linksOf(id: string, more = '') {
  const { body } = await service.get(`/v1/notes/${id}/links${more}`)
  return {
    outgoing: body.outgoing.map(({ text, note }: { text: string; note: { title: string } | null }) => [
      text,
      note?.title ?? null,
    ]),
    backlinks: body.backlinks as { title: string; context?: string }[],
  }
}
const backlinkTitles = async (id: string) => (await linksOf(id)).backlinks.map(({ title }) => title)
const propertiesOf = async (id: string) => (await service.get(`/v1/notes/${id}/properties`)).body.properties
const patchProperties = (id: string, values: object) => service.patch(`/v1/notes/${id}/properties`, values)

describe('a link in a property value', () => {
  test.each([
    ['alone', { friend: '[[Person B]]' }, 'Person B'],
    ['with a label', { friend: '[[person b|Bo]]' }, 'Bo'],
    ['to a heading', { friend: '[[Person B#Work]]' }, 'Person B#Work'],
    ['inside text', { friend: 'met [[Person B]] in May' }, 'Person B'],
    ['in a list', { people: ['x', '[[Person B]]'] }, 'Person B'],
    ['deep within JSON', { people: { best: [{ of: '![[Person B]]' }] } }, 'Person B'],
  ])('%s resolves and has a backlink', async (_, properties, text) => {
    const { id } = await withProperties(properties)
    expect((await linksOf(id)).outgoing).toEqual([[text, 'Person B']])
    expect(await backlinkTitles(personB)).toEqual(['Person A'])
  })

  test('follows the links of the body, and gives its own context', async () => {
    const { id } = await withProperties({ friend: 'met [[Person B]] in May' }, '[[Nobody]]')
    expect((await linksOf(id)).outgoing).toEqual([
      ['Nobody', null],
      ['Person B', 'Person B'],
    ])
    const { backlinks } = await linksOf(personB, '?context=true')
    expect(backlinks.map(({ context }) => context)).toEqual(['met <mark>[[Person B]]</mark> in May'])
  })

  test('is no link in brackets that are JSON', async () => {
    const { id } = await withProperties({ people: [['Person B']] })
    expect((await linksOf(id)).outgoing).toEqual([])
    expect(await backlinkTitles(personB)).toEqual([])
  })

  test('ends with its value, and stays while body or property has it', async () => {
    const { id } = await withProperties({ friend: '[[Person B]]', people: ['[[Person B]]'] }, '[[Person B]]')
    await service.patch(`/v1/notes/${id}`, { content: '' })
    await patchProperties(id, { people: null })
    expect(await backlinkTitles(personB)).toEqual(['Person A'])
    await patchProperties(id, { friend: 'nobody' })
    expect(await backlinkTitles(personB)).toEqual([])
  })

  test('ends with its property', async () => {
    await withProperties({ friend: '[[Person B]]' })
    await service.delete('/v1/properties/friend')
    expect(await backlinkTitles(personB)).toEqual([])
  })

  test('is restored with its note', async () => {
    const { id } = await withProperties({ friend: '[[Person B]]' })
    await service.delete(`/v1/notes/${id}`)
    expect(await backlinkTitles(personB)).toEqual([])
    await service.post(`/v1/notes/${id}/restore`)
    expect(await backlinkTitles(personB)).toEqual(['Person A'])
  })
})

describe('rewrite_links', () => {
  const rename = (title: string) => service.patch(`/v1/notes/${personB}`, { title, rewrite_links: true })

  test('renames the links in properties and bodies', async () => {
    const values = { friend: 'see [[Person B]]', people: { all: ['[[Person B#Work|Bo]]', '[[Else]]'] } }
    const { id } = await withProperties(values, '[[Person B]]')
    expect((await rename('Bo')).body.links_rewritten).toBe(3)
    expect(await propertiesOf(id)).toEqual({
      friend: 'see [[Bo]]',
      people: { all: ['[[Bo#Work|Bo]]', '[[Else]]'] },
    })
    expect(await backlinkTitles(personB)).toEqual(['Person A'])
  })

  test('renames links of the note to itself', async () => {
    await patchProperties(personB, { friend: '[[Person B]]' })
    const { body } = await rename('Bo')
    expect(body.links_rewritten).toBe(1)
    expect(await propertiesOf(personB)).toEqual({ friend: '[[Bo]]' })
  })

  test('logs the old values, and undo brings them back', async () => {
    const { id } = await withProperties({ friend: '[[Person B]]' })
    await rename('Bo')
    const { transactions } = (await service.get('/v1/changes/transactions?limit=1')).body
    const { status } = await service.post('/v1/changes/undo', { transaction: transactions[0].transaction })
    expect([status, await propertiesOf(id)]).toEqual([200, { friend: '[[Person B]]' }])
    expect(await backlinkTitles(personB)).toEqual(['Person A'])
  })

  test('leaves options of a select as they are', async () => {
    await service.post('/v1/properties', { key: 'one', type: 'select', options: ['[[Person B]]'] })
    const { id } = await withProperties({ one: '[[Person B]]' })
    await rename('Bo')
    expect(await propertiesOf(id)).toEqual({ one: '[[Person B]]' })
  })
})
