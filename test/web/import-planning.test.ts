import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { importVault } from '../../src/transfer/vault/import.ts'
import { sortFiles } from '../../src/web/pages/import/folder.ts'
import { Remarks, readFolder } from '../../src/web/pages/import/read-folder.ts'
import { FolderSender, ImportCalls } from '../../src/web/pages/import/send-folder.ts'
import { sourceOf } from '../../src/web/pages/import/source.ts'
import { dateFiles, importedState } from '../support/awkward-vault.ts'
import { type Browser, signedIn } from '../support/browser-client.ts'
import { callerOf } from '../support/cli.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { newFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { writeFiles } from '../support/vault.ts'

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
async function importAsApplication(root: string, all: readonly string[]): Promise<void> {
  const chosen = sortFiles(
    'Vault',
    all.map((path) => {
      const file = Bun.file(join(root, path))
      return { path, bytes: file.size, modifiedAt: file.lastModified, read: async () => file }
    }),
  )
  const { signal } = new AbortController()
  const calls = new ImportCalls('Vault', signal, () => {})
  const remarks = new Remarks(chosen.skipped)
  const now = Date.now()
  const source = await sourceOf(chosen)
  const read = await readFolder(
    { folder: chosen, source, calls, signal, remarks, onProgress: () => {}, confirm: async () => {} },
    now,
  )
  await new FolderSender(read, { calls, foldersAsTags: false, signal, now, remarks }, () => {}).send()
}

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
        await importVault(command.ctx.db, callerOf(command), {
          folder: root,
          databaseFile: '',
          foldersAsTags: false,
          updates: false,
          isDryRun: false,
          skipsBad: true,
          onProgress: () => {},
        })
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
      { numRuns: runs(12, 300) },
    )
  },
  RANDOM_CASES_MS,
)
