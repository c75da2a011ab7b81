import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  press,
  startApplication,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { setOffline, untilStoredOn } from '../support/offline.ts'
import { selectFocused } from '../support/page-acts.ts'
import { upload } from '../support/page-requests.ts'

const NOTES = 620
/** A picture of one pixel. */
const DOT = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

describe.skipIf(!hasBrowser)('reading without a network', () => {
  let app: Application
  let page: Page
  let leads: string
  let quiet: string
  let view: string
  let largest: string
  let pictured: string

  const open = (path: string) => page.goto(`${app.server.url}/app/${path}`)

  beforeAll(async () => {
    app = await startApplication([], { isInstalled: true })
    const { server } = app
    leads = (
      await server.post('/v1/records/structures', {
        name: 'Leads',
        fields: [
          { key: 'name', type: 'text' },
          { key: 'size', type: 'number' },
        ],
        label_field: 'name',
      })
    ).body.structure.id
    quiet = (
      await server.post('/v1/records/structures', { name: 'Quiet', fields: [{ key: 'a', type: 'text' }] })
    ).body.structure.id
    const rows = Array.from({ length: 300 }, (_, at) => ({ data: { name: `Lead ${at}`, size: at } }))
    await server.post('/v1/records', { structure: 'Leads', rows })
    await server.post('/v1/records', { structure: 'Quiet', data: { a: 'not kept' } })
    let last = ''
    for (let at = 0; at < NOTES; at++) {
      const { body } = await server.post('/v1/notes', {
        title: `Note ${at}`,
        content: at === NOTES - 1 ? 'A heron stood here.' : `Text ${at}. [[Note ${NOTES - 1}]]`,
        tags: at % 2 === 0 ? ['even'] : [],
      })
      last = body.note.id
    }
    view = (await server.post('/v1/views', { name: 'Even' })).body.view.id
    page = await app.newPage()
    await app.signIn(page)
    const file = await upload(page, 'dot.gif', DOT)
    const content = `![[file:${file}|dot.gif]]\n\n- [ ] carry the tripod`
    pictured = (await server.post('/v1/notes', { title: 'Pictured', content })).body.note.id
    // The note becomes the first of the list again.
    await server.patch(`/v1/notes/${last}`, { content: 'A heron stood here. ' })
    await page.goto(`${server.url}/app/records/${leads}`)
    await page.waitForSelector('td[data-row="0"]')
    await press(page, 'More')
    await press(page, 'Keep offline')
    await untilStoredOn(page, { notes: NOTES + 1, rows: 300 })
    // Later changes reach the offline copy.
    const filter = [{ field: 'size', op: 'gte', value: 300 }]
    largest = (await server.post('/v1/records/views', { structure: leads, name: 'Largest', filter })).body
      .row_view.id
    await server.post('/v1/records', { structure: 'Leads', data: { name: 'Lead 300', size: 300 } })
    await open('settings/offline')
    await untilText(page, '1 picture (42 bytes)')
    await untilText(page, 'Leads: 301 rows')
    await setOffline(page, true)
  }, 2 * BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'the list of notes opens after a restart, and notes with their backlinks',
    async () => {
      await open('notes')
      await untilTextIn(page, '.notes-rows', `Note ${NOTES - 1}`)
      await page.locator('.notes-rows a').click()
      await untilTextIn(page, '#note', 'A heron stood here.')
      await untilText(page, 'Backlinks')
      await untilText(page, 'Note 618')
      // Notes that are not stored here may link to it, too.
      await untilText(page, 'Offline, only links from notes stored in this browser are known.')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the offline copy is searched, with snippets',
    async () => {
      await open('notes?search=heron')
      await untilTextIn(page, '.notes-rows', `Note ${NOTES - 1}`)
      await untilText(page, '1 note')
      expect(await page.$eval('.notes-rows mark', (mark) => mark.textContent)).toBe('heron')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'an empty search result mentions that only the offline copy was searched',
    async () => {
      await open('notes?search=cormorant')
      await untilText(page, 'No notes in the offline copy contain all of these words.')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the finder finds offline notes and rows by names and texts, and names the sources it could not search',
    async () => {
      const shows = (text: string) => untilTextIn(page, '#find', text)
      await page.keyboard.down('Control')
      await page.keyboard.press('k')
      await page.keyboard.up('Control')
      await page.waitForSelector('#find input')
      await page.keyboard.type('heron')
      await shows('A heron stood here.')
      await selectFocused(page)
      await page.keyboard.type('Lead 29')
      await shows('Lead 299')
      await shows('available offline')
      await page.keyboard.press('Escape')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'an older note shows its title, and explains that its text is unavailable',
    async () => {
      await open('notes?search=%22Note+3%22')
      await page.locator('.notes-rows a').click()
      await untilText(page, 'isn’t available offline')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'tasks are listed as far as texts are stored, and a tick is sent when there is a network',
    async () => {
      await open('notes/tasks')
      await untilTextIn(page, '#note', '1 open task, without 121 notes that cannot be read offline')
      await page.click('.tasks input')
      await untilTextIn(page, '#note', '0 open tasks')
      // The tick outlives the tab.
      await open('notes/tasks')
      await untilTextIn(page, '#note', '0 open tasks')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the rows of a marked table are available, filtered and sorted',
    async () => {
      const filter = JSON.stringify([{ field: 'size', op: 'gte', value: 290 }])
      await open(`records/${leads}?filter=${encodeURIComponent(filter)}&sort=size&direction=asc`)
      await page.waitForSelector('td[data-row="9"]')
      expect(await page.$eval('td[data-row="0"][data-column="1"]', (cell) => cell.textContent)).toBe(
        'Lead 290',
      )
      // A row and a view created later.
      await open(`records/${leads}?view=${largest}`)
      await untilText(page, '1 row of 301')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'pictures of a note are shown, and the settings show the size of the copy',
    async () => {
      await open(`notes/${pictured}?show=preview`)
      await page.waitForFunction(
        () => document.querySelector<HTMLImageElement>('#note img')?.naturalWidth === 1,
      )
      await untilText(page, 'The files of this note aren’t available offline.')
      await open('settings/offline')
      await untilText(page, '1 picture (42 bytes)')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows for other structures, views and boards that they are not available offline',
    async () => {
      await open(`records/${quiet}`)
      await untilText(page, 'Quiet isn’t available offline.')
      await press(page, 'More')
      await press(page, 'Keep offline')
      await press(page, 'More')
      await press(page, 'Cancel offline copy')
      await open('notes?list=trash')
      await untilText(page, 'The trash isn’t available offline.')
      await open(`notes?view=${view}`)
      await untilText(page, 'This view doesn’t work offline.')
      await open('changes')
      await untilText(page, 'This isn’t available offline.')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is current again as soon as there is a network',
    async () => {
      await open('notes')
      await untilTextIn(page, '.notes-rows', `Note ${NOTES - 1}`)
      await app.server.post('/v1/notes', { title: 'Written meanwhile' })
      await setOffline(page, false)
      await untilTextIn(page, '.notes-rows', 'Written meanwhile')
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
