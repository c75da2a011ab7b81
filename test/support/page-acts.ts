import type { ElementHandle, Page } from 'puppeteer-core'

/* Acts and reads that are the same on every screen. */

/** Takes the focus away, so that keys reach the screen. */
export const leaveFocus = (page: Page): Promise<void> =>
  page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())

/** Selects the text of the focused field. Other elements have none. */
export const selectFocused = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const focused = document.activeElement
    if (focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement) focused.select()
  })

/** Returns the accessible name of the focused element: its label, or else its text. */
export const focusedName = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const focused = document.activeElement
    const labels = focused !== null && 'labels' in focused ? (focused as HTMLInputElement).labels : null
    return (focused?.ariaLabel ?? labels?.[0]?.textContent ?? focused?.textContent ?? '').trim()
  })

/** Whether the focus is on an element that matches, or inside one. */
export const isFocusIn = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate((wanted) => Boolean(document.activeElement?.closest(wanted)), selector)

/** Returns the text of the first element that matches, and fails if there is none. */
export const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, ({ textContent }) => textContent ?? '')

/** Returns the texts of all elements that match. */
export const textsOf = (page: Page, selector: string): Promise<string[]> =>
  page.$$eval(selector, (found) => found.map(({ textContent }) => textContent ?? ''))

/** Returns the text of the page that a person sees. */
export const shownText = (page: Page): Promise<string> =>
  // biome-ignore lint/performance/useDomNodeTextContent: hidden text is not shown
  page.evaluate(() => document.body.innerText)

/** Clicks the element that matches and has exactly this text. Waits for nothing, and fails if there is none. */
export const clickText = (page: Page, selector: string, text: string): Promise<void> =>
  page.$$eval(
    selector,
    (found, wanted) => {
      const named = found.find(({ textContent }) => textContent?.trim() === wanted)
      if (!(named instanceof HTMLElement)) throw new Error(`nothing is named ${wanted}`)
      named.click()
    },
    text,
  )

/** Focuses a part of the element that matches and contains a text. */
export const focusBeside = (
  page: Page,
  { selector, text, part }: { selector: string; text: string; part: string },
): Promise<void> =>
  page.$$eval(
    selector,
    (found, wanted, within) => {
      const row = found.find(({ textContent }) => textContent?.includes(wanted))
      const control = row?.querySelector<HTMLElement>(within)
      if (!control) throw new Error(`there is no ${within} beside ${wanted}`)
      control.focus()
    },
    text,
    part,
  )

/** Chooses an option of the select whose label begins with a text, once it is there. */
export async function choose(page: Page, label: string, value: string, within = 'body'): Promise<void> {
  const found = await page.waitForFunction(
    (scope, wanted) =>
      [...document.querySelectorAll<HTMLLabelElement>(`${scope} label`)].find(
        ({ textContent, control }) => textContent.startsWith(wanted) && control?.matches('select'),
      )?.control,
    {},
    within,
    label,
  )
  const select = found.asElement() as ElementHandle<HTMLSelectElement>
  const chosen = await select.select(value)
  if (chosen[0] !== value) throw new Error(`${label} has no option ${value}`)
}

/** Whether the page needs no scrolling to the side. */
export const fitsAcross = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)

/** Whether the page needs no scrolling down. */
export const fitsDown = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollHeight <= innerHeight)

/** Waits until the browser has drawn this many frames. */
export const frames = (page: Page, count = 2): Promise<void> =>
  page.evaluate(async (wanted) => {
    for (let left = wanted; left > 0; left--) await new Promise(requestAnimationFrame)
  }, count)

/** Shows another address as the back button does: without a request for the document. */
export const showAddress = (page: Page, path: string): Promise<void> =>
  page.evaluate((wanted) => {
    history.pushState(null, '', wanted)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)

interface PastedFile {
  readonly name: string
  readonly type: string
  readonly base64: string
}

interface Pasted {
  readonly text?: string
  readonly html?: string
  readonly file?: PastedFile
}

/** Pastes into the element that matches, as from another program. */
export const paste = (page: Page, pasted: Pasted, selector = ':focus'): Promise<void> =>
  page.$eval(
    selector,
    (element, { text, html, file }) => {
      const clipboardData = new DataTransfer()
      if (html !== undefined) clipboardData.setData('text/html', html)
      if (text !== undefined) clipboardData.setData('text/plain', text)
      if (file !== undefined) {
        const bytes = Uint8Array.from(atob(file.base64), (character) => character.charCodeAt(0))
        clipboardData.items.add(new File([bytes], file.name, { type: file.type }))
      }
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    },
    pasted,
  )
