import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { HTTPRequest, Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  press,
  startApplication,
  until,
  untilNoText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser, sharedFullBrowser } from '../support/browser.ts'
import { pace } from '../support/pace.ts'
import { untilAddress } from '../support/waits.ts'

/** Resolves once the service worker serves the page and has cached everything it needs for that. */
const untilCopied = (page: Page) =>
  page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated')

/** Returns the processor time of the page, in seconds, until it shows the frame of the application. */
async function openingSeconds(page: Page, url: string): Promise<number> {
  const profiler = await page.createCDPSession()
  await profiler.send('Performance.enable', { timeDomain: 'threadTicks' })
  const used = async (): Promise<number> => {
    const { metrics } = await profiler.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
  }
  const before = await used()
  await page.goto(url, { waitUntil: 'domcontentloaded' })
  await page.waitForFunction(() => document.querySelector('#app')?.textContent !== '')
  const seconds = (await used()) - before
  await profiler.detach()
  return seconds
}

describe.skipIf(!hasBrowser)('the installed application', () => {
  let app: Application
  let page: Page

  beforeAll(async () => {
    app = await startApplication([], { startBrowser: sharedFullBrowser, isInstalled: true })
    page = await app.newPage()
    await app.signIn(page)
    await untilCopied(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'has a manifest and icons that the browser accepts',
    async () => {
      const client = await page.createCDPSession()
      const { url, errors, data = '' } = await client.send('Page.getAppManifest')
      expect([url, errors]).toEqual([`${app.server.url}/app/manifest.json`, []])
      const manifest = JSON.parse(data)
      expect(manifest).toMatchObject({ id: '/app', start_url: '/app', scope: '/app', display: 'standalone' })
      for (const { src, sizes, type } of manifest.icons) {
        if (type !== 'image/png') continue
        const size = await page.evaluate(async (address) => {
          const { width, height } = await createImageBitmap(await (await fetch(address)).blob())
          return `${width}x${height}`
        }, src)
        expect([src, size]).toEqual([src, sizes])
      }
      const { installabilityErrors } = await client.send('Page.getInstallabilityErrors')
      // Test profiles are incognito profiles, which store nothing.
      expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is installed with a button, where the browser offers it',
    async () => {
      await page.goto(`${app.server.url}/app/settings/offline`)
      await page.waitForSelector('#offline')
      expect(
        await page.$$eval('#offline button', (all) => all.map(({ textContent }) => textContent)),
      ).toEqual(['Clear offline data'])
      const offer = await page.evaluateHandle(() => {
        const prompt = () => {
          offered.isAccepted = true
        }
        const offered = Object.assign(new Event('beforeinstallprompt'), { isAccepted: false, prompt })
        dispatchEvent(offered)
        return offered
      })
      await press(page, 'Install daybook on this device')
      await until(() => offer.evaluate(({ isAccepted }) => isAccepted))
      await page.waitForFunction(() => document.querySelectorAll('#offline button').length === 1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'opens at every address within a second of work while the server is unreachable',
    async () => {
      await app.restart(async () => {
        for (const path of ['/app', '/app/notes', '/app/records/x', '/app/graph'])
          expect(await openingSeconds(page, app.server.url + path)).toBeLessThan(pace())
      })
    },
    BROWSER_TIMEOUT_MS,
  )

  /**
   * Shares a text and two files with the application; resolves once the page shows their note. A page without a referrer
   * stands for the system, whose requests have none: it uses the address of the manifest.
   */
  async function share(title: string, isBySystem = false): Promise<string> {
    await page.goto(`${app.server.url}/app/notes`)
    await untilCopied(page)
    await page.evaluate(
      async (shared, hasNoReferrer) => {
        const noReferrer = Object.assign(document.createElement('meta'), {
          name: 'referrer',
          content: 'no-referrer',
        })
        if (hasNoReferrer) document.head.append(noReferrer)
        const { share_target } = await (await fetch('/app/manifest.json')).json()
        const form = document.createElement('form')
        const action = hasNoReferrer ? share_target.action : '/app/share'
        Object.assign(form, { method: 'post', action, enctype: 'multipart/form-data' })
        const values = { title: shared, text: 'Worth reading', url: 'https://example.com/' }
        for (const [name, value] of Object.entries(values))
          form.append(Object.assign(document.createElement('input'), { name, value }))
        const files = Object.assign(document.createElement('input'), { type: 'file', name: 'files' })
        const given = new DataTransfer()
        given.items.add(new File(['Spokes'], 'spokes.txt', { type: 'text/plain' }))
        given.items.add(new File(['Others'], 'spokes.txt', { type: 'text/plain' }))
        files.files = given.files
        form.append(files)
        document.body.append(form)
        form.submit()
      },
      title,
      isBySystem,
    )
    await page.waitForFunction(() => /^.app.notes.[0-9a-f-]{36}$/.test(location.pathname))
    return page.evaluate(() => location.pathname.split('/').at(-1) ?? '')
  }

  /** Waits until the shared content is in its note, and checks all of it. */
  async function expectShared(id: string, title: string): Promise<void> {
    await page.waitForFunction(
      () =>
        caches
          .open('daybook-shared')
          .then((one) => one.keys())
          .then(({ length }) => length === 0),
      { polling: 100 },
    )
    const { notes } = (await app.server.get(`/v1/notes?search=${title}`)).body
    const { files } = (await app.server.get(`/v1/notes/${id}/files`)).body
    expect(files.map(({ file_name }: { file_name: string }) => file_name)).toEqual([
      'spokes.txt',
      'spokes 2.txt',
    ])
    const content = [
      'Worth reading\nhttps://example.com/',
      `[[file:${files[0].id}|spokes.txt]]`,
      `[[file:${files[1].id}|spokes 2.txt]]`,
    ].join('\n\n')
    expect(notes).toMatchObject([{ id, title, content }])
  }

  test(
    'creates one note from shared content and files, also if the page is reloaded meanwhile',
    async () => {
      const id = await share('Hubs', true)
      await page.reload()
      await expectShared(id, 'Hubs')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'asks before it creates a note from content that another site sends',
    async () => {
      // A web page can omit its origin, too.
      const headers = { 'Content-Type': 'text/html', 'Referrer-Policy': 'no-referrer' }
      const foreign = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: ({ url }) =>
          new Response(
            `<form method="post" enctype="multipart/form-data" action="${app.server.url}/app/share${new URL(url).search}"><input name="title" value="Forged"><input name="text" value="Trust me"></form><script>document.forms[0].submit()</script>`,
            { headers },
          ),
      })
      const forged = await app.nextPage(page.browserContext())
      const count = async () => (await app.server.get('/v1/notes?limit=1')).body.total
      const before = await count()
      const send = async (query: string) => {
        await forged.goto(`http://localhost:${foreign.port}/${query}`)
        await untilTextIn(forged, 'dialog.modal:modal', 'Trust me')
      }
      await send('')
      expect(await accessibilityProblems(forged)).toEqual([])
      await forged.keyboard.press('Enter')
      await press(forged, 'Discard')
      await untilAddress(forged, ({ pathname }) => pathname === '/app/notes')
      await send('?key=guessed')
      await forged.keyboard.press('Escape')
      await untilTextIn(forged, '.lines', 'Something shared with daybook is not saved yet.')
      await forged.reload()
      await untilTextIn(forged, '.lines', 'Something shared with daybook is not saved yet.')
      expect(await count()).toBe(before)
      await press(forged, 'Show details')
      await press(forged, 'Save as a note')
      await untilAddress(forged, ({ pathname }) => /^.app.notes.[0-9a-f-]{36}$/.test(pathname))
      await forged.waitForSelector('#note .status.ok')
      expect(await count()).toBe(before + 1)
      await untilNoText(forged, 'shared with daybook is not saved')
      await forged.close()
      await foreign.stop(true)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'creates one note also when the page is reloaded before the note reached the server',
    async () => {
      const held = Promise.withResolvers<HTTPRequest>()
      let isHeld = false
      page.on('request', (request) => {
        if (isHeld || !request.url().endsWith('/v1/changes/apply')) return void request.continue()
        isHeld = true
        held.resolve(request)
      })
      await page.setRequestInterception(true)
      const id = await share('Rims')
      await held.promise
      await page.reload()
      await expectShared(id, 'Rims')
    },
    BROWSER_TIMEOUT_MS,
  )
})
