import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, fill, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { cell, focusCell, type GridPage, gridOn } from '../support/grid.ts'
import { daybook, newFolder } from '../support/process.ts'
import { untilAddress } from '../support/waits.ts'

/** At 32 pixels each, these rows are taller than a browser can draw. */
const ROWS = 1_000_000
/** Writing the rows alone takes seconds. */
const IMPORT_TIMEOUT_MS = 3 * BROWSER_TIMEOUT_MS

const NUMBER = new Intl.NumberFormat('en-US')

describe.skipIf(!hasBrowser)('a grid of a million rows', () => {
  let app: Application
  let page: Page
  let grid: GridPage
  let many: string

  beforeAll(async () => {
    app = await startApplication()
    const folder = newFolder()
    await app.restart(async () => {
      const places = Array.from({ length: ROWS }, (_, at) => at + 1)
      await Bun.write(folder.file('many.csv'), `place\n${places.join('\n')}\n`)
      const { err, exitCode } = await daybook(
        ['import', folder.file('many.csv'), '--structure', 'Many', '--db', app.file],
        {},
      )
      expect({ err, exitCode }).toMatchObject({ exitCode: 0 })
    })
    folder.remove()
    many = (await app.server.get('/v1/records/structures/Many')).body.structure.id
    page = await app.newPage()
    grid = gridOn(page)
    await app.signIn(page)
  }, IMPORT_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  /** Opens the rows in the order of their places. */
  async function open(query = '') {
    await page.goto(`${app.server.url}/app/records/${many}?direction=asc${query}`)
    await page.waitForSelector('tr:not([aria-busy]) td[data-row]')
  }
  const shows = (place: number) => grid.shows(place - 1, 1, NUMBER.format(place))
  /** Waits until a row is visible, within the pixels of one step of the scroll bar. */
  const untilSeen = (place: number) =>
    page.waitForFunction(
      (selector) => {
        const found = document.querySelector(selector)
        const list = found?.closest('.scroll')?.getBoundingClientRect()
        const head = found?.closest('table')?.querySelector('th')?.getBoundingClientRect()
        if (!found || !list || !head) return false
        const { top, bottom } = found.getBoundingClientRect()
        return top >= head.bottom - 3 && bottom <= list.bottom + 1
      },
      {},
      cell(place - 1, 1),
    )

  test(
    'scrolls by keyboard to its last row, and from there to each before it',
    async () => {
      await open()
      await focusCell(page, 0, 1)
      await grid.withControl('End')
      await shows(ROWS)
      await page.waitForSelector(`${cell(ROWS - 1, 1)}:focus`)
      await untilSeen(ROWS)
      for (let place = ROWS - 1; place >= ROWS - 60; place--) {
        await page.keyboard.press('ArrowUp')
        await page.waitForSelector(`${cell(place - 1, 1)}:focus`)
      }
      await shows(ROWS - 60)
      await untilSeen(ROWS - 60)
      await grid.withControl('Home')
      await shows(1)
      await untilSeen(1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'goes to any row by its number, also after a reload',
    async () => {
      await open()
      await fill(page, 'Go to row', '654321')
      await page.keyboard.press('Enter')
      await shows(654_321)
      await untilSeen(654_321)
      await fill(page, 'Go to row', String(ROWS))
      await page.keyboard.press('Enter')
      await shows(ROWS)
      await untilSeen(ROWS)
      await untilAddress(page, ({ search }) => search.includes(`cell=${ROWS}.`))
      await page.reload()
      await shows(ROWS)
      await untilSeen(ROWS)
      await open('&at=654321')
      await shows(654_321)
      await untilSeen(654_321)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'can be scrolled to its end, within the height that browsers support',
    async () => {
      await open()
      const height = await page.$eval('.scroll', ({ scrollHeight }) => scrollHeight)
      expect(height).toBeLessThan(17_000_000)
      await page.$eval('.scroll', (scroller) => {
        scroller.scrollTop = scroller.scrollHeight
      })
      await shows(ROWS)
      await untilSeen(ROWS)
      await page.$eval('.scroll', (scroller) => {
        scroller.scrollTop = scroller.scrollHeight / 2
      })
      await page.waitForFunction(() =>
        /Rows 49\d,\d{3} |Rows 50\d,\d{3} /.test(document.querySelector('.foot')?.textContent ?? ''),
      )
    },
    BROWSER_TIMEOUT_MS,
  )

  test('has no error on the console', () => {
    expect(app.problems).toEqual([])
  })
})
