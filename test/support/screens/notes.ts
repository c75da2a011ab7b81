import type { Page } from 'puppeteer-core'
import { until } from '../application-server.ts'
import { frames, textsOf } from '../page-acts.ts'

/* The list of notes, and the note that is shown beside it. */

/** Returns the titles in the list, from the top. */
export const listedTitles = (page: Page): Promise<string[]> =>
  page.$$eval('.notes-rows .item-title', (titles) => titles.map(({ textContent }) => textContent ?? ''))

/** Returns the lines of the editor as they are shown. */
export const shownLines = (page: Page): Promise<string[]> =>
  page.$$eval('.cm-line', (lines) =>
    // biome-ignore lint/performance/useDomNodeTextContent: hidden marks are not shown
    lines.map((line) => (line as HTMLElement).innerText.trim()),
  )

/** Selects characters of the first line of the editor, and waits for the button that comments on them. */
export const selectPassage = (page: Page, from: number, to: number): Promise<void> =>
  // The editor may draw the line again at this moment, which ends the selection.
  until(async () => {
    await page.$eval(
      '.cm-line',
      ({ firstChild }, start, end) => {
        if (firstChild !== null) getSelection()?.setBaseAndExtent(firstChild, start, firstChild, end)
      },
      from,
      to,
    )
    await frames(page)
    return (await page.$('.cm-tooltip button')) !== null
  })

/** Waits until the compared versions are shown as these passages. */
export const untilCompared = (page: Page, ...passages: string[]): Promise<void> =>
  until(async () => (await textsOf(page, '.differences > p > *')).join('|') === passages.join('|'))
