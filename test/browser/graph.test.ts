import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { ALL_LOOKS, accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  fieldOf,
  fill,
  press,
  startApplication,
  untilText,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { leaveFocus } from '../support/page-acts.ts'
import { untilAddress, untilCount, untilTextIs, untilVisible } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('the graph in a browser', () => {
  let app: Application
  let page: Page
  let note: string
  const titles = (heading: string) =>
    page.$$eval(
      '.side .section',
      (sections, wanted) =>
        [
          ...(sections.find(({ textContent }) => textContent?.startsWith(wanted))?.querySelectorAll('a') ??
            []),
        ].map(({ textContent }) => textContent),
      heading,
    )

  beforeAll(async () => {
    app = await startApplication()
    const { server } = app
    await server.post('/v1/notes', { title: 'Hubs', content: 'Few words.' })
    const wheels = { title: 'Wheels', content: '[[Hubs]] and [[Spokes]]', tags: ['method'] }
    note = (await server.post('/v1/notes', wheels)).body.note.id
    await server.post('/v1/notes', { title: 'Brakes', content: 'See [[Wheels]].' })
    await server.post('/v1/lenses', { name: 'Everything' })
    page = await app.newPage()
    await app.signIn(page)
    await page.goto(`${server.url}/app/graph`)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'is laid out in a worker, beside a list with the same nodes',
    async () => {
      await untilText(page, 'Laid out in')
      expect(await titles('All 3')).toEqual(['Wheels', 'Hubs', 'Brakes'])
      await page.keyboard.press('j')
      await untilText(page, 'Links to')
      expect([await titles('Links to'), await titles('Linked from')]).toEqual([['Hubs'], ['Brakes']])
      await page.reload()
      await untilText(page, 'Links to')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1280, height: 800 })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows the nodes of its lens, and saves layers in the lens',
    async () => {
      await (await fieldOf(page, 'Links to notes that don’t exist')).asLocator().click()
      await untilText(page, 'note does not exist yet')
      await fill(page, 'Find in this graph', 'spo')
      await untilCount(page, '.side .section:last-child li', 1)
      expect(await titles('All 4')).toEqual(['spokes'])
      const [lens] = (await app.server.get('/v1/lenses')).body.lenses
      expect(lens.settings.nodes.dangling).toBe(true)
      await page.goto(`${app.server.url}/app/graph?node=${note}&list=1`)
      await untilText(page, 'note does not exist yet')
      expect(await accessibilityProblems(page, ALL_LOOKS)).toEqual([])
      await page.setViewport({ width: 1280, height: 800 })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'keeps the search in the address, and offers its lenses at any size',
    async () => {
      await page.goto(`${app.server.url}/app/graph`)
      await fill(page, 'Find in this graph', 'hub')
      await untilAddress(page, ({ search }) => search === '?find=hub')
      await page.reload()
      await untilCount(page, '.side .section:last-child li', 1)
      const { lens } = (await app.server.post('/v1/lenses', { name: 'Other' })).body
      for (const width of [360, 800, 1280]) {
        await page.setViewport({ width, height: 800 })
        await page.goto(`${app.server.url}/app/graph`)
        await untilVisible(page, 'select[aria-label=Lens]')
        await page.select('select[aria-label=Lens]', lens.id)
        await untilTextIs(page, '.content h2', 'Other')
        expect(page.url()).toEndWith(`?lens=${lens.id}`)
      }
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1280, height: 800 })
      await page.goto(`${app.server.url}/app/graph`)
      await untilText(page, 'Laid out in')
      await page.keyboard.press('j')
      await untilText(page, 'Links to')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'opens a note with the keyboard, and on a phone shows one pane at a time',
    async () => {
      await page.setViewport({ width: 360, height: 740 })
      expect(await page.$eval('.side', (pane) => pane.checkVisibility())).toBe(false)
      await press(page, 'Show as a list')
      await untilVisible(page, '.side')
      await page.setViewport({ width: 1280, height: 800 })
      await leaveFocus(page)
      await page.keyboard.press('o')
      await untilAddress(page, ({ pathname }) => pathname.startsWith('/app/notes/'))
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
