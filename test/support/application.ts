import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Page } from 'puppeteer-core'

/** Only ends what hangs: a browser on a busy machine may be starved for most of this time. */
export const BROWSER_TIMEOUT_MS = 120_000

const AXE = readFileSync(resolve('node_modules/axe-core/axe.min.js'), 'utf8')

/** Resolves once no part of the page is loading and nothing on it has changed for some frames, or after 600 frames. */
const STILL = `new Promise((resolve) => {
  let left = 10
  let most = 600
  const observer = new MutationObserver(() => { left = 10 })
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true })
  const isLoading = () =>
    [...document.querySelectorAll('.list-end[role=status]')].some(({ textContent }) => /^(Loading…)?$/.test(textContent))
  const next = () => {
    if (isLoading()) left = 10
    if (left-- > 0 && most-- > 0) return requestAnimationFrame(next)
    observer.disconnect()
    resolve()
  }
  next()
})`

/** Waits until the page has loaded what it shows and stays as it is. */
export const untilStill = (page: Page): Promise<unknown> => page.evaluate(STILL)

/** Waits for color transitions to finish. Returns only the findings, not the many checks that passed. */
const runAxe = (options: object) => `Promise.allSettled(
  document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished),
)
  .then(() => axe.run(${JSON.stringify({ resultTypes: ['violations'], ...options })}))
  .then(({ violations }) => ({ violations }))`

/** The rules whose result depends on the colour scheme. */
const COLOR_RULES = { runOnly: ['color-contrast', 'link-in-text-block'] }

/** A phone or desktop viewport, in light or dark. */
type Look = readonly [width: number, scheme: 'light' | 'dark']

export const ALL_LOOKS: readonly Look[] = [
  [360, 'light'],
  [360, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
]

/** Covers each width and each scheme once, for intermediate states. */
const LOOKS: readonly Look[] = [
  [360, 'dark'],
  [1280, 'light'],
]

/** Returns the findings of axe on the current page in each look, one line per element. */
export async function accessibilityProblems(page: Page, looks = LOOKS): Promise<string[]> {
  const found: string[] = []
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  const widths = new Set<number>()
  for (const [width, scheme] of looks) {
    const options = widths.has(width) ? COLOR_RULES : {}
    widths.add(width)
    await page.setViewport({ width, height: 800 })
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ])
    const { violations } = (await page.evaluate(runAxe(options))) as Pick<AxeResults, 'violations'>
    for (const { id, nodes } of violations)
      for (const { target } of nodes) found.push(`${width} ${scheme}: ${id} at ${target}`)
  }
  return found
}
