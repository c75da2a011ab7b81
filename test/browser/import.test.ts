import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Zippable, zipSync } from 'fflate'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  fieldOf,
  press,
  startApplication,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { AWKWARD_VAULT, dateFiles, importedState } from '../support/awkward-vault.ts'
import { hasBrowser } from '../support/browser.ts'
import { dropFiles } from '../support/browser-files.ts'
import { runInProcess } from '../support/cli.ts'
import { send } from '../support/page-requests.ts'
import { newFolder } from '../support/process.ts'
import { type Client, startService } from '../support/service.ts'
import { writeFiles } from '../support/vault.ts'

/**
 * Pauses the page's import once the server has received this many files and batches of notes, until the returned function is called.
 */
async function holdAfter(page: Page, count: number): Promise<() => Promise<void>> {
  const held = await page.evaluateHandle((most) => {
    const { fetch } = window
    const { promise, resolve } = Promise.withResolvers<void>()
    let left = most
    window.fetch = Object.assign(async (input: RequestInfo | URL, init?: RequestInit) => {
      if (!/import\/(files|notes)/.test(String(input))) return fetch(input, init)
      const response = left > 0 ? await fetch(input, init) : undefined
      left -= 1
      if (left < 1) document.title = 'held'
      if (left < 1) await promise
      return response ?? fetch(input, init)
    }, fetch)
    return { goOn: () => resolve() }
  }, count)
  return () => held.evaluate(({ goOn }) => goOn())
}

interface Report {
  readonly place: string
  readonly what?: string
  readonly reason?: string
  readonly property?: string
  readonly from?: string
  readonly to?: string
}

const sentence = ({ place, what, reason }: Report) => `${place}: ${what ?? reason}`
const demotion = ({ place, property, from, to }: Report) =>
  `${place}: the property "${property}" is ${to}, not ${from}.`

/** Creates other notes with names that the folder uses, and definitions that conflict with its values and tags. */
async function addOther({ request }: Pick<Client, 'request'>): Promise<void> {
  const send = async (method: string, path: string, body?: object) => {
    const { status, body: sent } = await request(method, path, body)
    expect(status).toBeLessThan(300)
    return sent
  }
  for (const note of [
    { title: 'Other loaf', alias: 'bread', tags: ['food', 'kitchen'] },
    { title: 'Second name' },
    { title: 'Third', alias: 'I # hash' },
    { title: 'Home' },
  ])
    await send('POST', '/v1/notes', note)
  for (const property of [
    { key: 'when', type: 'date', label: 'Due Date' },
    { key: 'number', type: 'text' },
    { key: 'score', type: 'select', options: ['1', 'high'] },
  ])
    await send('POST', '/v1/properties', property)
  const { tags } = await send('GET', '/v1/tags')
  const [food, kitchen] = tags.map(({ id }: { id: number }) => id)
  await send('PUT', `/v1/tags/${food}/links`, { linked_tag_ids: [kitchen] })
}

