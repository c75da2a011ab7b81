import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  press as clickOn,
  startApplication,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { gridOn } from '../support/grid.ts'
import { showAddress } from '../support/page-acts.ts'
import { holdRequests, send } from '../support/page-requests.ts'
import { newFolder } from '../support/process.ts'
import { switchWorkspace } from '../support/screens/account.ts'

const FIELDS = [
  { key: 'ref', type: 'text', label: 'Ref', unique: true },
  { key: 'total', type: 'number', label: 'Total', min: 0 },
  { key: 'story', type: 'text', label: 'Story' },
]
/** The size limit of one `writeRecords` request. */
const MAX_BYTES = 10 * 1024 * 1024

describe.skipIf(!hasBrowser)('an import of a csv file', () => {
  const folder = newFolder()
  let app: Application
  let page: Page
  let orders: string
  const statuses: number[] = []

  beforeAll(async () => {
    app = await startApplication()
    const made = await app.server.post('/v1/records/structures', { name: 'Orders', fields: FIELDS })
    orders = made.body.structure.id
    page = await app.newPage()
    await app.signIn(page)
    page.on('response', (response) => {
      if (new URL(response.url()).pathname === '/v1/records' && response.request().method() === 'POST')
        statuses.push(response.status())
    })
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    folder.remove()
  }, BROWSER_TIMEOUT_MS)

  const count = async () => (await app.server.get('/v1/records?structure=Orders&limit=1')).body.total
  /** Imports lines below the heading, and waits for the final message on the screen. */
  async function importLines(lines: readonly string[], end: string) {
    await Bun.write(folder.file('orders.csv'), ['Ref,Total,Story', ...lines].join('\n'))
    await page.goto(`${app.server.url}/app/records/${orders}?pane=import`)
    const input = await page.waitForSelector<'input[type=file]'>('input[type=file]')
    await input?.uploadFile(folder.file('orders.csv'))
    await page.waitForSelector('.mapping')
    await clickOn(page, 'Import')
    await gridOn(page).has(end)
  }

  test(
    'continues while another row is open, and reports its result on return',
    async () => {
      await app.server.post('/v1/records', { structure: 'Orders', data: { ref: 'there' } })
      await Bun.write(
        folder.file('orders.csv'),
        ['Ref,Total,Story', 'one,1,', 'two,many,', 'three,3,,lost'].join('\n'),
      )
      await page.goto(`${app.server.url}/app/records/${orders}?pane=import`)
      const release = await holdRequests(page, { method: 'POST' })
      const input = await page.waitForSelector<'input[type=file]'>('input[type=file]')
      await input?.uploadFile(folder.file('orders.csv'))
      await page.waitForSelector('.mapping')
      await clickOn(page, 'Import')
      await gridOn(page).has('Importing…')
      await page.locator('tbody td.margin a').click()
      await page.waitForSelector('.tabs')
      await release()
      await page.goBack()
      await gridOn(page).has('Done. 1 new, 2 refused.')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'stops when the workspace is switched, and reports its progress on return',
    async () => {
      await page.goto(`${app.server.url}/app/records/${orders}?pane=import`)
      await send(page, 'POST', '/app/api/workspaces', { name: 'Elsewhere' })
      await Bun.write(folder.file('orders.csv'), ['Ref,Total,Story', 'far,many,', 'as,1,'].join('\n'))
      await page.reload()
      const release = await holdRequests(page, { end: '/v1/records' })
      const input = await page.waitForSelector<'input[type=file]'>('input[type=file]')
      await input?.uploadFile(folder.file('orders.csv'))
      await page.waitForSelector('.mapping')
      await clickOn(page, 'Import')
      await gridOn(page).has('1 refused')
      const here = await page.$eval('.rail-head .cut', ({ textContent }) => textContent ?? '')
      for (const name of ['Elsewhere', here]) {
        await switchWorkspace(page, name)
        await untilTextIn(page, '.rail-head', name)
      }
      await release()
      await page.waitForSelector('.notes-screen')
      await showAddress(page, `/app/records/${orders}?pane=import`)
      await page.waitForSelector('#csv-file')
      await gridOn(page).has('Stopped. 1 new, 1 refused.')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'writes nothing more once it is stopped while it waits for the server',
    async () => {
      const count = async () => (await app.server.get('/v1/records?structure=Orders')).body.total
      const before = await count()
      await Bun.write(folder.file('orders.csv'), 'Ref\nnever')
      await page.goto(`${app.server.url}/app/records/${orders}?pane=import`)
      await page.evaluate(() => {
        const { fetch } = window
        window.fetch = Object.assign(async (input: RequestInfo | URL, init?: RequestInit) => {
          if (init?.method !== 'POST') return fetch(input, init)
          window.fetch = fetch
          const stop = () =>
            [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Stop')
          setTimeout(() => stop()?.click(), 500)
          throw new TypeError('The server is away.')
        }, fetch)
      })
      const input = await page.waitForSelector<'input[type=file]'>('input[type=file]')
      await input?.uploadFile(folder.file('orders.csv'))
      await page.waitForSelector('.mapping')
      await clickOn(page, 'Import')
      await gridOn(page).has('Stopped. 0 new')
      await gridOn(page).hasNot('cannot be reached')
      expect(await count()).toBe(before)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'lists every refused row, and saves them all as csv',
    async () => {
      const lines = Array.from({ length: 2_500 }, (_, at) => `N${at},${at % 2 === 0 ? 'many' : at},`)
      await importLines(lines, 'Done. 1,250 new, 1,250 refused.')
      const drawn = await page.$$eval('.refused tbody tr.trouble', ({ length }) => length)
      expect(drawn).toBeLessThan(100)
      await page.waitForFunction(() => {
        const list = document.querySelector('.refused')
        if (list === null) return false
        list.scrollTop = list.scrollHeight
        return [...list.querySelectorAll('tbody .margin')].at(-1)?.textContent === '2500'
      })
      expect(await accessibilityProblems(page)).toEqual([])
      const session = await page.createCDPSession()
      await session.send('Browser.setDownloadBehavior', {
        behavior: 'allow',
        browserContextId: page.browserContext().id,
        downloadPath: folder.path,
        eventsEnabled: true,
      })
      const done = new Promise<void>((resolve) => {
        session.on('Browser.downloadProgress', ({ state }) => {
          if (state === 'completed') resolve()
        })
      })
      await clickOn(page, 'Save refused rows as CSV')
      await done
      expect(existsSync(folder.file('refused.csv'))).toBeTrue()
      const saved = readFileSync(folder.file('refused.csv'), 'utf8').trimEnd().split('\r\n')
      expect(saved).toHaveLength(1_251)
      expect(saved.at(-1)).toBe('2500,"Total must be a number, such as 12 or 4.5.",N2498,many,')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'continues in smaller batches when one is too large for the server',
    async () => {
      const before = await count()
      const story = 'x'.repeat(90_000)
      const lines = Array.from({ length: 125 }, (_, at) => `L${at},${at === 100 ? -1 : at},${story}`)
      expect(lines.join('\n').length).toBeGreaterThan(MAX_BYTES)
      statuses.length = 0
      await importLines(lines, 'Done. 124 new, 1 refused.')
      expect(statuses).toContain(413)
      expect(await count()).toBe(before + 124)
      expect(await page.$eval('.refused tbody .margin', ({ textContent }) => textContent)).toBe('102')
    },
    BROWSER_TIMEOUT_MS,
  )

  test('has no error on the console', () => {
    expect(app.problems).toEqual([])
  })
})
