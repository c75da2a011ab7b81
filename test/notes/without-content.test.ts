import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { makeNote, type NoteAnswer } from '../support/notes.ts'
import { newFolder } from '../support/process.ts'
import { type Answer, startService, type TestService } from '../support/service.ts'

const folder = newFolder()
let service: TestService
beforeEach(async () => {
  service = await startService({ file: folder.file(`${crypto.randomUUID()}.db`) })
})
afterEach(() => service.close())
afterAll(() => folder.remove())

const FILTER = { type: 'tags', op: 'has_any', tag_ids: [1] }

/** The lists of notes, with and without their bodies. */
async function lists(): Promise<((content?: boolean) => Promise<Answer>)[]> {
  const view = (await service.post('/v1/views', { name: 'Long', filter: FILTER })).body.view.id
  const query = (content?: boolean) => (content === undefined ? '' : `&content=${content}`)
  return [
    (content) => service.get(`/v1/notes?limit=200${query(content)}`),
    (content) => service.get(`/v1/notes?limit=200&tag=long&sort=title${query(content)}`),
    (content) => service.get(`/v1/notes?limit=200&search=needle${query(content)}`),
    (content) => service.get(`/v1/views/${view}/notes?limit=200${query(content)}`),
    (content) => service.post('/v1/notes/query', { filter: FILTER, limit: 200, content }),
    (content) => service.post('/v1/notes/query', { filter: FILTER, search: 'needle', limit: 200, content }),
  ]
}

test('content=false omits the bodies from every list of notes, and nothing else', async () => {
  for (const title of ['B', 'A'])
    await makeNote(service, { title, content: `a needle in ${title}`, tags: ['long'], alias: title })
  for (const read of await lists()) {
    const whole = await read()
    expect(whole.body.notes).toHaveLength(2)
    expect(await read(true)).toMatchObject({ status: 200, body: whole.body })
    const { status, body } = await read(false)
    const without = whole.body.notes.map(({ content: _, ...note }: NoteAnswer) => note)
    expect([status, body]).toEqual([200, { ...whole.body, notes: without }])
    expect(body.notes.every((note: object) => !('content' in note))).toBe(true)
  }
})

test('omitted long bodies are not read and do not end a page early; bodies that a search reads do', async () => {
  const content = `${'lorem '.repeat(150_000)}needle`
  for (let at = 0; at < 12; at++) await makeNote(service, { title: `Note ${at}`, content, tags: ['long'] })
  await service.get('/v1/notes?search=needle&limit=1')
  for (const [at, read] of (await lists()).entries()) {
    const hasSearch = at === 2 || at === 5
    const { notes, total, has_more } = (await read(false)).body
    expect([total, notes.length === 12, has_more]).toEqual([12, !hasSearch, hasSearch])
  }
})

test.each(['content=', 'content=no', 'content=0', 'content=false&content=false'])(
  '?%s is refused',
  async (query) => {
    expect((await service.get(`/v1/notes?${query}`)).body.code).toBe('invalid_request')
  },
)