describe.skipIf(!hasBrowser)('a folder imported in a browser', () => {
  const folder = newFolder()
  const vault = folder.file('Vault')
  let app: Application
  let page: Page
  /** The result of a command line import of the same folder into an empty workspace. */
  let expected: ReturnType<typeof importedState>

  beforeAll(async () => {
    mkdirSync(vault)
    writeFiles(vault, AWKWARD_VAULT)
    dateFiles(vault)
    expected = (await onCommandLine('empty.db', async () => {})).state
    app = await startApplication()
    page = await app.newPage()
    page.on('dialog', (dialog) => void dialog.accept())
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    folder.remove()
  }, BROWSER_TIMEOUT_MS)

  /** Returns the output of the command line, and the workspace that it creates. */
  async function onCommandLine(name: string, prepare: (client: Client) => Promise<void>) {
    const file = folder.file(name)
    const service = await startService({ file })
    await prepare(service)
    service.close()
    const { out } = await runInProcess(['import', vault, '--db', file, '--skip-bad', '--json'])
    const report: Record<'refused' | 'changed' | 'demoted' | 'skipped', Report[]> = JSON.parse(out)
    return { report, state: importedState(file, 'Personal') }
  }

  /** Opens a new workspace of this name. */
  async function enter(name: string) {
    const { workspace } = (await send(page, 'POST', '/app/api/workspaces', { name })).body
    await send(page, 'PATCH', '/app/api/session', { workspace_id: workspace.id })
    await open()
  }
  async function open() {
    await page.goto(`${app.server.url}/app/import`)
    await page.waitForSelector('main input[type=file]')
    // The command line adds no tags of folders.
    await page.locator('main input[type=checkbox]').click()
  }
  async function confirm() {
    await untilText(page, 'Ready to import')
    await page.locator('main .actions button.main').click()
  }
  async function choose(path: string, label = 'Choose the folder, or drop it here') {
    const field = await (await fieldOf(page, label)).toElement('input')
    await field.uploadFile(path)
  }
  async function importFrom(path: string, label?: string) {
    await choose(path, label)
    await confirm()
  }
  const reportOf = (title: string) =>
    page.$$eval(
      'main details',
      (parts, wanted) => {
        const part = parts.find(({ textContent }) => textContent?.startsWith(wanted))
        return [...(part?.querySelectorAll('li') ?? [])].map(({ textContent }) => textContent ?? '')
      },
      title,
    )
  const untilReported = (text: string) => untilTextIn(page, 'main [role=status]', text)

  test(
    'gives the same result as the command line, and reports on every file',
    async () => {
      const { report, state } = await onCommandLine('used.db', addOther)
      await addOther(app.server)
      await open()
      await importFrom(vault)
      await untilReported('Done. New: 27 notes, 8 files, 17 properties.')
      expect(importedState(app.file, 'Personal')).toEqual(state)
      expect(await reportOf('Not imported')).toEqual(report.refused.map(sentence))
      expect((await reportOf('Changed')).sort()).toEqual(
        [...report.changed.map(sentence), ...report.demoted.map(demotion)].sort(),
      )
      expect(await reportOf('Skipped')).toEqual(report.skipped.map(sentence))
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'as a zip file gives the same',
    async () => {
      const files = readdirSync(vault, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      )
      const zippable = files.map(({ parentPath, name }): [string, Zippable[string]] => {
        const path = join(parentPath, name)
        return [
          path.slice(folder.path.length + 1),
          [readFileSync(path), { mtime: statSync(path).mtime, level: 1 }],
        ]
      })
      await Bun.write(folder.file('Vault.zip'), zipSync(Object.fromEntries(zippable)))
      await enter('Zipped')
      await importFrom(folder.file('Vault.zip'), 'Or a ZIP file')
      await untilReported('Done.')
      expect(importedState(app.file, 'Zipped')).toEqual(expected)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'dropped on the page gives the same',
    async () => {
      await enter('Dropped')
      const box = await (await page.$('main .setting'))?.boundingBox()
      await dropFiles(page, { x: (box?.x ?? 0) + 50, y: (box?.y ?? 0) + 50 }, [vault])
      await confirm()
      await untilReported('Done.')
      expect(importedState(app.file, 'Dropped')).toEqual(expected)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'chosen again imports only new files, reports unchanged ones, and can turn folders into tags',
    async () => {
      const small = folder.file('Small')
      writeFiles(small, {
        'Cooking/Bread.md': 'bread [[Oven]]',
        'Oven.md': 'oven',
        'Salt.md': 'salt',
        'Rye.md': 'rye',
      })
      await enter('Again')
      await page.locator('main input[type=checkbox]').click()
      await importFrom(small)
      await untilReported('Done. New: 4 notes.')
      expect(await accessibilityProblems(page)).toEqual([])
      const [salt] = (await send(page, 'GET', '/v1/notes?search=salt')).body.notes
      await send(page, 'DELETE', `/v1/notes/${salt.id}`)
      rmSync(join(small, 'Rye.md'))
      writeFiles(small, { 'Oven.md': 'a hot oven', 'New.md': 'new [[Bread]]' })
      await importFrom(small)
      await untilReported('Done. New: 1 note. 2 notes and files already imported.')
      expect(await reportOf('Skipped')).toEqual([
        'Oven.md: it has changed since its import; the imported version stays as it is. To import everything again, rename the folder.',
        'Salt.md: what was imported from it has been deleted; rename the file to import it again.',
        'Rye.md: it is no longer in the folder; its imported note or file stays.',
      ])
      const { notes } = importedState(app.file, 'Again')
      expect(notes.map(({ path, tags, content }) => [path, tags, content])).toEqual([
        ['Cooking/Bread.md', ['Cooking'], 'bread [[Oven]]'],
        ['New.md', [], 'new [[Bread]]'],
        ['Oven.md', [], 'oven'],
        ['Rye.md', [], 'rye'],
      ])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows folders and properties before it writes, and is undone as one',
    async () => {
      const small = folder.file('Undone')
      writeFiles(small, {
        'Cooking/Cakes/Rye.md': '---\nrating: 5\n---\n![[p.png]]',
        'Cooking/p.png': 'p',
        'Oven.md': 'oven',
      })
      await enter('Undone')
      await choose(small)
      await untilText(page, 'Ready to import 2 notes, 1 file. Nothing is written yet.')
      await untilText(page, 'Cooking: 1 note, 1 file')
      await untilText(page, 'rating: number')
      expect(await accessibilityProblems(page)).toEqual([])
      expect(importedState(app.file, 'Undone').notes).toEqual([])
      await confirm()
      await untilReported('Done. New: 2 notes, 1 file, 1 property.')
      await page.locator('main .actions button').click()
      await untilReported('Removed: 3 notes and files, 1 property.')
      expect(importedState(app.file, 'Undone').notes).toEqual([])
      await importFrom(small)
      await untilReported('Done. New: 2 notes, 1 file, 1 property.')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'gets the tags of its folders also afterwards, which the undo of the import removes with the notes',
    async () => {
      const small = folder.file('Tagged')
      writeFiles(small, {
        'Cooking/Bread.md': 'bread #rye',
        'Cooking/Sweet/Cake.md': 'cake',
        'Top.md': 'top',
      })
      await enter('Tagged')
      await choose(small)
      await untilText(page, 'Import 3 notes')
      await confirm()
      await untilReported('Done. New: 3 notes.')
      const tags = () => importedState(app.file, 'Tagged').notes.map((note) => [note.path, note.tags])
      expect(tags()).toEqual([
        ['Cooking/Bread.md', ['rye']],
        ['Cooking/Sweet/Cake.md', []],
        ['Top.md', []],
      ])
      await press(page, 'Add folders as tags')
      await untilText(page, '2 notes tagged with the path of the folder.')
      expect(tags()).toEqual([
        ['Cooking/Bread.md', ['Cooking', 'rye']],
        ['Cooking/Sweet/Cake.md', ['Cooking/Sweet']],
        ['Top.md', []],
      ])
      // Of an earlier import, too.
      await choose(small)
      await untilReported('Nothing new.')
      await press(page, 'Add folders as tags')
      await untilText(page, 'All notes have the tags of their folders.')

      await enter('Tagged again')
      await importFrom(small)
      await press(page, 'Add folders as tags')
      await untilText(page, '2 notes tagged')
      await press(page, 'Undo import')
      await untilReported('Done. Removed: 3 notes and files, 1 tag.')
      expect((await send(page, 'GET', '/v1/tags')).body.tags).toEqual([])
      expect(importedState(app.file, 'Tagged again').notes).toEqual([])
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'resumes after the tab or the server died',
    async () => {
      await enter('Broken off')
      await holdAfter(page, 5)
      await importFrom(vault)
      await page.waitForFunction(() => document.title === 'held')
      await open()
      await choose(vault)
      await untilText(page, 'An earlier import of this folder was interrupted.')
      await press(page, 'Undo import')
      await untilReported('Done. Removed:')
      expect(importedState(app.file, 'Broken off')).toMatchObject({ notes: [], files: [] })
      await open()
      for (const count of [1, 5]) {
        await holdAfter(page, count)
        await importFrom(vault)
        await page.waitForFunction(() => document.title === 'held')
        await open()
      }
      const goOn = await holdAfter(page, 2)
      await importFrom(vault)
      await page.waitForFunction(() => document.title === 'held')
      await app.restart(async () => {
        await goOn()
        await untilText(page, 'The import continues when it is back.')
      })
      await untilReported('Done.')
      expect(importedState(app.file, 'Broken off')).toEqual(expected)
      await choose(vault)
      await untilReported('Nothing new. 36 notes and files already imported.')
      expect(importedState(app.file, 'Broken off')).toEqual(expected)
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
