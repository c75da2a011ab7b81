import type { Page } from 'puppeteer-core'

/* The finder, which Ctrl+K opens. */

/** Returns the titles of the results, from the top. */
export const foundTitles = (page: Page): Promise<string[]> =>
  page.$$eval('.palette [role=option] > .cut', (titles) => titles.map(({ textContent }) => textContent ?? ''))

/** Returns how many matches are outside of the lines that the finder shows of a text. */
export const hiddenMarks = (page: Page): Promise<number> =>
  page.$$eval('.palette mark', (marks) => {
    const bottomOf = (element: Element | null) => element?.getBoundingClientRect().bottom ?? 0
    return marks.filter((mark) => bottomOf(mark) > bottomOf(mark.closest('p')) + 1).length
  })
