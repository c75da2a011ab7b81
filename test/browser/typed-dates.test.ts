import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication, until, untilTextIn } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { cell } from '../support/grid.ts'

describe.skipIf(!hasBrowser)('dates and numbers that are typed', () => {
  let app: Application
  let page: Page
  let table: string
  let row: string

  beforeAll(async () => {
    app = await startApplication()
    const fields = [
      { key: 'what', type: 'text', label: 'What' },
      { key: 'due', type: 'date', label: 'Due' },
      { key: 'at', type: 'datetime', label: 'At' },
      { key: 'cost', type: 'number', label: 'Cost' },
    ]
    const { structure } = (await app.server.post('/v1/records/structures', { name: 'Jobs', fields })).body
    table = structure.id
    row = (await app.server.post('/v1/records', { structure: table, data: { what: 'Bench' } })).body
      .records[0].id
    page = await app.newPage({ width: 1280 })
    await app.signIn(page)
    await page.bringToFront()
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const stored = async (key: string) => (await app.server.get(`/v1/records/${row}`)).body.record.data[key]
  const typeInCell = async (column: number, text: string) => {
    await page.waitForSelector(cell(0, column))
    await page.click(cell(0, column))
    await page.waitForSelector(`${cell(0, column)}:focus`)
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }

  test(
    'in a cell: words, a number before a word, and digits in the native input',
    async () => {
      await page.goto(`${app.server.url}/app/records/${table}`)
      await typeInCell(2, 'dec 3, 2031')
      await until(async () => (await stored('due')) === '2031-12-03')
      await typeInCell(2, '4 dec 2031')
      await until(async () => (await stored('due')) === '2031-12-04')
      await typeInCell(3, 'dec 5, 2031 9:30')
      await until(async () => String(await stored('at')).startsWith('2031-12-05T'))
      await typeInCell(4, '1,200.50')
      await until(async () => (await stored('cost')) === 1200.5)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'in a cell, but not readable: the text stays, and a sentence names forms that are',
    async () => {
      await typeInCell(2, 'someday')
      await untilTextIn(page, 'main', 'Due must be a date, such as 2026-11-21, 21 Nov or tomorrow.')
      expect(await stored('due')).toBe('2031-12-04')
      expect(await accessibilityProblems(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'in the panel of a row, which shows the date that was read',
    async () => {
      await page.setViewport({ width: 1280, height: 800 })
      await page.goto(`${app.server.url}/app/records/${table}/${row}`)
      await page.waitForSelector('#value-due')
      await page.focus('#value-due')
      await page.keyboard.type('6 dec 2031')
      await page.keyboard.press('Tab')
      await until(async () => (await stored('due')) === '2031-12-06')
      expect(await page.$$eval('#value-due[type=date]', ([input]) => input?.matches(':valid'))).toBe(true)
    },
    BROWSER_TIMEOUT_MS,
  )

  test('no page had an error', () => expect(app.problems).toEqual([]))
})
