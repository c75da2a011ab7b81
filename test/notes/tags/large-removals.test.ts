import { afterEach, beforeEach, expect, test } from 'bun:test'
import { alter } from '../../support/database.ts'
import { makeNote, tagNamed } from '../../support/notes.ts'
import { startService, type TestService } from '../../support/service.ts'

/* A deletion removes a tag or property from notes in short transactions, even where few removals write much data. */

const NOTES = 20

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

interface NoteChange {
  readonly transaction: string
  readonly changed: readonly string[]
  readonly previous: Record<string, unknown>
}

/** Returns the changes of a note attribute after a cursor. */
async function changesOf(attribute: string, after: string): Promise<NoteChange[]> {
  const { body } = await service.get(`/v1/changes?kinds=note&limit=1000&after=${after}`)
  const changes = body.changes.filter(({ changed }: NoteChange) => changed.includes(attribute))
  return body.has_more ? [...changes, ...(await changesOf(attribute, body.cursor))] : changes
}

const cursor = async (): Promise<string> => (await service.get('/v1/changes?after=now')).body.cursor

const transactionsOf = (changes: readonly NoteChange[]) =>
  new Set(changes.map(({ transaction }) => transaction)).size

test('a property with values of a mebibyte is deleted in several transactions', async () => {
  await service.post('/v1/properties', { key: 'long', type: 'json' })
  const long = 'x'.repeat(1024 * 1024)
  for (let at = 0; at < NOTES; at++) await makeNote(service, { properties: { long } })
  const start = await cursor()
  expect((await service.delete('/v1/properties/long')).body).toEqual({ deleted: true, notes_affected: NOTES })
  const changes = await changesOf('properties', start)
  expect(changes.length).toBe(NOTES)
  expect(changes[0]?.previous).toEqual({ properties: { long } })
  expect(transactionsOf(changes)).toBeGreaterThan(2)
})

test('a tag of notes with thousands of other tags is deleted in several transactions', async () => {
  for (let at = 0; at < NOTES; at++) await makeNote(service, { tags: ['gone'] })
  await alter(
    service,
    `WITH RECURSIVE n (value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n WHERE value < 2999)
     INSERT INTO tags (workspace, name, name_fold)
     SELECT (SELECT pk FROM workspaces), 'tag ' || value, 'tag ' || value FROM n;
     INSERT INTO note_tags (tag, note) SELECT t.id, n.pk FROM tags t, notes n WHERE name LIKE 'tag %'`,
  )
  const start = await cursor()
  expect((await service.delete(`/v1/tags/${(await tagNamed(service, 'gone')).id}`)).status).toBe(200)
  const changes = await changesOf('tags', start)
  expect(changes.map(({ previous }) => (previous.tags as string[]).length)).toEqual(
    Array.from({ length: NOTES }, () => 3_001),
  )
  expect(transactionsOf(changes)).toBeGreaterThan(2)
})
