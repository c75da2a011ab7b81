import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { type Dataset, openDataset } from '../../scripts/bench/dataset.ts'
import { runBeside } from '../support/beside.ts'
import { alter } from '../support/database.ts'
import { pace } from '../support/pace.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'

/*
 * Small reads and writes of another key continue beside every ordinary operation on much data. Their number is compared
 * with the processor time of the server, not with elapsed time: a slow or busy machine changes both alike.
 */

const NOTES = 2_000
const ROWS = 40_000
const LONG_NOTES = 3
const BATCH = 500
const VAULT_FILES = 200

const folder = newFolder()
const file = folder.file('daybook.db')
let server: ServerProcess
let other: { key: string; note: string; row: string }
let hub: string

const times = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at))
const links = (word: string, count: number) => times(count, (at) => `[[${word} ${at}]]`).join('')

async function made({ fetch }: Dataset, path: string, body: object) {
  const response = await fetch(path, { method: 'POST', body: JSON.stringify(body) })
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any endpoint
  const answer: any = await response.json()
  if (response.status !== 201) throw new Error(`${path}: ${answer.error}`)
  return answer
}

async function makeRows(data: Dataset): Promise<void> {
  const field = (key: string, type: 'text' | 'number') => ({ key, type })
  const fields = [
    field('code', 'text'),
    field('city', 'text'),
    field('amount', 'number'),
    field('remark', 'text'),
  ]
  await made(data, '/v1/records/structures', { name: 'entries', fields })
  await made(data, '/v1/records/structures', { name: 'small', fields: [field('n', 'number')] })
  for (let from = 0; from < ROWS; from += BATCH) {
    const rows = times(BATCH, (at) => ({
      data: {
        code: `c${from + at}`,
        city: `city ${at % 50}`,
        amount: from + at,
        remark: 'Some words of a remark.',
      },
    }))
    await made(data, '/v1/records', { structure: 'entries', rows })
  }
}

/** Returns the id of the note that all others link to, and the id of a small note. */
async function makeNotes(data: Dataset): Promise<string[]> {
  const create = async (title: string, content: string, more: object = {}): Promise<string> =>
    (await made(data, '/v1/notes', { title, content, ...more })).note.id
  await made(data, '/v1/properties', { key: 'everywhere', type: 'text' })
  const named = [await create('Hub', ''), await create('Small', 'A small note.')]
  const content = `See [[Hub]]. ${'Some text about tea and paper. '.repeat(20)}`
  for (let from = 0; from < NOTES; from += 100)
    await Promise.all(
      times(100, (at) =>
        create(`Note ${from + at}`, content, {
          tags: ['everywhere'],
          properties: { everywhere: `value ${at % 10}` },
        }),
      ),
    )
  await data.fetch('/v1/notes?search=tea&limit=1')
  return named
}

/** Creates notes with many links that were trashed long ago. */
async function makeTrash(data: Dataset): Promise<void> {
  for (const at of times(LONG_NOTES, (index) => index)) {
    const { id } = (await made(data, '/v1/notes', { title: `Trash ${at}`, content: links('old', 20_000) }))
      .note
    await data.fetch(`/v1/notes/${id}/links`)
    await data.fetch(`/v1/notes/${id}`, { method: 'DELETE' })
  }
}

beforeAll(async () => {
  const data = await openDataset(file)
  const [hubId = '', note = ''] = await makeNotes(data)
  hub = hubId
  await makeRows(data)
  await makeTrash(data)
  const row = (await made(data, '/v1/records', { structure: 'small', data: { n: 0 } })).records[0].id
  data.close()
  await alter(file, 'UPDATE notes SET deleted_at = 1 WHERE deleted_at > 1')
  const { out } = await daybook(['keys', 'create', '--name', 'other', '--json', '--db', file])
  other = { key: /dbk_[\w-]{43}/.exec(out)?.[0] ?? '', note, row }
  for (let at = 0; at < VAULT_FILES; at++)
    await Bun.write(
      folder.file(`vault/Note ${at}.md`),
      `---\ntags: [tea]\n---\n# Note ${at}\n\nSee [[Note ${at + 1}]].\n`,
    )
  server = await startProcess(file, { key: data.key })
}, 120_000)

afterAll(async () => {
  await server.end('SIGKILL')
  folder.remove()
})

const command = async (...args: string[]) => expect((await daybook([...args, '--db', file])).exitCode).toBe(0)
const answered = async (sent: Promise<{ status: number }>, status = 200) =>
  expect((await sent).status).toBe(status)

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(20)
}

const entries = (filter: unknown, more = '') =>
  server.get(`/v1/records?structure=entries&filter=${encodeURIComponent(JSON.stringify(filter))}${more}`)

