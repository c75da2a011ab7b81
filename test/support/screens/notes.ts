import type { Page } from 'puppeteer-core'

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

/** Selects characters of the first line of the editor. */
export const selectInFirstLine = (page: Page, from: number, to: number): Promise<void> =>
  page.$eval(
    '.cm-line',
    ({ firstChild }, start, end) => {
      if (firstChild !== null) getSelection()?.setBaseAndExtent(firstChild, start, firstChild, end)
    },
    from,
    to,
  )

/** Inserts a text at the cursor at once, as typing does. */
export const insertText = (page: Page, text: string): Promise<boolean> =>
  page.evaluate((inserted) => document.execCommand('insertText', false, inserted), text)

/** Returns the compared versions as they are shown, passage by passage. */
export const comparedVersions = (page: Page): Promise<string[]> =>
  page.$$eval('.differences > p > *', (passages) => passages.map(({ textContent }) => textContent ?? ''))
