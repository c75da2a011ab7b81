import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Page } from 'puppeteer-core'

/** Enough for a browser on a busy machine. */
export const BROWSER_TIMEOUT_MS = 60_000

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
