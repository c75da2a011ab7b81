import { afterEach, beforeEach, expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { alter } from '../support/database.ts'
import { makeFile, readFile } from '../support/files.ts'
import { newFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'

let folder: ReturnType<typeof newFolder>
let file: string
let first: string

/** A database with two workspaces and files of every state. */
beforeEach(async () => {
  folder = newFolder()
  file = folder.file('daybook.db')
  const service = await startService({ file })
  first = await makeFile(service, {
    bytes: new TextEncoder().encode('Looms weave 织布'),
    pages: ['Looms weave 织布', 'more'],
  })
  await makeFile(service, { pages: ['theirs'] }, service.as(await service.newWorkspace('Other')))
  await makeFile(service, {})
  await makeFile(service, { failed: 'broken' })
  await makeFile(service, { name: 'photo.png', pages: [] })
  service.close()
})
afterEach(() => folder.remove())

const check = (...args: string[]) => runInProcess(['check', ...args, '--db', file])

/** The key of the first page of the first file. */
const PAGE = 1_048_577

const damage = (script: string) => alter(file, script)

test('intact files are ok, before and after a repair', async () => {
  expect(await check()).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  expect(await check('--repair')).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
})

test.each([
  [
    'an entry is missing',
    `DELETE FROM file_search_1 WHERE rowid = ${PAGE}`,
    `The entry ${PAGE} of the search table file_search_1 is missing.`,
  ],
  [
    'a page is another',
    `UPDATE file_pages SET text = 'Looms weave 机器' WHERE pk = ${PAGE}`,
    'The search table file_search_1 holds other words than the texts.',
  ],
  ['the table is gone', 'DROP TABLE file_search_1', 'The search table file_search_1 is missing.'],
  [
    'a page of no file is there',
    `INSERT INTO file_parts VALUES (${99 * 1_048_576}, x'00')`,
    'The table file_parts holds something of files that do not exist.',
  ],
])('%s: found, and mended by a repair', async (_what, script, sentence) => {
  await damage(script)
  expect(await check()).toEqual({ exitCode: 1, out: `${sentence}\n`, err: '' })
  expect(await check('--repair')).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  const service = await startService({ file })
  expect((await service.get('/v1/files/search?q=looms')).body.total).toBe(1)
  service.close()
})

test('pages that are missing are read out of the original again', async () => {
  await damage(`DELETE FROM file_pages WHERE pk = ${PAGE}; DELETE FROM file_search_1 WHERE rowid = ${PAGE}`)
  const found = await check()
  expect(found.out).toBe(`The text of the file ${first} does not have the pages that it counts.\n`)
  expect((await check('--repair')).out).toBe('ok\n')
  const service = await startService({ file })
  await readFile(service, first)
  expect((await service.get(`/v1/files/${first}/text`)).body.text).toBe('=== page 1 ===\nLooms weave 织布')
  service.close()
})

test('a damaged original is reported and cannot be repaired', async () => {
  await damage('DELETE FROM file_parts WHERE pk = 1048576')
  const { exitCode, out } = await check('--repair')
  expect([exitCode, out]).toEqual([
    1,
    `The original of the file ${first} is not whole; restore it from a backup.\n`,
  ])
})
