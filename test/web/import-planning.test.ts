import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Remark, sortFiles } from '../../src/web/pages/import/folder.ts'
import type { ImportPreview } from '../../src/web/pages/import/preview.ts'
import { Remarks, readFolder } from '../../src/web/pages/import/read-folder.ts'
import { FolderSender, ImportCalls } from '../../src/web/pages/import/send-folder.ts'
import { sourceOf, withoutProgramFiles } from '../../src/web/pages/import/source.ts'
import { dateFiles, importedState } from '../support/awkward-vault.ts'
import { type Browser, signedIn } from '../support/browser-client.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'
import { importVaultInto, writeFiles } from '../support/vault.ts'

const folder = newFolder()
const { fetch } = globalThis
afterAll(() => {
  globalThis.fetch = fetch
  folder.remove()
})

const NAMES = ['A', 'b', 'Été', 'x y', 'C#', '日本', '[B]']
const FOLDERS = ['', 'f/', 'f/g/', 'h/']
const paths = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES), fc.boolean())
  .map(([inside, name, isDecomposed]) => `${inside}${isDecomposed ? name.normalize('NFD') : name}`)
const target = fc.oneof(
  paths,
  fc.constantFrom(...NAMES, 'g/A', 'None', 'p.png', 'f/p.png', '../A', '/A', 'Alias'),
)
const part = fc.constantFrom('', '', '#Part', '#Part#Deep', '#^block')
const links = fc.array(
  fc
    .tuple(fc.constantFrom('[[', '![['), target, part, fc.constantFrom('', '|a label'))
    .map(([open, name, of, label]) => `${open}${name}${of}${label}]]`),
  { maxLength: 4 },
)
const markdownLinks = fc.array(
  fc.tuple(target, fc.constantFrom('', '.md', '.md#Part')).map(([name, end]) => `[x](<${name}${end}>)`),
  { maxLength: 2 },
)
const lines = fc.array(
  fc.constantFrom(
    ...[
      'alias: Alias',
      'alias: A',
      'aliases: [b, Other]',
      'tags: [one, f/two]',
      'kind: 1',
      'kind: text',
      'kind: true',
    ],
    ...[
      'due: 2024-01-02',
      'due: soon',
      'Kind: [1]',
      'created: 2001-01-01',
      'title: A',
      'title: Another',
      'list: [a]',
    ],
  ),
  { maxLength: 4 },
)
const notes = fc.tuple(paths, lines, links, markdownLinks, fc.constantFrom('', '#tag #Other/tag', '`[[A]]`'))
const folders = fc.uniqueArray(notes, {
  selector: ([path]) => path.normalize('NFC').toLowerCase(),
  minLength: 1,
  maxLength: 8,
})
const deaths = fc.array(fc.nat(7), { maxLength: 2 })
const others = fc.subarray(['p.png', 'f/p.png', 'h/q.csv'])

/** Starts a service with a note and a property whose names a folder may use. */
async function prepared(name: string) {
  const service = await startService({ file: folder.file(name) })
  await service.post('/v1/notes', { title: 'x y', alias: 'other' })
  await service.post('/v1/properties', { key: 'due', type: 'text' })
  return service
}

/** Fetches like a browser that crashes after this many writes have reached the service: the last response is lost. */
function fetchOf(browser: Browser, writes: number): typeof fetch {
  let left = writes
  const reach = async (path: string, { method = 'GET', body }: RequestInit = {}) => {
    if (left < 0) throw new Error('The tab is gone.')
    if (method === 'POST') left -= 1
    const sent = body instanceof Blob ? await body.bytes() : body ? JSON.parse(String(body)) : undefined
    const answer = await browser.request(method, path, sent)
    if (left < 0) throw new Error('The tab is gone.')
    return Response.json(answer.body, { status: answer.status })
  }
  return reach as typeof fetch
}

/** Imports a folder with the code of the application, without its page. */
async function importAsApplication(root: string, all: readonly string[]) {
  const selected = sortFiles(
    'Vault',
    all.map((path) => {
      const file = Bun.file(join(root, path))
      return { path, bytes: file.size, modifiedAt: file.lastModified, read: async () => file }
    }),
  )
  const source = await sourceOf(selected)
  const chosen = withoutProgramFiles(selected, source)
  const { signal } = new AbortController()
  const calls = new ImportCalls('Vault', signal, () => {})
  const remarks = new Remarks(chosen.skipped)
  const now = Date.now()
  let preview: ImportPreview | undefined
  let shownRemarks: readonly Remark[] = []
  const confirm = async (shown: ImportPreview) => {
    preview = shown
    shownRemarks = [...remarks.changed]
  }
  const read = await readFolder(
    { folder: chosen, source, calls, signal, remarks, foldersAsTags: false, onProgress: () => {}, confirm },
    now,
  )
  await new FolderSender(read, { calls, foldersAsTags: false, signal, now, remarks }, () => {}).send()
  return { preview, shownRemarks, changed: remarks.changed }
}

const importAsCommand = (service: TestService, root: string) =>
  importVaultInto(service, 'Personal', root, { skipsBad: true })

