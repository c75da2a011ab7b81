import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication, untilTextIn } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { untilCount } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('rows on a phone', () => {
  let app: Application
  let page: Page
  let table: string

  beforeAll(async () => {
    app = await startApplication()
    const { server } = app
    const { body } = await server.post('/v1/records/structures', {
      name: 'Terms',
      label_field: 'person',
      fields: [
        { key: 'congress', type: 'number', label: 'Congress' },
        { key: 'person', type: 'text', label: 'Person' },
        { key: 'party', type: 'select', label: 'Party', options: ['Whig', 'Green'] },
        { key: 'age', type: 'number', label: 'Age' },
        { key: 'note', type: 'text', label: 'Note' },
        { key: 'left', type: 'date', label: 'Left' },
      ],
    })
    table = body.structure.id
    const rows = Array.from({ length: 40 }, (_, index) => ({
      data: { congress: 113, person: `Person ${index}`, party: 'Whig', age: 50 + index, left: '2013-01-03' },
    }))
    await server.post('/v1/records', { structure: 'Terms', rows })
    page = await app.newPage({ width: 390 })
    await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true })
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const open = async () => {
    await page.goto(`${app.server.url}/app/records/${table}`)
    await page.waitForSelector('.row-card')
  }
  const card = () =>
    page.$eval('.row-card', (element) => {
      const { left, top, width, height } = element.getBoundingClientRect()
      return { left, top, width, height }
    })

  test(
    'show their title and values with labels, and open wherever they are touched',
    async () => {
      await open()
      expect(
        await page.$$eval('tr[aria-rowindex="2"] :is(b, .row-card > span > span)', (parts) =>
          parts.map(({ textContent }) => textContent?.trim()),
        ),
      ).toEqual(['Person 0', 'Congress 113', 'Whig', 'Age 50'])
      for (const part of [0.1, 0.5, 0.9]) {
        await open()
        const { left, top, width, height } = await card()
        await page.touchscreen.tap(left + width * part, top + height * part)
        await untilTextIn(page, '.pane.side h2', 'Person 0')
        expect(page.url()).not.toContain('cell=')
      }
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are selected by a long press, and then by taps',
    async () => {
      await open()
      const { left, top, width, height } = await card()
      const touch = await page.touchscreen.touchStart(left + width / 2, top + height / 2)
      await page.waitForSelector('tr[aria-selected="true"] .row-card')
      await touch.end()
      await page.touchscreen.tap(left + width / 2, top + height * 1.5)
      await untilCount(page, 'tr[aria-selected="true"]', 2)
      expect(page.url()).toEndWith(table)
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
