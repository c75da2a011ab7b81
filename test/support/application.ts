import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AxeResults, Result, RunOptions } from 'axe-core'
import type { Page } from 'puppeteer-core'

/** Only ends what hangs: a browser on a busy machine may be starved for most of this time. */
export const BROWSER_TIMEOUT_MS = 120_000

const AXE = readFileSync(resolve('node_modules/axe-core/axe.min.js'), 'utf8')

/** Waits until no part of the page is loading and nothing on it has changed for some frames, or for 600 frames. */
export const untilStill = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let left = 10
        let most = 600
        const observer = new MutationObserver(() => {
          left = 10
        })
        const every = { childList: true, subtree: true, attributes: true, characterData: true }
        observer.observe(document.body, every)
        const isLoading = () =>
          [...document.querySelectorAll('.list-end[role=status]')].some(({ textContent }) =>
            /^(Loading…)?$/.test(textContent ?? ''),
          )
        const next = () => {
          if (isLoading()) left = 10
          if (left-- > 0 && most-- > 0) return requestAnimationFrame(next)
          observer.disconnect()
          resolve()
        }
        next()
      }),
  )

/**
 * Waits until the skip link leads to content, which a screen that is loading does not have, and for color transitions to
 * finish. Returns only the findings, not the many checks that passed.
 */
const findingsOf = (page: Page, options: RunOptions): Promise<Result[]> =>
  page.evaluate(async (chosen) => {
    const isLoading = () =>
      [...document.querySelectorAll<HTMLAnchorElement>('a.skip')].some(
        ({ hash }) => document.querySelector(hash) === null,
      )
    for (let most = 600; isLoading() && most > 0; most--) await new Promise(requestAnimationFrame)
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    await Promise.allSettled(transitions.map(({ finished }) => finished))
    const { axe } = globalThis as unknown as { axe: { run(given: object): Promise<AxeResults> } }
    return (await axe.run({ resultTypes: ['violations'], ...chosen })).violations
  }, options)

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
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  const widths = new Set<number>()
  for (const [width, scheme] of looks) {
    const options = widths.has(width) ? COLOR_RULES : {}
    widths.add(width)
    await page.setViewport({ width, height: 800 })
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ])
    for (const { id, nodes } of await findingsOf(page, options))
      for (const { target } of nodes) found.push(`${width} ${scheme}: ${id} at ${target}`)
  }
  return found
}
