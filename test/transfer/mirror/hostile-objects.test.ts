import { afterAll, beforeAll, expect, test } from 'bun:test'
import { makeFile } from '../../support/files.ts'
import { faultsOf, mirrorOf, type TestMirror } from '../../support/mirror.ts'
import { startService, type TestService } from '../../support/service.ts'

/* A remote is as untrusted as any other caller: no object that is invalid in daybook reaches the copy. */

interface Sent {
  kind: string
  id: unknown
  structure_id: unknown
  changed: unknown
  previous: unknown
  at: unknown
  actor: unknown
  object: Record<string, unknown> | null
}

let service: TestService
let mirror: TestMirror
/** Alters the last change or object of a kind; undefined for an honest remote. */
let spoil: { kind: string; how: (sent: Sent) => void } | undefined

const parsed = (text: string) => JSON.parse(text) as Sent

beforeAll(async () => {
  service = await startService()
  mirror = await mirrorOf(service, {
    between: async (request, answer) => {
      const response = await answer()
      const { pathname } = new URL(request.url)
      if (!spoil || !response.ok || !pathname.startsWith('/v1/changes')) return response
      const { kind, how } = spoil
      if (pathname === '/v1/changes') {
        const page = (await response.json()) as { changes: Sent[] }
        const change = page.changes.findLast((one) => one.kind === kind)
        if (change) how(change)
        return Response.json(page)
      }
      const lines = (await response.text()).trimEnd().split('\n').map(parsed)
      const line = lines.findLast((one) => one.kind === kind)
      if (line) how(line)
      return new Response(lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
    },
  })
})
afterAll(async () => {
  await mirror.close()
  service.close()
})

const set =
  (name: string, value: unknown) =>
  ({ object }: Sent) => {
    Object.defineProperty(object, name, { value, enumerable: true })
  }
const setField =
  (name: string, value: unknown) =>
  ({ object }: Sent) => {
    const [field] = (object?.fields ?? []) as object[]
    Object.defineProperty(field, name, { value, enumerable: true })
  }

const many = (count: number) => Array.from({ length: count }, (_, at) => `x${at}`)

type Case = [kind: string, what: string, how: (sent: Sent) => void, sentence: string]

const OBJECTS: Case[] = [
  ['note', 'an id that is none', set('id', "x' OR 1"), '"id" must be an id'],
  ['note', 'a title with a line break', set('title', 'a\r\nSet-Cookie: b'), '"title" must be a text'],
  ['note', 'a title that is a number', set('title', 5), '"title" must be a text'],
  ['note', 'a body that is a list', set('content', ['a']), '"content" must be a text'],
  ['note', 'tags that are no list', set('tags', { length: 1 }), '"tags" must be a list'],
  ['note', 'an instant that is none', set('updated_at', 'yesterday'), '"updated_at" must be an instant'],
  ['note', 'an instant beyond the calendar', set('created_at', '2026-13-41T99:00:00.000Z'), '"created_at"'],
  ['tag', 'a name with a terminal escape', set('name', '\u001b[2Jgone'), '"name" must be a text'],
  ['tag', 'an id that is a text', set('id', '1; DROP TABLE notes'), '"id" must be an integer'],
  ['property', 'a key that names a prototype', set('key', '__proto__'), '"key" must be a key'],
  ['property', 'a type that no version could have', set('type', 'a blob'), '"type" must be one of'],
  [
    'structure',
    'a key of a field that is SQL',
    setField('key', "a'), (SELECT 1"),
    '"fields[0].key" must be a key',
  ],
  ['structure', 'a key of a field that names a prototype', setField('key', '__proto__'), '"fields[0].key"'],
  [
    'structure',
    'a type of a field that no version could have',
    setField('type', 'a blob'),
    '"fields[0].type" must be one of',
  ],
  ['record', 'a value that is an object', set('data', { name: { a: 1 } }), '"data" must be'],
  ['record', 'values that are a list', set('data', ['a']), '"data" must be'],
  [
    'file',
    'a media type with a header in it',
    set('mime_type', 'text/html\r\nSet-Cookie: a=b'),
    '"mime_type"',
  ],
  ['file', 'a name with a line break', set('file_name', 'a\r\nb.txt'), '"file_name" must be a text'],
  ['file', 'more pages than any', set('pages', 1_000_000_000), '"pages" must be'],
  [
    'note',
    'a title of 501 characters',
    set('title', 'a'.repeat(501)),
    '"title" must be a text of at most 500',
  ],
  ['note', 'a body beyond any', set('content', 'a'.repeat(1_000_001)), '"content" must be a text of at most'],
  [
    'structure',
    '101 fields',
    set(
      'fields',
      Array.from({ length: 101 }, (_, at) => ({ key: `f${at}`, type: 'text' })),
    ),
    '"fields" must be a list of at most 100 entries',
  ],
  ['note', '5,001 tags', set('tags', many(5_001)), '"tags" must be a list of at most 5000 entries'],
  [
    'tag',
    '5,001 linked tags',
    set(
      'linked_tags',
      many(5_001).map((name, id) => ({ id, name })),
    ),
    '"linked_tags" must be a list of at most 5000 entries',
  ],
  ['property', '1,001 options', set('options', many(1_001)), '"options" must be'],
  ['structure', '1,001 options of a field', setField('options', many(1_001)), '"fields[0].options" must be'],
  [
    'structure',
    '51 sets of unique fields',
    set(
      'unique_together',
      many(51).map((key) => [key, 'name']),
    ),
    '"unique_together" must be a list of at most 50 entries',
  ],
  [
    'file',
    'an outline of 10,001 sections',
    set(
      'outline',
      many(10_001).map((title) => ({ title, level: 1, page: 1 })),
    ),
    '"outline" must be a list of at most 10000 entries',
  ],
  ['file', 'a size beyond any', set('size', 52_428_801), '"size" must be an integer from 0 to 52,428,800'],
]

const CHANGES: Case[] = [
  [
    'record',
    'no structure',
    (sent) => Object.assign(sent, { structure_id: '1' }),
    'without the id of its structure',
  ],
  ['note', 'another object', set('id', '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'), 'with another'],
  ['note', 'no author', (sent) => Object.assign(sent, { actor: null }), '"actor" must be an object'],
  [
    'note',
    'old values that are a text',
    (sent) => Object.assign(sent, { previous: 'x' }),
    '"previous" must be',
  ],
  [
    'note',
    'an instant that is none',
    (sent) => Object.assign(sent, { at: 'soon' }),
    '"at" must be an instant',
  ],
]

const everything = async () => (await mirror.get('/v1/changes/snapshot')).body as string
const logEnd = async () => (await mirror.get('/v1/changes?after=now')).body.cursor

let made = 0

/** Changes one object of each kind, including a note that is honest in every case. */
async function changeAll(): Promise<void> {
  const name = `x${++made}`
  await service.post('/v1/tags', { name })
  await service.post('/v1/properties', { key: name, type: 'text' })
  await service.post('/v1/records/structures', { name, fields: [{ key: 'name', type: 'text' }] })
  await service.post('/v1/records', { structure: name, data: { name: 'a' } })
  await service.post('/v1/notes', { title: `before ${name}` })
  await service.post('/v1/notes', { title: name, content: name, tags: [name] })
  await makeFile(service, { name: `${name}.txt`, bytes: new TextEncoder().encode(name) })
}

test.each([...OBJECTS, ...CHANGES])(
  'a change of a %s with %s is refused, and nothing that came with it is in the copy',
  async (kind, _, how, sentence) => {
    const before = await everything()
    const cursor = await logEnd()
    await changeAll()
    spoil = { kind, how }
    await expect(mirror.catchUp()).rejects.toThrow(sentence)
    expect(await everything()).toBe(before)
    expect(await logEnd()).toBe(cursor)
    spoil = undefined
    await mirror.catchUp()
    expect(faultsOf(mirror)).toEqual([])
  },
  30_000,
)

test.each(['note', 'tag', 'property', 'structure', 'file'])(
  'ignores attributes of a %s that name columns of the copy',
  async (kind) => {
    await changeAll()
    const columns = { pk: 7, workspace: 2, is_removed: 1, deleted_at: '2026-01-01T00:00:00.000Z', claim: 'x' }
    spoil = { kind, how: ({ object }) => Object.assign(object ?? {}, columns) }
    await mirror.catchUp()
    spoil = undefined
    const linesOf = (snapshot: string) => snapshot.split('\n').slice(1)
    const { body } = await service.get('/v1/changes/snapshot')
    expect(linesOf(await everything())).toEqual(linesOf(body))
    expect(faultsOf(mirror)).toEqual([])
  },
  30_000,
)

test.each(OBJECTS)(
  'a snapshot that has a %s with %s is no workspace to copy',
  async (kind, _, how, sentence) => {
    spoil = { kind, how }
    const remote = await mirrorOf(service, {
      between: async (request, answer) => {
        const response = await answer()
        if (new URL(request.url).pathname !== '/v1/changes/snapshot') return response
        const lines = (await response.text()).trimEnd().split('\n').map(parsed)
        const line = lines.findLast((one) => one.kind === kind)
        if (line) how(line)
        return new Response(lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
      },
    }).catch((error: Error) => error)
    spoil = undefined
    expect(remote).toBeInstanceOf(Error)
    expect((remote as Error).message).toContain(sentence)
  },
  30_000,
)
