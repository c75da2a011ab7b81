import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  contentOf,
  fieldOf,
  fill,
  press,
  startApplication,
  untilText,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { nothingPending } from '../support/offline.ts'
import { untilAddress } from '../support/waits.ts'

const NAME = 'http://daybook.test'
const AWAY = 'The server cannot be reached'

describe.skipIf(!hasBrowser)('a page loaded over plain http from a host name in the local network', () => {
  let app: Application
  let page: Page
  let url: string
  let orders: string

  beforeAll(async () => {
    app = await startApplication(['--public-url', NAME])
    url = `${NAME}:${new URL(app.server.url).port}`
    const fields = [{ key: 'ref', type: 'text', label: 'Ref' }]
    const made = await app.server.post('/v1/records/structures', { name: 'Orders', fields })
    orders = made.body.structure.id
    page = await app.newPage()
    await app.setUp(page, `${url}/app${new URL(await app.setupLink()).hash}`)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const rows = async () => (await app.server.get('/v1/records?structure=Orders')).body
  const notes = async () => (await app.server.get('/v1/notes')).body.total
  const webhooks = async () => (await app.server.get('/v1/webhooks')).body.webhooks

  /** Drops the next response to a POST at this path after the server has sent it. */
  async function loseResponse(path: string): Promise<void> {
    const client = await page.createCDPSession()
    client.on('Fetch.requestPaused', async ({ requestId, request, responseStatusCode }) => {
      const isLost = request.method === 'POST' && responseStatusCode !== undefined
      if (!isLost) return void (await client.send('Fetch.continueRequest', { requestId }))
      await client.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' })
      await client.detach()
    })
    await client.send('Fetch.enable', {
      patterns: [{ urlPattern: `${url}${path}`, requestStage: 'Response' }],
    })
  }

  test(
    'works without the browser features reserved for secure pages',
    async () => {
      await page.goto(`${url}/app/records/${orders}?pane=new`)
      expect(await page.evaluate(() => isSecureContext || 'randomUUID' in crypto)).toBe(false)
      await fill(page, 'Ref', 'first')
      await press(page, 'Add row')
      await page.waitForSelector('tr:not([aria-busy]) td[data-row="0"]')
      expect((await rows()).total).toBe(1)
      await page.goto(`${url}/app/webhooks`)
      await press(page, 'New webhook')
      await press(page, 'Add header')
      await fieldOf(page, 'Header 1, name')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'creates a row once when the response was lost and the write is retried',
    async () => {
      await page.goto(`${url}/app/records/${orders}?pane=new`)
      await fill(page, 'Ref', 'only once')
      await loseResponse('/v1/records')
      await press(page, 'Add row')
      await untilAddress(page, ({ search }) => !search.includes('pane'))
      await nothingPending(page)
      expect((await rows()).total).toBe(2)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'creates a second row with the same values once the first was acknowledged',
    async () => {
      for (const total of [3, 4]) {
        await page.goto(`${url}/app/records/${orders}`)
        await press(page, 'New row')
        await fill(page, 'Ref', 'twice')
        await press(page, 'Add row')
        await untilAddress(page, ({ search }) => !search.includes('pane'))
        expect((await rows()).total).toBe(total)
      }
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows a valid secret of a subscription whose response was lost',
    async () => {
      await page.goto(`${url}/app/webhooks`)
      await press(page, 'New webhook')
      await fill(page, 'URL (public, https)', 'https://example.com/orders')
      await fill(page, 'Description (optional)', 'Books')
      await loseResponse('/v1/webhooks')
      await press(page, 'Create webhook')
      await untilText(page, AWAY)
      expect(await webhooks()).toHaveLength(1)
      await press(page, 'Create webhook')
      expect(await contentOf(page, 'Secret of Books')).toStartWith('whsec_')
      expect(await webhooks()).toHaveLength(1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'creates a note once when the response was lost',
    async () => {
      await page.goto(`${url}/app/notes`)
      const before = await notes()
      await loseResponse('/v1/changes/apply')
      await press(page, 'New note (N)')
      await fill(page, 'Title', 'Once')
      await untilAddress(page, ({ pathname }) => /notes\/.{20}/.test(pathname))
      expect(await notes()).toBe(before + 1)
    },
    BROWSER_TIMEOUT_MS,
  )
})
