import { afterEach, beforeEach, expect, test } from 'bun:test'
import { replaceEach } from '../../src/notes/writing/replace-content.ts'
import { removeSomeTrashedBefore, restoreFromTrash } from '../../src/notes/writing/trash.ts'
import { callerOf } from '../support/cli.ts'
import { sizesOf, storedValues } from '../support/database.ts'
import { makeNote } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

/* The links of a note that is restored during another write of it, or after an interrupted one. */

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const links = (word: string, count: number) =>
  Array.from({ length: count }, (_, at) => `[[${word} ${at}]]`).join(' ')
const backlinks = async (id: string): Promise<string[]> =>
  (await service.get(`/v1/notes/${id}/links`)).body.backlinks.map(({ id: from }: { id: string }) => from)
const pending = () => storedValues(service, "SELECT key FROM jobs WHERE kind = 'notes.links'")
const stored = () => sizesOf(service, 'note_links')[0]

test('a restored note has all links at once, even those that an interrupted purge removed', async () => {
  const target = await makeNote(service, { title: 'Old 0' })
  const note = await makeNote(service, { content: links('old', 1_000) })
  await service.delete(`/v1/notes/${note.id}`)
  await service.ctx.db.write((tx) => removeSomeTrashedBefore(tx, service.clock.now() + 1))
  expect(stored()).toBeLessThan(1_000)
  await service.post(`/v1/notes/${note.id}/restore`)
  expect([pending(), stored()]).toEqual([[], 1_000])
  expect(await backlinks(target.id)).toEqual([note.id])
})

test('a long note that is changed during its restore has the links of its new body', async () => {
  const target = await makeNote(service, { title: 'New' })
  const note = await makeNote(service, { content: `${'long '.repeat(20_000)}[[Old]]` })
  await service.delete(`/v1/notes/${note.id}`)
  const { ctx } = service
  const restoring = ctx.db.write((tx) => restoreFromTrash(tx, callerOf(service), note.id))
  await ctx.db.write((tx): void => {
    const pk = tx.sql.scalar<number>('SELECT pk FROM notes WHERE id = ?', note.id)
    replaceEach(tx, callerOf(service), [pk], () => ({ content: '[[New]]', links: 0 }))
  })
  await restoring
  expect((await service.get(`/v1/notes/${note.id}`)).body.note.content).toBe('[[New]]')
  expect(await backlinks(target.id)).toEqual([note.id])
})
