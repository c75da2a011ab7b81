import type { Page } from 'puppeteer-core'
import { untilCount, untilOneHas, untilTextIs } from '../waits.ts'

/* The screen of a source: its events, its map, its conditions, and the URLs that events are passed on to. */

/** Clicks the line of the event with this key, once it is shown. */
export const clickEventKey = (page: Page, key: string): Promise<unknown> =>
  page.waitForFunction(
    (wanted) => {
      const line = [...document.querySelectorAll<HTMLElement>('.tree-line')].find(
        (one) => one.querySelector('.key')?.textContent === wanted,
      )
      line?.click()
      return line !== undefined
    },
    {},
    key,
  )

/** Waits until a line of the map contains a text. */
export const untilMapped = (page: Page, text: string): Promise<unknown> =>
  untilOneHas(page, '.map-table tbody tr', text)

/** Waits until the preview of the row shows this instant. */
export const untilPreviewed = (page: Page, instant: string): Promise<unknown> =>
  page.waitForSelector(`.map-table [title="${instant}"]`)

/** Chooses how a field converts the value of the event. */
export const chooseConversion = (page: Page, field: string, conversion: string): Promise<unknown> =>
  page.select(`[aria-label="Convert ${field}"]`, conversion)

/** Chooses how a condition compares. */
export const chooseComparison = (page: Page, condition: number, comparison: string): Promise<unknown> =>
  page.select(`[aria-label="Comparison of condition ${condition}"]`, comparison)

/** Chooses that events update their row when the field is newer. */
export async function updateWhenNewer(page: Page, field: string): Promise<void> {
  await page.select('#conflict', 'update')
  await page.select('#newer-by', field)
}

/** Waits until the source has this many conditions. */
export const untilConditions = (page: Page, count: number): Promise<unknown> =>
  untilCount(page, '.condition', count)

/** Waits until the newest event has this state, with its reason. */
export const untilEventState = (page: Page, state: string): Promise<unknown> =>
  untilTextIs(page, 'table[aria-label^=Events] .status', state)

/** Waits until the URL to pass events on to was refused. */
export const untilTargetRefused = (page: Page): Promise<unknown> =>
  page.waitForSelector('[name=target][aria-invalid=true]')

/** Waits until an event was passed on. */
export const untilPassedOn = (page: Page): Promise<unknown> =>
  page.waitForSelector('table[aria-label="Deliveries, newest first"] .status.ok')

/** Waits until events are passed on to no URL. */
export const untilNoTargets = (page: Page): Promise<unknown> =>
  page.waitForSelector('table[aria-label="URLs that events are passed on to"]', { hidden: true })
