import { afterEach, beforeEach, expect, test } from 'bun:test'
import { alter, statementsIn, storedValues } from '../../support/database.ts'
import { makeNote, readNote, tagNamed } from '../../support/notes.ts'
import { startService, type TestService } from '../../support/service.ts'

/* A note is read and written with the names of all its tags, so their number is limited. */

const MAX_TAGS = 5_000

let service: TestService
let ids: number[]
beforeEach(async () => {
  service = await startService()
  await alter(
    service,
    `INSERT INTO tags (workspace, name, name_fold)
     SELECT (SELECT pk FROM workspaces), 'tag ' || value, 'tag ' || value FROM json_each(?)`,
    JSON.stringify(Array.from({ length: MAX_TAGS + 1 }, (_, at) => at)),
  )
  ids = storedValues<number>(service, 'SELECT id FROM tags ORDER BY id')
})
afterEach(() => service.close())

const link = (tag: number | undefined, linked_tag_ids: readonly number[]) =>
  service.put(`/v1/tags/${tag}/links`, { linked_tag_ids })

const refusal = (what: string) => ({
  status: 400,
  body: {
    error: `${what} at most 5,000 tags, linked ones included; leave some out or link fewer.`,
    code: 'refused',
  },
})

test('a note has at most 5,000 tags; a refusal adds none and creates none', async () => {
  expect((await link(ids[0], ids.slice(1, MAX_TAGS))).status).toBe(200)
  const { id } = await makeNote(service, { tags: ['tag 0'] })
  expect(await service.patch(`/v1/notes/${id}`, { tags: ['new'] })).toMatchObject(refusal('A note carries'))
  expect(await service.post('/v1/notes', { title: 'New', tags: ['tag 0', 'new'] })).toMatchObject(
    refusal('A note carries'),
  )
  expect((await readNote(service, id)).tags.length).toBe(MAX_TAGS)
  expect(await tagNamed(service, 'new')).toBeUndefined()
  expect((await service.patch(`/v1/notes/${id}`, { tags: ['tag 1'], title: 'Same tags' })).status).toBe(200)
})

test('a tag brings along at most 5,000, those that these bring along included', async () => {
  const [first, second] = ids
  expect((await link(second, ids.slice(2))).status).toBe(200)
  expect(await link(first, ids.slice(1))).toMatchObject({ status: 200 })
  const { id: other } = (await makeNote(service, { tags: ['other'] })) && (await tagNamed(service, 'other'))
  expect(await link(other, [first ?? 0])).toMatchObject(refusal('A tag brings along'))
  expect((await service.get(`/v1/tags/${other}`)).body.tag.linked_tags).toEqual([])
  const unknown = Array.from({ length: 6_000 }, (_, at) => 1_000_000 + at)
  expect(await link(other, unknown)).toMatchObject(refusal('A tag brings along'))
})

/** Attaches tags to a note as an import does, without the limit. */
const attach = (note: string, tags: readonly number[]) =>
  alter(
    service,
    'INSERT INTO note_tags (tag, note) SELECT value, (SELECT pk FROM notes WHERE id = ?) FROM json_each(?)',
    note,
    JSON.stringify(tags),
  )

test('links of several tags put at most 5,000 on a note; a refusal stores nothing', async () => {
  const [first, second] = ids
  const { id } = await makeNote(service, { tags: ['tag 0', 'tag 1'] })
  expect((await link(first, ids.slice(2, 3_000))).status).toBe(200)
  expect(await link(second, ids.slice(3_000))).toMatchObject(refusal('A note carries'))
  expect((await service.get(`/v1/tags/${second}`)).body.tag.linked_tags).toEqual([])
  expect((await readNote(service, id)).tags.length).toBe(3_000)
  expect((await link(second, ids.slice(2_000, MAX_TAGS))).status).toBe(200)
  expect((await readNote(service, id)).tags.length).toBe(MAX_TAGS)
  expect((await link(second, ids.slice(2_000, MAX_TAGS))).status).toBe(200)
})

test('a tag with more links than allowed can lose some', async () => {
  const [first, second] = ids
  const { id } = await makeNote(service, { tags: ['tag 0', 'a', 'b', 'c'] })
  await attach(id, ids.slice(1))
  const insert = 'INSERT INTO tag_links (tag, linked) SELECT ?1, id FROM tags WHERE id <> ?1'
  await alter(service, insert, first ?? 0)
  await alter(service, `${insert} AND (id = ?2 OR name IN ('a', 'b'))`, second ?? 0, ids[MAX_TAGS] ?? 0)
  expect((await link(first, ids.slice(1, MAX_TAGS))).status).toBe(200)
  expect((await readNote(service, id)).tags.length).toBe(MAX_TAGS + 4)
  const { id: carried } = await tagNamed(service, 'a')
  expect((await link(carried, [ids[2] ?? 0])).status).toBe(200)
})

test('a tag that is being deleted does not count', async () => {
  const { id } = await makeNote(service)
  await attach(id, ids.slice(0, MAX_TAGS))
  await alter(service, 'DELETE FROM tags WHERE id = ?', ids[0] ?? 0)
  expect((await service.patch(`/v1/notes/${id}`, { tags: ['new'] })).status).toBe(200)
  expect((await service.patch(`/v1/notes/${id}`, { tags: ['newer'] })).status).toBe(400)
})

test('tags that are too many are counted before any is written', async () => {
  const { id } = await makeNote(service, { tags: ['other'] })
  const insert = 'INSERT INTO tag_links (tag, linked) SELECT ?1, id FROM tags WHERE id <> ?1'
  await alter(service, insert, ids[0] ?? 0)
  const statements = await statementsIn(service, async () => {
    expect((await service.patch(`/v1/notes/${id}`, { tags: ['tag 0'] })).status).toBe(400)
  })
  expect(statements.filter((text) => text.includes('INTO note_tags'))).toEqual([])
})