test(
  'the application imports any folder as the command line does, even after an interruption',
  async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(folders, others, deaths, async (made, files, afterWrites) => {
        count += 1
        const root = folder.file(`vault ${count}`)
        mkdirSync(root)
        const texts = made.map(([path, front, wiki, markdown, end]): [string, string] => [
          `${path}.md`,
          `---\n${[...new Map(front.map((line) => [line.split(':')[0], line])).values()].join('\n')}\n---\n${[...wiki, ...markdown, end].join(' ')}`,
        ])
        const content = Object.fromEntries([...texts, ...files.map((path): [string, string] => [path, path])])
        writeFiles(root, content)
        dateFiles(root)
        const command = await prepared(`command ${count}.db`)
        await importAsCommand(command, root)
        const service = await prepared(`application ${count}.db`)
        const browser = await signedIn(service)
        const importUntil = async (writes: number) => {
          globalThis.fetch = fetchOf(browser, writes)
          await importAsApplication(root, Object.keys(content))
        }
        for (const writes of afterWrites) await importUntil(writes).catch(() => {})
        await importUntil(Number.POSITIVE_INFINITY)
        command.close()
        service.close()
        expect(importedState(folder.file(`application ${count}.db`), 'Personal')).toEqual(
          importedState(folder.file(`command ${count}.db`), 'Personal'),
        )
        rmSync(root, { recursive: true })
      }),
      { numRuns: runs(8, 300) },
    )
  },
  RANDOM_CASES_MS,
)

test('a database of Notion is shown first, becomes the same table as by the command line, and is undone', async () => {
  const id = (digit: string) => digit.repeat(32)
  const rows = Array.from({ length: 11 }, (_, at) => `Row ${at},,\n`)
  const content = {
    [`Home ${id('a')}.md`]: `# Home\n\n[Tasks](Tasks%20${id('b')}.csv)\n`,
    [`Tasks ${id('b')}.csv`]: '\ufeffName,Due,Cost\nBuy tea,"January 5, 2026",12.5\n',
    [`Tasks ${id('b')}_all.csv`]: `\ufeffName,Due,Cost\nBuy tea,"January 5, 2026",12.5\n${rows.join('')}`,
    [`Tasks ${id('b')}/Buy tea ${id('d')}.md`]: '# Buy tea\n\nStatus: To do\n',
    [`Bad ${id('c')}.csv`]: `${'a,'.repeat(300)}\n1\n`,
  }
  const root = folder.file('notion')
  writeFiles(root, content)
  dateFiles(root)
  const command = await prepared('notion command.db')
  await importAsCommand(command, root)
  const service = await prepared('notion application.db')
  const browser = await signedIn(service)
  globalThis.fetch = fetchOf(browser, Number.POSITIVE_INFINITY)
  const { preview } = await importAsApplication(root, Object.keys(content))
  expect(preview).toMatchObject({ notes: 2, files: 1, tables: [{ name: 'Tasks', row_count: 12 }] })
  expect(preview?.tables[0]?.columns.map(({ label, type }) => `${label}: ${type}`)).toEqual([
    'Name: text',
    'Due: date',
    'Cost: number',
  ])
  expect(preview?.tables[0]?.rows.length).toBe(10)
  expect(preview?.tables[0]?.rows[0]).toEqual(['Buy tea', 'January 5, 2026', '12.5'])
  const tableOf = async ({ get }: TestService) => {
    const { structures } = (await get('/v1/records/structures')).body
    const { records } = (await get('/v1/records?structure=Tasks&sort=created_at&direction=asc')).body
    const { notes } = (await get('/v1/notes')).body
    const titles = new Map(notes.map((note: { id: string; title: string }) => [note.id, note.title]))
    return [
      structures.map(({ name, fields, label_field }: Record<string, unknown>) => [name, fields, label_field]),
      records.map(({ data }: { data: { page?: string } }) => ({ ...data, page: titles.get(data.page) })),
    ]
  }
  expect(await tableOf(service)).toEqual(await tableOf(command))
  expect((await importAsApplication(root, Object.keys(content))).preview).toBe(undefined)
  const undo = { folder: 'Vault', since_ms: 0 }
  const { body } = await browser.request('POST', '/app/api/import/undo', undo)
  expect(body).toMatchObject({ notes: 2, structures: 1, kept: [] })
  expect((await service.get('/v1/records/structures')).body.structures).toEqual([])
  command.close()
  service.close()
})

test('remarks on aliases and bodies are shown before the import starts, and once', async () => {
  const content = { 'A.md': 'text', 'B.md': `---\nalias: A\n---\n#${'x'.repeat(600)}` }
  const root = folder.file('remarks')
  writeFiles(root, content)
  const service = await prepared('remarks.db')
  globalThis.fetch = fetchOf(await signedIn(service), Number.POSITIVE_INFINITY)
  const { shownRemarks, changed } = await importAsApplication(root, Object.keys(content))
  expect(shownRemarks.map(({ place }) => place)).toEqual(['B.md', 'B.md'])
  expect(changed).toEqual([...shownRemarks])
  service.close()
})
