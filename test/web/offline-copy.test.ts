import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Refusal } from '../../src/lib/refusal.ts'
import { excerptOf } from '../../src/notes/excerpt.ts'
import { nameTest, OfflineNotes } from '../../src/web/offline/offline-notes.ts'
import { OfflineRows } from '../../src/web/offline/offline-rows.ts'
import { randomSource } from '../support/random.ts'
import { startService, type TestService } from '../support/service.ts'

/* The offline copy lists, searches, filters and links as the server does. */

const WORDS = [
  'Apfel',
  'äpfel',
  'CHERRY',
  'cherry',
  'Straße',
  'strasse',
  'İstanbul',
  '東京',
  'a b',
  '-1',
  '10',
  '😀',
]
const WORD = /^[\p{L}\p{N}]+$/u
const TIMES = 300

const random = randomSource(5)
const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item
const many = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at))
const maybe = <Key extends string, Value>(key: Key, value: Value) => (random(2) === 0 ? {} : { [key]: value })

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const read = async (path: string, query: Record<string, string>) =>
  (await service.get(`${path}?${new URLSearchParams(query)}`)).body

/** Returns the result of a function, or the message of its refusal. */
function outcome(act: () => object): object {
  try {
    return act()
  } catch (error) {
    const { message, code } = error as Refusal
    return { error: message, code }
  }
}

test('rows', async () => {
  const VALUES: Record<string, readonly unknown[]> = {
    name: WORDS,
    size: [0, 1.5, -3, 5, 10],
    stage: ['Neu', 'Äpfel', 'zz'],
    due: ['2026-01-01', '2025-12-31', '1999-01-01'],
    at: ['2026-01-01T00:00:00.000Z', '2025-06-01T12:34:56.789Z'],
    ok: [true, false],
  }
  const TYPES = { name: 'text', size: 'number', stage: 'select', due: 'date', at: 'datetime', ok: 'bool' }
  const fields = Object.entries(TYPES).map(([key, type]) => ({
    key,
    type,
    ...(type === 'select' && { options: VALUES.stage }),
  }))
  const { structure } = (await service.post('/v1/records/structures', { name: 'Rows', fields })).body
  const keys = Object.keys(VALUES)
  const made = many(60, () => ({
    data: Object.assign({}, ...keys.map((key) => maybe(key, pick(VALUES[key] ?? [])))),
  }))
  await service.post('/v1/records', { structure: 'Rows', rows: made })
  const { records } = await read('/v1/records', { structure: 'Rows', limit: '100', direction: 'asc' })
  const kept = new OfflineRows(structure, records, '')
  const condition = () => {
    const field = pick([...keys, '*', 'created_at', 'nothing'])
    const op = pick([
      'eq',
      'neq',
      'gt',
      'gte',
      'lt',
      'contains',
      'starts_with',
      'in',
      'is_empty',
      'not_empty',
    ])
    const value = pick(VALUES[field] ?? WORDS)
    return { field, op, ...(!op.endsWith('empty') && { value: op === 'in' ? [value] : value }) }
  }
  for (let time = 0; time < TIMES; time++) {
    const query = {
      ...maybe('filter', JSON.stringify(many(1 + random(2), condition))),
      ...maybe('search', pick(WORDS)),
      ...maybe('sort', pick([...keys, 'created_at', 'updated_at'])),
      ...maybe('direction', pick(['asc', 'desc'])),
    }
    const asked = await read('/v1/records', { structure: 'Rows', ...query, limit: '7', offset: '3' })
    expect({ query, ...outcome(() => kept.list({ ...query, limit: 7, offset: 3 })) }).toEqual({
      query,
      ...asked,
    })
  }
})

test('notes, and what links to them', async () => {
  for (const [key, type] of Object.entries({ of: 'text', among: 'json' }))
    await service.post('/v1/properties', { key, type })
  const titles: string[] = []
  for (let at = 0; at < 40; at++) {
    titles.push(`${pick(WORDS)} ${at}`)
    const link = () => `[[${pick([...titles, `beta ${random(at + 1)}`])}${pick(['', '|label', '#Head'])}]]`
    const content = many(random(8), () => (random(3) === 0 ? link() : pick(WORDS))).join(' ')
    const tags = many(random(3), () => pick(['odd', 'Äpfel', 'work/deep']))
    const names = {
      ...maybe('alias', `Alias ${at}`),
      ...maybe('aliases', [`${pick(WORDS)} called ${at}`, `Beta ${at}`]),
    }
    const properties = {
      ...maybe('among', { to: [link(), pick(WORDS), `see ${link()}`] }),
      ...maybe('of', `${pick(WORDS)} ${link()}`),
    }
    await service.post('/v1/notes', { title: titles.at(-1), content, tags, properties, ...names })
  }
  const { notes } = await read('/v1/notes', { sort: 'edited_at', limit: '100' })
  type Note = { id: string; content: string; edited_at: string }
  const heads: (Omit<Note, 'content'> & { excerpt: string; properties: object })[] = []
  for (const { content, ...head } of notes as Note[]) {
    const { properties } = await read(`/v1/notes/${head.id}/properties`, {})
    heads.push({ ...head, excerpt: excerptOf(content), properties })
  }
  const kept = new OfflineNotes(
    heads as never,
    new Map((notes as Note[]).map(({ id, content }) => [id, content])),
  )
  const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id)
  for (let time = 0; time < TIMES; time++) {
    const word = pick(WORDS.filter((one) => WORD.test(one)))
    const query = {
      ...maybe('tag', pick(['odd', 'ODD', 'äpfel', 'work/deep', 'nothing'])),
      ...maybe('search', pick([word, `${word}*`, `"${word} ${pick(WORDS)}"`, `${word} -${pick(WORDS)}`])),
      sort: pick(['title', 'created_at', 'updated_at', 'edited_at']),
      ...maybe('direction', pick(['asc', 'desc'])),
    }
    const asked = await read('/v1/notes', { ...query, content: 'false', limit: '100' })
    const found = kept.list({ ...query, limit: 100, offset: 0 })
    expect([query, found.total, ...ids(found.notes)]).toEqual([query, asked.total, ...ids(asked.notes)])
  }
  const leaf = () => ({
    type: 'field',
    field: pick(['title', 'alias']),
    op: pick(['eq', 'starts_with', 'contains']),
    value: pick([...WORDS, ...titles, 'alias 1']),
  })
  for (let time = 0; time < TIMES; time++) {
    const filter = random(2) === 0 ? leaf() : { type: 'group', match: 'all', children: many(random(3), leaf) }
    const fits = nameTest(filter) ?? (() => false)
    const { body } = await service.post('/v1/notes/query', { filter, content: false, limit: 100 })
    expect([filter, ...ids(kept.list({ fits, limit: 100, offset: 0 }).notes)]).toEqual([
      filter,
      ...ids(body.notes),
    ])
  }
  for (const { id } of heads) {
    const asked = await read(`/v1/notes/${id}/links`, { context: 'true' })
    expect(kept.links(id)).toEqual(asked)
  }
})

test('filters on more than names are not evaluated', () => {
  const tags = { type: 'tags', op: 'has_any', tag_ids: [1] }
  const title = { type: 'field', field: 'title', op: 'contains', value: 'a' }
  const judged = [
    tags,
    { ...title, op: 'not_contains' },
    { type: 'group', match: 'all', children: [title, tags] },
  ]
  expect(judged.map(nameTest)).toEqual([undefined, undefined, undefined])
  expect(nameTest({ type: 'group', match: 'any', children: [title] })).toBeUndefined()
})
