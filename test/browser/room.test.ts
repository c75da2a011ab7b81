import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication, untilTextIn } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'

const MEASURE_PX = 672
const CALENDAR_LINES = 3

describe.skipIf(!hasBrowser)('the room of a screen', () => {
  let app: Application
  let page: Page

  const go = async (path: string, wanted: string) => {
    await page.setViewport({ width: 1440, height: 900 })
    await page.goto(`${app.server.url}/app/${path}`)
    await page.waitForSelector(wanted)
  }
  const widthOf = (selector: string) =>
    page.$eval(selector, (element) => Math.round(element.getBoundingClientRect().width))
  const viewOf = async (view: object): Promise<string> => {
    const made = await app.server.post('/v1/records/views', { structure: 'Jobs', ...view })
    const { id, structure_id } = made.body.row_view
    return `records/${structure_id}?view=${id}`
  }

  beforeAll(async () => {
    app = await startApplication()
    const { server } = app
    await server.post('/v1/records/structures', {
      name: 'Jobs',
      fields: [
        { key: 'what', type: 'text' },
        { key: 'stage', type: 'select', options: ['asked', 'done'] },
        { key: 'from', type: 'date' },
        { key: 'until', type: 'date' },
      ],
    })
    const data = { stage: 'asked', from: '2026-11-09', until: '2026-11-14' }
    const rows = ['Bench', 'Stool', 'Table', 'Shelf', 'Desk', 'Bed'].map((what) => ({
      data: { what, ...data },
    }))
    await server.post('/v1/records', { structure: 'Jobs', rows })
    page = await app.newPage({ width: 1440 })
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'of a note has its full measure between the list and the details, and the list shows hours below days',
    async () => {
      const content = 'A line that is long enough to fill the measure of the text. '.repeat(4)
      const { id } = (await app.server.post('/v1/notes', { title: 'Wide', content })).body.note
      await go(`notes/${id}`, '#note .cm-line')
      await page.waitForSelector('#details .section')
      expect(await widthOf('#note .cm-line')).toBe(MEASURE_PX)
      for (const pane of ['#list', '#details']) expect(await widthOf(pane)).toBeGreaterThanOrEqual(220)
      expect(await page.$eval('#list time', ({ textContent }) => textContent)).toMatch(/^\d\d:\d\d$/)
      expect(await accessibilityProblems(page, [[1440, 'light']])).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'of a new note has a head and the place of its details before its first letter',
    async () => {
      await go('notes/new', '#note .title-field')
      await untilTextIn(page, '#note .bar', 'Not saved yet')
      await untilTextIn(page, 'main > .side', 'once the note has text')
      const before = await page.$eval('#note .title-field', (field) => field.getBoundingClientRect().x)
      await page.keyboard.type('Kept')
      await page.waitForSelector('#note .cm-content')
      await untilTextIn(page, '#note .bar', 'Saved')
      expect(await page.$eval('#note .title-field', (field) => field.getBoundingClientRect().x)).toBe(before)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'of a calendar shows how many rows are hidden on every day of a bar',
    async () => {
      const view = await viewOf({ name: 'Days', kind: 'calendar', date_field: 'from', end_field: 'until' })
      await go(`${view}&month=2026-11`, '.cal-day .event')
      const lines = await page.$$eval('.cal-day .button', (buttons) =>
        buttons.map((button) => {
          const { x, y, width, height } = button.getBoundingClientRect()
          const top = document.elementFromPoint(x + width / 2, y + height / 2)
          return `${button.textContent} ${button.contains(top)}`
        }),
      )
      expect(lines).toEqual(Array.from({ length: 6 }, () => `${6 - CALENDAR_LINES} more true`))
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'of a board is left to columns with cards, and the order of its rows is readable',
    async () => {
      const board = await viewOf({
        name: 'Stages',
        kind: 'board',
        group_by: 'stage',
        sort: 'until',
        direction: 'asc',
      })
      await go(board, '.column.unset')
      expect(await widthOf('.column.unset')).toBeLessThan((await widthOf('.column')) / 2)
      const order = await page.$eval('select.order', (select) => select.scrollWidth - select.clientWidth)
      expect(order).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )

  test('no page had an error', () => expect(app.problems).toEqual([]))
})
