import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { HTTPRequest, Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication, untilText } from '../support/application-server.ts'
import { hasBrowser, sharedFullBrowser } from '../support/browser.ts'
import { untilStoredOn } from '../support/offline.ts'
import { fitsDown } from '../support/page-acts.ts'

interface Refusal {
  readonly status: number
  readonly retryAfter?: string
}

const refuse = (request: HTTPRequest, { status, retryAfter }: Refusal) =>
  request.respond({
    status,
    contentType: 'application/json',
    headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
    body: JSON.stringify({ error: `Come back later, says a ${status}.`, code: 'unavailable' }),
  })

/** Waits for the status messages about the server that users see and screen readers announce, anywhere on the page. */
const untilShown = (page: Page, isWanted: 'is' | 'begins', wanted: string) =>
  page.waitForFunction(
    (how, text) => {
      const shown = [...document.querySelectorAll('[role=status] .status')]
        .filter((one) => one.checkVisibility())
        .map(({ textContent }) => textContent)
        .join('|')
      return how === 'is' ? shown === text : shown.startsWith(text)
    },
    {},
    isWanted,
    wanted,
  )

describe.skipIf(!hasBrowser)('while the server is busy or unreachable', () => {
  let app: Application
  let page: Page

  beforeAll(async () => {
    app = await startApplication([], { isInstalled: true })
    await app.server.post('/v1/notes', { title: 'Hubs' })
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  /** Opens a page whose first requests to an address are refused, each in a different way. */
  const refusing = async (path: string, refusals: readonly Refusal[]) => {
    const refused = await app.nextPage(page.browserContext())
    const asked: number[] = []
    let first: string | undefined
    await refused.setRequestInterception(true)
    refused.on('request', (request) => {
      if (new URL(request.url()).pathname === path) first ??= request.url()
      if (request.url() !== first) return request.continue()
      const refusal = refusals[asked.length]
      asked.push(performance.now())
      return refusal ? refuse(request, refusal) : request.continue()
    })
    await refused.goto(`${app.server.url}/app/notes`)
    return { refused, asked }
  }

  test.each([{ status: 429, retryAfter: '3' }, { status: 500 }])(
    "a %j does not lead to the sign-in: the page shows the server's message and retries",
    async (refusal) => {
      const { refused, asked } = await refusing('/app/api/session', [refusal])
      await untilText(refused, `Come back later, says a ${refusal.status}. Retrying automatically.`)
      expect(await refused.$('input[type=password]')).toBeNull()
      await refused.waitForSelector('.notes-rows a')
      expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThan(
        refusal.retryAfter === undefined ? 1_900 : 2_900,
      )
      await refused.close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'only a 401 leads to the sign-in',
    async () => {
      const { refused } = await refusing('/app/api/session', [{ status: 401 }])
      await refused.waitForSelector('input[type=password]')
      await refused.close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a delayed list appears without a click, with a notice until then',
    async () => {
      const { refused, asked } = await refusing('/v1/notes', [{ status: 503, retryAfter: '3' }])
      await untilShown(refused, 'is', 'Server busy, retrying')
      expect(await refused.$('.banner')).toBeNull()
      await refused.waitForSelector('.notes-rows a')
      expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThan(2_900)
      await untilShown(refused, 'is', 'Live')
      await refused.close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a refused stream of changes is reopened, and missed changes are read',
    async () => {
      const { refused } = await refusing('/v1/changes', [{ status: 503 }])
      await refused.waitForSelector('.notes-rows a')
      await app.server.post('/v1/notes', { title: 'Written without a stream' })
      await untilText(refused, 'Written without a stream')
      await untilShown(refused, 'is', 'Live')
      await refused.close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'one status line shows it at every width, and the panes shrink',
    async () => {
      await page.bringToFront()
      await page.goto(`${app.server.url}/app/notes`)
      await page.waitForSelector('.notes-rows a')
      const widths = [360, 800, 1280]
      await app.restart(async () => {
        for (const width of widths) {
          await page.setViewport({ width, height: 740 })
          await untilShown(page, 'begins', 'Offline since')
          expect(await fitsDown(page)).toBe(true)
        }
        expect(await accessibilityProblems(page)).toEqual([])
      })
      await page.setViewport({ width: 360, height: 740 })
      await untilShown(page, 'is', '')
      await page.setViewport({ width: 1280, height: 740 })
      await untilShown(page, 'is', 'Live')
    },
    BROWSER_TIMEOUT_MS,
  )
})

describe.skipIf(!hasBrowser)('many tabs of the application', () => {
  let app: Application

  beforeAll(async () => {
    app = await startApplication([], { startBrowser: sharedFullBrowser, isInstalled: true })
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'work at the same time, although a browser opens six connections; the visible one follows changes',
    async () => {
      const first = await app.newPage()
      await app.signIn(first)
      const tabs = [first]
      for (let count = 1; count < 8; count++) {
        const tab = await app.nextPage(first.browserContext())
        tabs.push(tab)
        await tab.goto(`${app.server.url}/app/notes`)
        await untilText(tab, 'Your notes appear here.')
      }
      await app.server.post('/v1/notes', { title: 'Seen in front' })
      await untilText(tabs[7] ?? first, 'Seen in front')
      await first.bringToFront()
      await untilText(first, 'Seen in front')
      await app.server.post('/v1/notes', { title: 'Seen on the way back' })
      await untilText(first, 'Seen on the way back')
      // The tab that maintains the offline copy is behind the last one.
      const last = tabs[7] ?? first
      await last.bringToFront()
      await app.server.post('/v1/notes', { title: 'Kept from behind' })
      await untilStoredOn(last, { notes: 3 })
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})

describe.skipIf(!hasBrowser)('an unknown address', () => {
  let app: Application

  beforeAll(async () => {
    app = await startApplication([], { isInstalled: true })
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'shows that it is unknown, also if it cannot be decoded or names a member of every object',
    async () => {
      const page = await app.newPage()
      await app.signIn(page)
      for (const path of ['nowhere', 'notes/%E0%A4%A', '%', 'constructor']) {
        await page.goto(`${app.server.url}/app/${path}`)
        await untilText(page, 'There is no page at this address.')
      }
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