async function patchFields(change: (fields: { key: string }[]) => unknown[]) {
  const { body } = await server.get('/v1/records/structures/entries')
  return server.patch('/v1/records/structures/entries', { fields: change(body.structure.fields) })
}
const uniqueField = (key: string) =>
  patchFields((fields) => fields.map((field) => (field.key === key ? { ...field, unique: true } : field)))

const tagNamed = async (name: string): Promise<number> =>
  (await server.get('/v1/tags')).body.tags.find((tag: { name: string }) => tag.name === name).id

const OPERATIONS: readonly [string, () => Promise<unknown>][] = [
  [
    'notes with many links that leave the trash for good',
    () => until(async () => (await server.get('/v1/notes/trash')).body.total === 0),
  ],
  ['a backup', () => command('backup', folder.file('backup.db'))],
  ['a check', () => command('check')],
  ['an export', () => command('export', folder.file('exported'))],
  ['an import that is tried', () => command('import', folder.file('vault'), '--dry-run')],
  [
    'an index that is built',
    async () => {
      for (let at = 0; !server.err().includes('index built'); at++)
        await answered(entries([{ field: 'amount', op: 'gt', value: at }], '&limit=500&sort=city'))
    },
  ],
  ['a field that becomes unique', () => answered(uniqueField('code'))],
  ['a field that cannot become unique', () => answered(uniqueField('city'), 400)],
  [
    'a new field that is unique',
    () => answered(patchFields((fields) => [...fields, { key: 'fresh', type: 'text', unique: true }])),
  ],
  [
    'a search through all rows',
    () => answered(entries([{ field: 'remark', op: 'contains', value: 'nowhere' }])),
  ],
  ['a copy of the workspace', () => answered(server.get('/v1/changes/snapshot'))],
  [
    'batches of rows',
    () =>
      Promise.all(
        times(10, (batch) =>
          answered(
            server.post('/v1/records', {
              structure: 'entries',
              rows: times(BATCH, (at) => ({ data: { code: `d${batch} ${at}`, amount: at } })),
            }),
            201,
          ),
        ),
      ),
  ],
  [
    'a note of 90,000 links',
    async () => {
      const { body } = await server.post('/v1/notes', {
        title: 'Links',
        content: links('n', 90_000).slice(0, 990_000),
      })
      await answered(server.get(`/v1/notes/${hub}/links`))
      await answered(server.patch(`/v1/notes/${body.note.id}`, { content: '' }))
      await answered(server.get(`/v1/notes/${hub}/links`))
    },
  ],
  [
    'a note of a million characters',
    async () => {
      const content = 'Some longer words in a very long note.\n'.repeat(25_000)
      await answered(server.post('/v1/notes', { title: 'Long', content }), 201)
      await answered(server.get('/v1/notes?search=longer&content=false'))
    },
  ],
  ['a property of all notes that is deleted', () => answered(server.delete('/v1/properties/everywhere'))],
  [
    'a tag of all notes that is deleted',
    async () => answered(server.delete(`/v1/tags/${await tagNamed('everywhere')}`)),
  ],
  ['a structure that is deleted', () => command('structures', 'delete', 'entries', '--yes')],
]

/** The limit of the main thread's work while a small read waits; all of these operations take 30 at most. */
const MAX_MAIN_MS = 100
/** At least one small read per this much processor time of the main thread: a few steps of any operation. */
const MAIN_MS_PER_READ = 100
/** A write also waits for each step that a worker writes. */
const ALL_MS_PER_WRITE = 300

const hasProc = existsSync('/proc/self/stat')

test.skipIf(!hasProc).each(OPERATIONS)(
  'small requests of another key are served during %s',
  async (_, operation) => {
    const { reads, writes, failed, longestMs, mainMs, allMs } = await runBeside(server, other, operation)
    expect(failed).toBe(0)
    expect(longestMs).toBeLessThanOrEqual(MAX_MAIN_MS * pace())
    expect(reads).toBeGreaterThanOrEqual(Math.floor(mainMs / MAIN_MS_PER_READ))
    expect(writes).toBeGreaterThanOrEqual(Math.floor(allMs / ALL_MS_PER_WRITE))
  },
  60_000,
)

test.skipIf(!hasProc)(
  'small reads are served during a rename that rewrites the links of all notes in one transaction',
  async () => {
    const longest: number[] = []
    for (const title of ['Middle', 'Between']) {
      const rename = () => answered(server.patch(`/v1/notes/${hub}`, { title, rewrite_links: true }))
      const { reads, failed, longestMs, mainMs } = await runBeside(server, other, rename)
      expect(failed).toBe(0)
      expect(reads).toBeGreaterThanOrEqual(Math.max(5, Math.floor(mainMs / MAIN_MS_PER_READ)))
      longest.push(longestMs)
    }
    // The rename does not cause a delay in only one of them, such as a garbage collection.
    expect(Math.min(...longest)).toBeLessThanOrEqual(MAX_MAIN_MS * pace())
  },
  60_000,
)
