import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'puppeteer-core'
import type { ServerProcess } from './process.ts'

/** Enough for a browser on a busy machine. */
export const BROWSER_TIMEOUT_MS = 60_000

/** A page of the application, and what went wrong in it since its user signed in. */
export interface ApplicationPage {
  readonly page: Page
  /** Errors on the console, uncaught errors, and requests to another host. */
  readonly problems: readonly string[]
}

/** Opens the application, and signs in with the setup link that a new database prints. */
export async function openApplication(browser: Browser, server: ServerProcess): Promise<ApplicationPage> {
  const page = await browser.newPage()
  page.setDefaultTimeout(BROWSER_TIMEOUT_MS)
  await page.setViewport({ width: 1280, height: 800 })
  const link = /http\S+#setup=\S+/.exec(server.err())?.[0]
  if (link === undefined) throw new Error('the server printed no setup link')
  await page.goto(link)
  await page.waitForSelector('input[type=password]')
  await page.type('input[type=password]', 'a long enough password')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.rail-nav')
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url())
    if (protocol.startsWith('http') && host !== new URL(server.url).host) problems.push(request.url())
  })
  return { page, problems }
}

const AXE = readFileSync(resolve('node_modules/axe-core/axe.min.js'), 'utf8')

/** Only what was found leaves the page, not the many checks that passed. */
const RUN_AXE = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => ({ violations }))`

const WIDTHS = [360, 1280]
const SCHEMES = ['light', 'dark']

/** What axe finds on the page as it is, in light and dark, on a phone and on a desk: one line for each element. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const found: string[] = []
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  for (const width of WIDTHS) {
    await page.setViewport({ width, height: 800 })
    for (const value of SCHEMES) {
      await page.emulateMediaFeatures([
        { name: 'prefers-color-scheme', value },
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ])
      const { violations } = (await page.evaluate(RUN_AXE)) as Pick<AxeResults, 'violations'>
      for (const { id, nodes } of violations)
        for (const { target } of nodes) found.push(`${width} ${value}: ${id} at ${target}`)
    }
  }
  return found
}
