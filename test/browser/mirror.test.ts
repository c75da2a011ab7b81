import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { untilText } from '../support/application-server.ts'
import { hasBrowser, sharedBrowser } from '../support/browser.ts'
import { type MirrorProcess, startMirror } from '../support/mirror-process.ts'
import { fitsDown } from '../support/page-acts.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'

const folder = newFolder()
let remote: ServerProcess
let mirror: MirrorProcess
let profile: BrowserContext | undefined
let page: Page

beforeAll(async () => {
  if (!hasBrowser) return
  remote = await startProcess(folder.file('remote.db'), { args: ['--log-level', 'warn'] })
  await remote.post('/v1/notes', { title: 'A note of the team', content: 'text' })
  mirror = await startMirror({
    file: folder.file('mirror.db'),
    remote: remote.url,
    key: remote.key ?? '',
  })
  profile = await (await sharedBrowser()).createBrowserContext()
  page = await profile.newPage()
  page.setDefaultTimeout(BROWSER_TIMEOUT_MS / 2)
}, BROWSER_TIMEOUT_MS)

afterAll(async () => {
  await profile?.close()
  await mirror?.end()
  await remote?.end()
  folder.remove()
})

test.skipIf(!hasBrowser)(
  'a copy is marked as read-only in the application, and offers no write',
  async () => {
    const { out } = await daybook(['users', 'link', 'owner', '--db', folder.file('mirror.db')])
    const token = /setup=(\S+)/.exec(out)?.[1] ?? ''
    await page.goto(`${mirror.url}/app`)
    const status = await page.evaluate(async (sent) => {
      const body = JSON.stringify({ token: sent, password: 'a long password' })
      return (await fetch('/app/api/setup', { method: 'POST', body })).status
    }, token)
    expect(status).toBe(200)
    for (const [width, height] of [
      [1280, 800],
      [360, 740],
    ] as const) {
      await page.setViewport({ width, height })
      await page.goto(`${mirror.url}/app`)
      await page.waitForSelector('.copy-line')
      expect(await page.$eval('.copy-line', (line) => line.textContent)).toBe(
        `Read-only copy of ${new URL(remote.url).host}; make changes there.`,
      )
      await untilText(page, 'A note of the team')
      expect(
        await page.$$eval(
          'button',
          (all) => all.filter(({ textContent }) => textContent === 'New note').length,
        ),
      ).toBe(0)
      // Everything fits on the screen: the panes shrink to make room for the line.
      expect(await fitsDown(page)).toBe(true)
      const [line, main] = await Promise.all(
        ['.copy-line', 'main'].map(async (name) => (await page.$(name))?.boundingBox()),
      )
      expect(main?.y).toBeGreaterThanOrEqual((line?.y ?? 0) + (line?.height ?? 0))
      if (Bun.env.SHOTS) await page.screenshot({ path: `${Bun.env.SHOTS}/copy-${width}.png` })
    }
  },
  BROWSER_TIMEOUT_MS,
)

test.skipIf(!hasBrowser)(
  'a writable copy is marked as such, and offers writes',
  async () => {
    await mirror.end()
    const args = ['--writable']
    mirror = await startMirror({
      file: folder.file('mirror.db'),
      remote: remote.url,
      key: remote.key ?? '',
      ownKey: mirror.key,
      args,
    })
    const { out } = await daybook(['users', 'link', 'owner', '--db', folder.file('mirror.db')])
    const token = /setup=(\S+)/.exec(out)?.[1] ?? ''
    await page.goto(`${mirror.url}/app`)
    await page.evaluate(async (sent) => {
      const body = JSON.stringify({ token: sent, password: 'a long password' })
      await fetch('/app/api/setup', { method: 'POST', body })
    }, token)
    await page.setViewport({ width: 1440, height: 900 })
    await page.goto(`${mirror.url}/app`)
    await page.waitForSelector('.copy-line')
    if (Bun.env.SHOTS) await page.screenshot({ path: `${Bun.env.SHOTS}/writable-copy.png` })
    expect(await page.$eval('.copy-line', (line) => line.textContent)).toBe(
      `Copy of ${new URL(remote.url).host}; your changes stay here until you run “daybook mirror push”.`,
    )
    await page.waitForSelector('[aria-label="New note (N)"]')
  },
  BROWSER_TIMEOUT_MS,
)
