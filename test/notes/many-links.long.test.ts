import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sizesOf, storedValues } from '../support/database.ts'
import { makeFile } from '../support/files.ts'
import { startJobs } from '../support/jobs.ts'
import { makeNote } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'
import { until } from '../support/webhooks.ts'

/*
 * The links of a note with thousands of links are written after the transaction that changes the note. No read of links
 * may show the difference.
 */

let folder: string
let service: TestService
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-links-'))
  service = await startService({ file: join(folder, 'test.db') })
})
afterEach(() => {
  service.close()
  rmSync(folder, { recursive: true })
})

const MANY = 6_000
const links = (word: string, count = MANY) =>
  Array.from({ length: count }, (_, at) => `[[${word} ${at}]]`).join(' ')

const backlinks = async (id: string): Promise<string[]> =>
  (await service.get(`/v1/notes/${id}/links`)).body.backlinks.map(({ id: from }: { id: string }) => from)
const pending = () => storedValues(service, "SELECT key FROM jobs WHERE kind = 'notes.links'")
const stored = () => sizesOf(service, 'note_links')[0]

test('a note with many links is written before its links, which every read shows all the same', async () => {
  const target = await makeNote(service, { title: `Old ${MANY - 1}` })
  const other = await makeNote(service, { title: 'New 0' })
  const big = await makeNote(service, { content: links('old') })
  expect([pending(), stored()]).toEqual([[3], 0])
  expect(await backlinks(target.id)).toEqual([big.id])
  expect([pending(), stored()]).toEqual([[], MANY])

  await service.patch(`/v1/notes/${big.id}`, { content: links('new') })
  expect(stored()).toBe(MANY)
  expect([await backlinks(target.id), await backlinks(other.id)]).toEqual([[], [big.id]])

  await service.post(`/v1/notes/${big.id}/append`, { text: `[[old ${MANY - 1}]]` })
  expect([await backlinks(target.id), await backlinks(other.id)]).toEqual([[big.id], [big.id]])
  expect(stored()).toBe(MANY + 1)

  await service.patch(`/v1/notes/${big.id}`, { content: '[[new 0]]' })
  const { edges } = (await service.get('/v1/graph')).body
  expect(edges).toEqual([{ from: big.id, to: other.id, kind: 'link' }])
  expect(stored()).toBe(1)
})

test('a note that changes while its links are written ends with those of its last body', async () => {
  const target = await makeNote(service, { title: 'New 7' })
  const big = await makeNote(service, { content: links('old') })
  const reads = [backlinks(target.id), backlinks(target.id)]
  await service.patch(`/v1/notes/${big.id}`, { content: links('new') })
  await Promise.all(reads)
  expect(await backlinks(target.id)).toEqual([big.id])
  expect(stored()).toBe(MANY)
})

test('rewrites and labels links of a note whose links are still pending', async () => {
  const target = await makeNote(service, { title: 'Old 5' })
  const big = await makeNote(service, { content: links('old') })
  const { body } = await service.patch(`/v1/notes/${target.id}`, { title: 'Moved', rewrite_links: true })
  expect(body.links_rewritten).toBe(1)
  expect((await service.get(`/v1/notes/${big.id}`)).body.note.content).toInclude(
    '[[old 4]] [[Moved]] [[old 6]]',
  )
  expect(await backlinks(target.id)).toEqual([big.id])
})

test('links that a stopped server has not written are written by the next one, without a reader', async () => {
  const target = await makeNote(service, { title: 'Old 5' })
  const big = await makeNote(service, { content: links('old') })
  service.close()
  service = await startService({ file: join(folder, 'test.db') })
  expect(stored()).toBe(0)
  const runner = startJobs(service.ctx)
  service.clock.advance(1_000)
  await until(() => pending().length === 0)
  await runner.stop()
  expect(stored()).toBe(MANY)
  expect(await backlinks(target.id)).toEqual([big.id])
})

test('a file to which many notes link is renamed in all of them at once', async () => {
  const file = await makeFile(service, { name: 'tea.txt' })
  const ids: string[] = []
  for (let at = 0; at < 60; at++)
    ids.push((await makeNote(service, { content: `[[file:${file}|tea.txt]]` })).id)
  const renamed = await service.patch(`/v1/files/${file}`, { file_name: 'green.txt' })
  expect([renamed.status, renamed.body.file.file_name]).toEqual([200, 'green.txt'])
  for (const id of ids) {
    const { note } = (await service.get(`/v1/notes/${id}`)).body
    expect(note.content).toBe(`[[file:${file}|green.txt]]`)
    expect((await service.get(`/v1/notes/${id}/revisions`)).body.revisions).toHaveLength(1)
  }
})
