import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { KeyInput, Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  contentOf,
  fill,
  press,
  startApplication,
  untilText,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { focusedName, leaveFocus } from '../support/page-acts.ts'
import { untilGone } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('the application', () => {
  let app: Application
  let page: Page
  let ids: { structure: string; row: string }

  beforeAll(async () => {
    app = await startApplication(['--webhook-allow', '127.0.0.1'])
    const { server } = app
    await server.post('/v1/notes', { title: 'Hubs', content: '# Hubs', tags: ['wheels'] })
    const fields = [
      { key: 'ref', type: 'text', label: 'Ref' },
      { key: 'bike', type: 'text', label: 'Bike' },
    ]
    const { structure } = (await server.post('/v1/records/structures', { name: 'Orders', fields })).body
    const { records } = (
      await server.post('/v1/records', { structure: 'Orders', data: { ref: 'R1', bike: 'Road' } })
    ).body
    const hook = { structure: 'Orders', url: 'https://127.0.0.1:9/', enabled: false, description: 'Books' }
    await server.post('/v1/webhooks', hook)
    ids = { structure: structure.id, row: records[0].id }
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const keys = async (...pressed: KeyInput[]) => {
    for (const key of pressed) await page.keyboard.press(key)
  }
  /** Presses Tab until the control of this name has the focus. */
  const tabTo = async (name: string) => {
    for (let step = 0; step < 80; step++) {
      const found = await focusedName(page)
      if (found === name) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`Tab does not lead to ${name}`)
  }
  const rowData = async (id: string) => (await app.server.get(`/v1/records/${id}`)).body.record.data

  test(
    'is usable with the keyboard alone: a note, a row, a subscription',
    async () => {
      await page.goto(`${app.server.url}/app/notes`)
      await page.waitForSelector('.notes-rows a')
      await page.keyboard.press('n')
      await page.waitForSelector('.title-field:focus')
      await page.keyboard.type('By keyboard')
      await page.keyboard.press('Enter')
      await page.waitForSelector('.cm-content:focus')
      await page.keyboard.type('written')
      await page.waitForSelector('#note .status.ok')
      const id = new URL(page.url()).pathname.split('/').at(-1)
      expect((await app.server.get(`/v1/notes/${id}`)).body.note).toMatchObject({
        title: 'By keyboard',
        content: 'written',
      })

      await page.keyboard.down('Control')
      await page.keyboard.press('k')
      await page.keyboard.up('Control')
      await page.waitForSelector('#find input:focus')
      await page.keyboard.type('Orders')
      await page.waitForFunction(() =>
        [...document.querySelectorAll('#found [role=option]')].some((one) =>
          one.textContent.startsWith('Orders'),
        ),
      )
      await page.keyboard.press('Enter')
      await page.waitForSelector('td[data-row="0"][data-column="2"]')
      await tabTo('R1')
      await keys('ArrowRight', 'Enter')
      await page.waitForSelector('.input.cell:focus')
      await page.keyboard.type('Tandem')
      await page.keyboard.press('Enter')
      await untilGone(page, 'td[aria-busy]')
      expect((await rowData(ids.row)).bike).toBe('Tandem')

      await leaveFocus(page)
      await tabTo('Webhooks')
      await page.keyboard.press('Enter')
      await page.waitForSelector('main a[href$="/webhooks/new"]')
      await tabTo('New webhook')
      await page.keyboard.press('Enter')
      await page.waitForSelector('[name=url]')
      await tabTo('URL (public, https)')
      await page.keyboard.type('https://127.0.0.1:9/two')
      await page.keyboard.press('Enter')
      await page.waitForSelector('input[aria-label^="Secret of"]')
      expect((await app.server.get('/v1/webhooks')).body.webhooks).toHaveLength(2)
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is shared by two owners: the second to write a cell sees both values, and neither is lost',
    async () => {
      await page.goto(`${app.server.url}/app/settings/members`)
      await fill(page, 'New member’s name', 'Ada')
      await page.select('#new-role', 'owner')
      await press(page, 'Add member')
      const link = await contentOf(page, 'Setup link for Ada')
      const ada = await app.newPage()
      await app.setUp(ada, String(link))
      const grid = `${app.server.url}/app/records/${ids.structure}`
      const cell = 'tr:not([aria-busy]) td[data-row="0"][data-column="2"]'
      await ada.goto(grid)
      await ada.waitForSelector(cell)
      await ada.bringToFront()
      await ada.focus(cell)
      await ada.keyboard.press('Enter')
      await ada.waitForSelector('.input.cell:focus')
      await ada.keyboard.type('Cargo')
      await page.bringToFront()
      await page.goto(grid)
      await page.waitForSelector(cell)
      await page.focus(cell)
      await page.keyboard.press('Enter')
      await page.waitForSelector('.input.cell:focus')
      await page.keyboard.type('Folding')
      await page.keyboard.press('Enter')
      await untilGone(page, 'td[aria-busy]')
      expect((await rowData(ids.row)).bike).toBe('Folding')
      await ada.bringToFront()
      await ada.keyboard.press('Enter')
      await untilText(ada, 'Someone else changed Bike to Folding. You entered Cargo.')
      expect(await accessibilityProblems(ada)).toEqual([])
      await ada.setViewport({ width: 1280, height: 800 })
      expect((await rowData(ids.row)).bike).toBe('Folding')
      await press(ada, 'Use Cargo')
      await page.bringToFront()
      await untilText(page, 'Cargo')
      expect((await rowData(ids.row)).bike).toBe('Cargo')
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'survives an outage of the server: cells written meanwhile are sent when it is back',
    async () => {
      await page.goto(`${app.server.url}/app/records/${ids.structure}`)
      const cell = 'tr:not([aria-busy]) td[data-row="0"][data-column="2"]'
      await page.waitForSelector(cell)
      await app.restart(async () => {
        await page.focus(cell)
        await page.keyboard.press('Enter')
        await page.waitForSelector('.input.cell:focus')
        await page.keyboard.type('Trike')
        await page.keyboard.press('Enter')
        await untilText(page, 'Offline')
      })
      await untilText(page, 'Live')
      await untilGone(page, 'td[aria-busy]')
      expect((await rowData(ids.row)).bike).toBe('Trike')
    },
    BROWSER_TIMEOUT_MS,
  )
})
