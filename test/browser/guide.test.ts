import { expect, test } from 'bun:test'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { hasBrowser, sharedBrowser } from '../support/browser.ts'
import { newFolder, startProcess } from '../support/process.ts'

test.skipIf(!hasBrowser)(
  'the guide works and can be searched without script, is accessible, and requests no other host',
  async () => {
    const folder = newFolder()
    const server = await startProcess(folder.file('daybook.db'))
    const profile = await (await sharedBrowser()).createBrowserContext()
    try {
      const page = await profile.newPage()
      page.setDefaultTimeout(BROWSER_TIMEOUT_MS)
      const requested: string[] = []
      page.on('request', (request) => requested.push(request.url()))
      for (const path of ['/docs/guide/receive-events', '/docs/guide?q=backup']) {
        await page.goto(`${server.url}${path}`)
        expect([path, await accessibilityProblems(page)]).toEqual([path, []])
      }
      await page.setJavaScriptEnabled(false)
      await page.goto(`${server.url}/docs/guide`)
      await page.type('[name=q]', 'restore a backup')
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
      await Promise.all([page.waitForNavigation(), page.click('.hits a[href$="#restore-a-backup"]')])
      expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('Back up and restore')
      expect(requested.filter((url) => !url.startsWith(`${server.url}/`))).toEqual([])
    } finally {
      await profile.close()
      await server.end()
      folder.remove()
    }
  },
  BROWSER_TIMEOUT_MS,
)
