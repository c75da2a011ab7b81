import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'

/*
 * A visit with an empty cache: every byte that the page receives, compressed, with fonts, icons, answers of the API and
 * headers, and the answers that fill the offline copy. The service worker copies the other files of the application
 * afterwards; they are not counted.
 */

const KB = 1_000

describe.skipIf(!hasBrowser)('the bytes of a first visit', () => {
  let app: Application
  let page: Page
  let note: string
  beforeAll(async () => {
    app = await startApplication()
    for (let at = 0; at < 30; at++)
      note = (await app.server.post('/v1/notes', { title: `Note ${at}`, content: `Text of note ${at}.` }))
        .body.note.id
    for (let at = 0; at < 6; at++)
      await app.server.post('/v1/records/structures', {
        name: `Table ${at}`,
        fields: [{ key: 'a', type: 'text' }],
      })
    page = await app.newPage()
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  /** Longer than the time after which a page begins to fill the offline copy. */
  const IDLE_MS = 2_000

  /** The most responses of a page that stay open, such as changes and presence. */
  const STREAMS = 4

  /** The bytes of every response, until the network is idle. */
  async function bytesOf(path: string): Promise<number> {
    const session = await page.createCDPSession()
    let bytes = 0
    await session.send('Network.enable')
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    await session.send('Network.setBypassServiceWorker', { bypass: true })
    // Responses to the previous page do not count.
    const sent = new Set<string>()
    session.on('Network.requestWillBeSent', ({ requestId }) => void sent.add(requestId))
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (sent.has(requestId)) bytes += encodedDataLength
    })
    await page.goto('about:blank')
    await page.goto(`${app.server.url}/app/${path}`, { waitUntil: 'networkidle2' })
    await page.waitForNetworkIdle({ idleTime: IDLE_MS, concurrency: STREAMS })
    await session.detach()
    return bytes
  }

  test(
    'are at most 82 KB for the page to sign in',
    async () => {
      expect(await bytesOf('')).toBeLessThanOrEqual(82 * KB)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are at most 100 KB for the list of notes alone, and 240 KB for a note with its editor',
    async () => {
      await app.signIn(page)
      expect(await bytesOf(`notes/${note}`)).toBeLessThanOrEqual(240 * KB)
      // A note opens beside the list.
      expect(await bytesOf('notes')).toBeLessThanOrEqual(240 * KB)
      await page.setViewport({ width: 390, height: 844 })
      // Over the list of a phone is no pointer, which would load the code of a note.
      await page.evaluateOnNewDocument(() =>
        addEventListener('pointerenter', (event) => event.stopImmediatePropagation(), true),
      )
      expect(await bytesOf('notes')).toBeLessThanOrEqual(100 * KB)
    },
    BROWSER_TIMEOUT_MS,
  )
})
