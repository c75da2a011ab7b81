import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ElementHandle, Page } from 'puppeteer-core'
import { ALL_LOOKS, accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  attributeOf,
  fieldOf,
  fill,
  press,
  startApplication,
  until,
  untilNoText,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { textOf, textsOf } from '../support/page-acts.ts'
import { newFolder } from '../support/process.ts'
import { untilCompared } from '../support/screens/notes.ts'
import { untilCount, untilRead } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('beside a note in a browser', () => {
  let app: Application
  let page: Page
  const folder = newFolder()

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    folder.remove()
  }, BROWSER_TIMEOUT_MS)

  const createNote = async (title: string, content = ''): Promise<string> =>
    (await app.server.post('/v1/notes', { title, content })).body.note.id
  const open = async (id: string, parameters = '') => {
    await page.goto(`${app.server.url}/app/notes/${id}${parameters}`)
    await page.waitForSelector('#details .section')
  }
  const properties = async (id: string) =>
    (await app.server.get(`/v1/notes/${id}/properties`)).body.properties
  const presetId = async (name: string): Promise<string> =>
    (await app.server.get('/v1/presets')).body.presets.find((one: { name: string }) => one.name === name).id

  test(
    'aliases are added and removed one by one; one that another note has is refused',
    async () => {
      await app.server.post('/v1/notes', { title: 'Holder', alias: 'Taken' })
      const id = await createNote('Named')
      const from = await createNote('From', '[[Second name]]')
      await open(id)
      const add = async (name: string) => {
        await page.type('input[name=alias]', name)
        await press(page, 'Add alias')
      }
      const section = '#details .section:has(input[name=alias])'
      await add('First name')
      await untilTextIn(page, section, 'First name')
      await add('Second name')
      await untilTextIn(page, section, 'Second name')
      const saved = async () => (await app.server.get(`/v1/notes/${id}`)).body.note
      expect(await saved()).toMatchObject({ alias: 'First name', aliases: ['Second name'] })
      await add('taken')
      await untilText(page, 'The alias "taken" belongs to the note "Holder" already')
      await press(page, 'Remove alias Second name')
      await untilNoText(page, 'Second name')
      expect((await saved()).aliases).toEqual([])
      expect((await app.server.get(`/v1/notes/${from}`)).body.note.content).toBe('[[Named]]')
      expect(await accessibilityProblems(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a preset asks for each value in a field of its type, and stores answers in that type',
    async () => {
      for (const [key, type, options] of [
        ['stars', 'number'],
        ['done', 'bool'],
        ['due', 'date'],
        ['parts', 'json'],
        ['state', 'select', ['in use', 'spare']],
      ] as const)
        await app.server.post('/v1/properties', {
          key,
          type,
          label: `The ${key}`,
          ...(options && { options }),
        })
      const ask = ['stars', 'done', 'due', 'parts', 'state'].map((key) => ({ key }))
      await app.server.post('/v1/presets', { name: 'Review', tags: [], properties: [], ask })
      const id = await createNote('Asked')
      await open(id)
      await page.waitForSelector('select[aria-label=Preset]')
      await page.select('select[aria-label=Preset]', await presetId('Review'))
      const field = (key: string) =>
        `form:has(select[aria-label=Preset]) .field:nth-of-type(${['stars', 'done', 'due', 'parts', 'state'].indexOf(key) + 1}) .input`
      await page.waitForSelector(field('state'))
      await page.type(field('stars'), '4.5')
      await page.select(field('done'), 'false')
      await page.$eval(field('due'), (due) => {
        Object.assign(due, { value: '2026-11-22' })
        due.dispatchEvent(new Event('input', { bubbles: true }))
      })
      await page.type(field('parts'), '{"hub": 2')
      await page.select(field('state'), 'spare')
      await press(page, 'Apply')
      await untilTextIn(page, `.field:has(> [aria-invalid=true]) .why`, 'The property "parts" must be JSON')
      expect(await page.$$eval('#details .why', ({ length }) => length)).toBe(1)
      expect(await properties(id)).toEqual({})
      await page.type(field('parts'), '}')
      await press(page, 'Apply')
      await untilText(page, 'Properties set: 5, unchanged: 0')
      expect(await properties(id)).toEqual({
        stars: 4.5,
        done: false,
        due: '2026-11-22',
        parts: { hub: 2 },
        state: 'spare',
      })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'an answer that the server refuses shows the reason at its field, and stays typed',
    async () => {
      const options = (names: string[]) => ({ key: 'grade', type: 'select', label: 'Grade', options: names })
      const { property } = (await app.server.post('/v1/properties', options(['good', 'bad']))).body
      await app.server.post('/v1/presets', {
        name: 'Grading',
        tags: [],
        properties: [],
        ask: [{ key: 'stars' }, { key: 'grade' }],
      })
      await open(await createNote('Graded'))
      await page.waitForSelector('select[aria-label=Preset]')
      await page.select('select[aria-label=Preset]', await presetId('Grading'))
      const grade = 'form:has(select[aria-label=Preset]) .field:nth-of-type(2) .input'
      await page.waitForSelector(grade)
      await page.select(grade, 'bad')
      // The options change while the page is disconnected from its feed.
      await page.setOfflineMode(true)
      await app.server.patch(`/v1/properties/${property.id}`, { options: ['good'] })
      await page.setOfflineMode(false)
      await press(page, 'Apply')
      await untilTextIn(page, '.field:has(> [aria-invalid=true]) .why', 'The property "grade" must be one of')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a number that cannot be read is refused at its property, stays to be corrected, and clears no value',
    async () => {
      const id = await createNote('Unreadable')
      await app.server.patch(`/v1/notes/${id}/properties`, { stars: 3 })
      await open(id)
      await fill(page, 'The stars', '4e')
      await page.keyboard.press('Tab')
      await untilText(page, 'Enter a number such as 12.5')
      expect(await attributeOf(page, 'The stars', 'aria-invalid')).toBe('true')
      expect((await properties(id)).stars).toBe(3)
      await (await fieldOf(page, 'The stars')).focus()
      await page.keyboard.press('End')
      await page.keyboard.type('1')
      await page.keyboard.press('Tab')
      await untilRead(page, `/v1/notes/${id}/properties`, ({ properties }) => properties.stars === 40)
      const field = await fieldOf(page, 'The stars')
      await page.waitForFunction((one) => (one as unknown as { value: string }).value === '40', {}, field)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'only properties with a value are shown; others are added by name',
    async () => {
      const id = await createNote('Few properties')
      await app.server.patch(`/v1/notes/${id}/properties`, { done: false })
      await open(id)
      const shown = () =>
        page.$$eval('#details .facts label', (all) => all.map(({ textContent }) => textContent))
      await untilTextIn(page, '#details .facts', 'The done')
      expect(await shown()).toEqual(['The done'])
      await fill(page, 'Property', 'The moon')
      await page.keyboard.press('Enter')
      await untilTextIn(page, '#details .add-line .why', 'No property has this name')
      await fill(page, 'Property', 'the stars')
      await page.waitForSelector('#details .facts input[type=number]:focus')
      await page.keyboard.type('5')
      await page.keyboard.press('Tab')
      await untilRead(page, `/v1/notes/${id}/properties`, ({ properties }) => properties.stars === 5)
      await page.reload()
      await untilTextIn(page, '#details .facts', 'The stars')
      expect(await shown()).toEqual(['The stars', 'The done'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a note with several links is listed once, with their number',
    async () => {
      const home = await createNote('Home')
      await open(await createNote('Linking', '[[Home]] [[home|there]] [[Home]] [[Nowhere]] [[nowhere]]'))
      await untilTextIn(page, '#details', 'Links in this note')
      const links = await page.$$eval('#details .plain li', (all) =>
        all.map(({ textContent }) => textContent),
      )
      expect(links).toEqual(['Home3 times', 'Nowhere, not created yet2 times'])
      expect(await page.$(`#details .plain a[href="/app/notes/${home}"]`)).not.toBeNull()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'backlinks are accessible beside their passages, also that of a note to itself',
    async () => {
      const id = await createNote('Me', 'A passage about [[Me]] that is longer than its title.')
      await createNote('It', 'Another passage about [[Me]].')
      await open(id, '?pane=details')
      await untilCount(page, '#details li:has(.clamp)', 2)
      expect(await accessibilityProblems(page, ALL_LOOKS)).toEqual([])
      await page.setViewport({ width: 1280, height: 800 })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'headings keep their levels, and one that repeats the title is omitted',
    async () => {
      const text = '# Sizes\n\n# One\n\n## Two\n\n### Three\n\n#### Four\n\n##### Five\n\ntext'
      await open(await createNote('Sizes', text), '?show=preview')
      await page.waitForSelector('.read p')
      const found = await page.$$eval('.read :is(h1, h2, h3, h4, h5, h6, p)', (blocks) =>
        blocks.map((block) => [block.localName, block.textContent, getComputedStyle(block).fontSize]),
      )
      expect(found).toEqual([
        ['h3', 'One', '28px'],
        ['h4', 'Two', '22px'],
        ['h5', 'Three', '18px'],
        ['h6', 'Four', '16px'],
        ['h6', 'Five', '16px'],
        ['p', 'text', '16px'],
      ])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a callout is accessible, with its name and text',
    async () => {
      await open(
        await createNote(
          'Callouts',
          '> [!warning] Mind the *gap*\n> and **go**\n\n> [!Tip]\n> one\n\n> plain',
        ),
        '?show=preview',
      )
      await page.waitForSelector('.read blockquote:nth-of-type(3)')
      const found = await page.$$eval('.read blockquote', (all) =>
        all.map((one) => [one.className, [...one.children].map(({ textContent }) => textContent)]),
      )
      expect(found).toEqual([
        ['md-callout md-warning', ['Mind the gap', 'and go']],
        ['md-callout md-tip', ['Tip', 'one']],
        ['', ['plain']],
      ])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'links with the same label open their own notes',
    async () => {
      const [one, two] = [await createNote('Front hub'), await createNote('Rear hub')]
      const id = await createNote('Hubs', '[[Front hub|the hub]], [[Rear hub|the hub]], [[No hub|the hub]]')
      await open(id, '?show=preview')
      await untilCount(page, '.read a', 2)
      expect(
        await page.$$eval('.read a', (links) => links.map((link) => new URL(link.href).pathname)),
      ).toEqual([`/app/notes/${one}`, `/app/notes/${two}`])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'revisions of one editing session are grouped, can be listed and opened, and have addresses',
    async () => {
      const id = await createNote('Written often', 'version 0')
      for (let version = 1; version <= 70; version++)
        await app.server.patch(`/v1/notes/${id}`, { content: `version ${version}` })
      await open(id)
      const untilEdits = (wanted: number) => untilTextIn(page, '#details .ledger li', `${wanted} saves`)
      await untilEdits(20)
      await press(page, 'Show older')
      await untilEdits(60)
      await app.server.patch(`/v1/notes/${id}`, { content: 'version 71' })
      await untilEdits(61)
      await press(page, 'Show older')
      await untilEdits(71)
      await untilNoText(page, 'Show older')
      expect(await page.$$eval('#details .ledger li', ({ length }) => length)).toBe(1)
      await page.focus('#details .ledger li:last-child button')
      await page.keyboard.press('Enter')
      await untilCompared(page, 'version ', '0', '71')
      await page.reload()
      await untilCompared(page, 'version ', '0', '71')
      const newest = (await app.server.get(`/v1/notes/${id}/revisions?limit=1`)).body.revisions[0].id
      await page.select('#details select[aria-label="Edit"]', newest)
      await untilCompared(page, 'version ', '70', '71')
      await page.goBack()
      await untilCompared(page, 'version ', '0', '71')
      await page.goBack()
      await page.waitForSelector('.differences', { hidden: true })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'notes in Quick Access are moved by keyboard, by dragging, and in the menu of the note',
    async () => {
      const ids: string[] = []
      for (const title of ['First', 'Second', 'Third']) ids.push(await createNote(title))
      for (const note_id of ids) await app.server.post('/v1/quick-access', { note_id })
      await open(ids[2] ?? '')
      const shown = () => textsOf(page, '.rail .rail-sub:first-of-type a')
      const untilShown = (titles: string) => until(async () => (await shown()).join() === titles)
      await untilShown('First,Second,Third')
      await page.focus('.rail .rail-sub:first-of-type a')
      await page.keyboard.down('Alt')
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.up('Alt')
      await untilShown('Second,First,Third')
      expect(await textOf(page, ':focus')).toBe('First')
      await press(page, 'More actions')
      await press(page, 'Move up in quick access')
      await untilShown('Second,Third,First')
      const boxOf = async (at: number) => {
        const list = await page.$('.rail .rail-sub')
        const box = await (await list?.$$('a'))?.[at]?.boundingBox()
        if (!box) throw new Error('it is not seen')
        return box
      }
      const [first, last] = [await boxOf(0), await boxOf(2)]
      await page.mouse.move(first.x + 20, first.y + 8)
      await page.mouse.down()
      await page.mouse.move(last.x + 20, last.y + 8, { steps: 5 })
      await page.mouse.up()
      await untilShown('Third,First,Second')
      await press(page, 'More actions')
      await press(page, 'Move down in quick access')
      await untilShown('First,Third,Second')
      await press(page, 'More actions')
      await press(page, 'Move down in quick access')
      await untilShown('First,Second,Third')
      const { items } = (await app.server.get('/v1/quick-access')).body
      expect(items.map(({ title }: { title: string }) => title)).toEqual(['First', 'Second', 'Third'])
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1280, height: 800 })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a file dropped on the note is attached, and one dropped elsewhere changes nothing',
    async () => {
      const id = await createNote('Dropped on')
      const path = folder.file('spokes.txt')
      await Bun.write(path, '32 spokes')
      await open(id)
      await page.waitForSelector('.cm-content')
      const session = await page.createCDPSession()
      const drop = async (selector: string) => {
        const place = (await page.waitForSelector(selector)) as ElementHandle
        const { x, y } = await place.clickablePoint()
        const data = { items: [], files: [path], dragOperationsMask: 1 }
        for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
          await session.send('Input.dispatchDragEvent', { type, x, y, data })
      }
      const here = page.url()
      await drop('.rail-find')
      await drop('#note .foot')
      await drop('.sheet .title')
      await page.waitForSelector('#details a[href^="/app/files/"]')
      await drop('.cm-content')
      await untilCount(page, '#details a[href^="/app/files/"]', 2)
      await page.waitForSelector('#note .status.ok')
      expect(page.url()).toBe(here)
      const { files } = (await app.server.get(`/v1/notes/${id}/files`)).body
      expect(files.map(({ file_name }: { file_name: string }) => file_name)).toEqual([
        'spokes.txt',
        'spokes.txt',
      ])
      await untilTextIn(page, '.cm-content', 'spokes.txt')
      await untilRead(page, `/v1/notes/${id}`, ({ note }) => note.content.includes('|spokes.txt]]'))
    },
    BROWSER_TIMEOUT_MS,
  )

  test('the page had no error', () => {
    expect(app.problems).toEqual([])
  })
})
