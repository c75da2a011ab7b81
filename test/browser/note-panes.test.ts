import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  press,
  startApplication,
  until,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { untilValue } from '../support/waits.ts'

const WIDE = { width: 1440, height: 900 }
const LOOKS = [1440, 820].flatMap((width) => [[width, 'light'] as const, [width, 'dark'] as const])
const PHONE = { width: 390, height: 844 }

describe.skipIf(!hasBrowser)('the notes beside the list', () => {
  let app: Application
  let page: Page

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage(WIDE)
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const createNote = async (title: string, content = '', more: object = {}): Promise<string> =>
    (await app.server.post('/v1/notes', { title, content, ...more })).body.note.id
  const go = async (path: string, size = WIDE) => {
    await page.setViewport(size)
    await page.goto(`${app.server.url}/app/${path}`)
    await page.waitForSelector('main')
  }
  const titleIs = (title: string, pane = '#note') => untilValue(page, `${pane} .title-field`, title)
  const contentOf = async (id: string) => (await app.server.get(`/v1/notes/${id}`)).body.note.content
  const idShown = () => new URL(page.url()).pathname.split('/').at(-1)

  test(
    'open with the list: the last one on a wide screen, the newest if it is gone, none on a phone',
    async () => {
      const last = await createNote('Opened last')
      await createNote('Newest')
      await go(`notes/${last}`)
      await titleIs('Opened last')
      await go('notes')
      await titleIs('Opened last')
      expect(idShown()).toBe(last)
      await page.waitForSelector('.notes-rows > .chosen')
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
      expect(await accessibilityProblems(page, [[1440, 'light']])).toEqual([])

      await app.server.delete(`/v1/notes/${last}`)
      await go('notes')
      await titleIs('Newest')

      await go('notes', PHONE)
      await page.waitForSelector('.notes-rows a')
      expect(new URL(page.url()).pathname).toBe('/app/notes')
      // A turned tablet has room for both.
      await page.setViewport(WIDE)
      await titleIs('Newest')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'begin with the first note of a tag, and Back leads to the screen before the list',
    async () => {
      await createNote('Bowl', '', { tags: ['kiln'] })
      await createNote('Other')
      await go('changes')
      await page.waitForSelector('.rail a[href*="tag=kiln"]')
      await page.click('.rail a[href*="tag=kiln"]')
      await titleIs('Bowl')
      await page.goBack()
      await page.waitForSelector('.changes-screen')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'stay away after a note was moved to the trash, until the next visit, so that it can be taken back',
    async () => {
      const id = await createNote('Mistake')
      await go(`notes/${id}`)
      await titleIs('Mistake')
      await page.click('#note [aria-label="More actions"]')
      await press(page, 'Move to trash')
      await untilTextIn(page, '#list', 'Mistake')
      await press(page, 'Undo')
      await titleIs('Mistake')
      expect((await app.server.get(`/v1/notes/${id}`)).status).toBe(200)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'stand side by side in two panes, both of which can be written in, until Escape, and Back and a reload keep them',
    async () => {
      const right = await createNote('Right', 'See [[Third]].')
      const third = await createNote('Third', 'The third text.')
      const left = await createNote('Left', 'See [[Right]].')
      await go(`notes/${left}`)
      await page.waitForSelector('#note .md-to[href]')
      await page.keyboard.down('Alt')
      await page.click('#note .md-to[href]')
      await page.keyboard.up('Alt')
      await titleIs('Right', '#beside')
      await page.waitForSelector('#beside:focus')
      await titleIs('Left')
      expect(await page.title()).toStartWith('Left')
      expect(await page.$('#details')).toBeNull()
      await page.waitForSelector('#beside .md-to[href]')
      expect(await accessibilityProblems(page, LOOKS)).toEqual([])
      await page.setViewport(WIDE)

      await page.click('#beside .cm-content')
      await page.keyboard.press('End')
      await page.keyboard.type(' right')
      await page.click('#note .cm-content')
      await page.keyboard.press('End')
      await page.keyboard.type(' left')
      await until(
        async () =>
          (await contentOf(left)) === 'See [[Right]]. left' &&
          (await contentOf(right)) === 'See [[Third]]. right',
      )

      // A link leads on in its own pane.
      await page.click('#beside .md-to[href]')
      await titleIs('Third', '#beside')
      await page.reload()
      await titleIs('Third', '#beside')
      await titleIs('Left')
      await page.goBack()
      await titleIs('Right', '#beside')
      await page.goForward()
      await titleIs('Third', '#beside')

      // Another note of the list opens in the first pane.
      await page.locator(`#list a[href*="/notes/${third}"]`).click()
      await titleIs('Third')
      await page.waitForSelector('#beside .cm-content')
      await page.click('#note .cm-content')
      await page.keyboard.press('End')
      await page.keyboard.type(' Twice.')
      await untilTextIn(page, '#beside .cm-content', 'The third text. Twice.')
      await page.locator(`#list a[href*="/notes/${left}"]`).click()
      await titleIs('Left')
      await untilTextIn(page, '#beside .cm-content', 'Twice.')

      // Escape leads out of the text, and then closes the pane.
      await page.click('#beside .cm-content')
      await page.keyboard.press('Escape')
      await page.waitForSelector('#beside [aria-label="Close second note"]:focus')
      await page.keyboard.press('Escape')
      await page.waitForSelector('#details')
      expect(await page.$('#beside')).toBeNull()
      await page.waitForSelector('#note .cm-content:focus')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'open beside the first one from its menu and by keys, and the details take the place of the second',
    async () => {
      const kept = await createNote('Kept beside', 'Text.')
      const other = await createNote('Looked up', 'See [[Kept beside]].')
      await go(`notes/${kept}`)
      await titleIs('Kept beside')
      await page.click('#note [aria-label="More actions"]')
      await press(page, 'Open in second pane')
      await titleIs('Kept beside', '#beside')
      await page.focus(`#list a[href*="/notes/${other}"]`)
      await page.keyboard.press('Enter')
      await titleIs('Looked up')
      expect(new URL(page.url()).searchParams.get('beside')).toBe(kept)
      await page.focus('#note [aria-label="Details"]')
      await page.keyboard.press('Enter')
      await page.waitForSelector('#details .section')
      expect(await page.$('#beside')).toBeNull()
      await page.keyboard.press('Enter')
      await titleIs('Kept beside', '#beside')
      await page.click('#beside [aria-label="Close second note"]')
      await page.waitForSelector('#details')

      await page.focus(`#list a[href*="/notes/${kept}"]`)
      await page.keyboard.down('Alt')
      await page.keyboard.press('Enter')
      await page.keyboard.up('Alt')
      await titleIs('Kept beside', '#beside')
      await page.click('#beside .bar a')
      await titleIs('Kept beside')
      expect(await page.$('#beside')).toBeNull()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'have room for two on a tablet, and a phone shows the first',
    async () => {
      const first = await createNote('First')
      const second = await createNote('Second')
      const path = `notes/${first}?beside=${second}`
      await go(path, { width: 820, height: 1180 })
      await titleIs('Second', '#beside')
      const widths = await page.$$eval('main > .pane', (panes) =>
        panes.map((pane) => pane.getBoundingClientRect().width),
      )
      expect(widths.filter((width) => width > 300)).toHaveLength(2)
      await go(path, PHONE)
      await titleIs('First')
      expect(await page.$('#beside')).toBeNull()
    },
    BROWSER_TIMEOUT_MS,
  )

  test('no page had an error', () => expect(app.problems).toEqual([]))
})
