import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'puppeteer-core'
import { hasBrowser, sharedBrowser } from '../support/browser.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'

/** Long enough for a browser on a busy machine. */
const TIMEOUT_MS = 60_000

/** The operations that are used here; drawing all of them takes seconds. */
const USED = ['/v1/notes', '/v1/records', '/v1/records/watch']

describe.skipIf(!hasBrowser)('/docs in a browser', () => {
  let folder: ReturnType<typeof newFolder>
  let server: ServerProcess
  let profile: BrowserContext
  let page: Page
  let small: string
  /** The number of fields in the form for the key. */
  let fields: number

  beforeAll(async () => {
    folder = newFolder()
    server = await startProcess(folder.file('daybook.db'))
    await server.post('/v1/records/structures', { name: 'Books', fields: [{ key: 'title', type: 'text' }] })
    profile = await (await sharedBrowser()).createBrowserContext()
    page = await profile.newPage()
    page.setDefaultTimeout(TIMEOUT_MS)
    await page.goto(`${server.url}/docs#/Notes/createNote`)
    await page.waitForSelector('.opblock')
    await authorize()
    const { body } = await server.get('/openapi.json')
    const paths = Object.fromEntries(USED.map((path) => [path, body.paths[path]]))
    small = JSON.stringify({ ...body, paths, webhooks: undefined })
    await useSmallDocument(page)
  }, TIMEOUT_MS)
  afterAll(async () => {
    await profile.close()
    await server.end()
    folder.remove()
  }, TIMEOUT_MS)

  /** The next loads of a page show the document with few operations. */
  async function useSmallDocument(on: Page) {
    await on.setRequestInterception(true)
    on.on('request', (request) => {
      if (new URL(request.url()).pathname !== '/openapi.json') return request.continue()
      return request.respond({ status: 200, contentType: 'application/json', body: small })
    })
  }

  /** Types the key into the focused field. */
  async function authorize() {
    await page.locator('.btn.authorize').click()
    await page.waitForSelector('.modal-ux input:focus')
    fields = (await page.$$('.modal-ux input')).length
    await page.keyboard.type(server.key ?? '')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.btn.authorize.locked')
  }

  const open = async (operation: string) => {
    const block = `#operations-${operation}`
    await page.locator(`${block} .opblock-summary-control`).click()
    await page.waitForSelector(`${block}.is-open .responses-wrapper`)
    return block
  }

  test(
    'takes the key in the focused field, and stores it for this tab only',
    async () => {
      expect(fields).toBe(1)
      await page.reload()
      await page.waitForSelector('.btn.authorize.locked')
      const other = await profile.newPage()
      await useSmallDocument(other)
      await other.goto(`${server.url}/docs`)
      await other.waitForSelector('.btn.authorize.unlocked')
      expect(await other.evaluate(() => localStorage.length)).toBe(0)
      await other.close()
      await page.bringToFront()
    },
    TIMEOUT_MS,
  )

  test(
    'opens the operation named in its address, and accepts the filled-in values',
    async () => {
      const block = '#operations-Notes-createNote.is-open'
      await page.locator(`${block} .execute`).click()
      const status = await page.waitForSelector(
        `${block} .live-responses-table .response .response-col_status`,
      )
      expect(await status?.evaluate(({ textContent }) => textContent?.trim())).toBe('201')
    },
    TIMEOUT_MS,
  )

  test(
    'gives each error one line, and opens it',
    async () => {
      const block = await open('Records-listRecords')
      const heights = await page.$$eval(`${block} tr.error`, (rows) =>
        rows.map(({ clientHeight }) => clientHeight),
      )
      expect(heights.length).toBeGreaterThan(5)
      expect(Math.max(...heights)).toBeLessThan(60)
      await page.locator(`${block} tr.error button`).click()
      await page.waitForSelector(`${block} tr.response[data-code="400"]`)
    },
    TIMEOUT_MS,
  )

  test(
    'ends a stream that is tried after its first event',
    async () => {
      const block = await open('Records-watchRecords')
      await page.locator(`${block} .execute`).click()
      await page.waitForSelector(`${block} .live-responses-table .response-col_description pre`)
      const shown = await page.$eval(`${block} .live-responses-table`, ({ textContent }) => textContent ?? '')
      expect(shown).toContain('event: answer')
      expect(shown).toContain('this page ended the stream here')
      expect(await page.$(`${block} .loading-container`)).toBeNull()
    },
    TIMEOUT_MS,
  )
})
