import type { Browser, BrowserContext, Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from './application.ts'
import { follow, press, until } from './application-server.ts'
import { cell } from './grid.ts'
import { type Line, startLine } from './line.ts'
import { countsOn, untilStoredOn } from './offline.ts'
import { selectFocused, textsOf } from './page-acts.ts'

export type Place = 'first' | 'last'

/** The targets of each writer: a line of a note, and this column of a row. */
export const COLUMNS = { first: 1, program: 2, last: 3 } as const

/** A background tab renders no frames, so polling replaces waiting for frames. */
const OFTEN = { polling: 50 }

interface Shown {
  readonly note: string
  readonly structure: string
}

/** A browser profile with its own network line and three tabs: two with a note, and one with the rows of a structure. */
export class Device {
  #front: 0 | 1 = 0
  #notes: [Page, Page] = [] as never
  #rows!: Page
  #shown!: Shown
  readonly problems: string[] = []

  private constructor(
    readonly place: Place,
    readonly line: Line,
    private readonly context: BrowserContext,
  ) {}

  /** Signs in with a cookie, and makes the structure available offline. */
  static async start(
    browser: Browser,
    place: Place,
    url: string,
    cookie: { readonly name: string; readonly value: string },
    shown: Shown,
  ): Promise<Device> {
    const context = await browser.createBrowserContext()
    const line = await startLine(url)
    const device = new Device(place, line, context)
    await context.setCookie({ ...cookie, domain: new URL(url).hostname, httpOnly: true })
    device.#shown = shown
    device.#rows = await device.#newTab()
    await device.#openRows()
    await device.#keepRows()
    device.#notes = [await device.#newTab(), await device.#newTab()]
    for (const page of device.#notes) await device.#openNote(page)
    await device.#bringToFront(0)
    return device
  }

  async #newTab(): Promise<Page> {
    const page = await this.context.newPage()
    page.setDefaultTimeout(BROWSER_TIMEOUT_MS / 2)
    // From 1360 px, a note is shown with its details.
    await page.setViewport({ width: 1440, height: 900 })
    await page.evaluateOnNewDocument(setVisibility)
    page.on('pageerror', (error) => this.problems.push(String(error)))
    return page
  }

  get pages(): readonly Page[] {
    return [...this.#notes, this.#rows]
  }

  readonly #has = (page: Page, selector: string) =>
    page.waitForFunction((wanted) => document.querySelector(wanted), OFTEN, selector)

  async #openNote(page: Page): Promise<void> {
    await page.goto(`${this.line.url}/app/notes/${this.#shown.note}`, { waitUntil: 'domcontentloaded' })
    await this.#has(page, '.cm-content, .settle')
  }

  async #openRows(): Promise<void> {
    const path = `/app/records/${this.#shown.structure}?direction=desc`
    await this.#rows.goto(this.line.url + path, { waitUntil: 'domcontentloaded' })
    await this.#has(this.#rows, cell(0, 1))
  }

  /** Makes the rows of the structure available offline. */
  async #keepRows(): Promise<void> {
    await press(this.#rows, 'More')
    await press(this.#rows, 'Keep offline')
    await untilStoredOn(this.#rows, { rows: 1 })
  }

  /** Shows a note through a link of the page, and waits until the offline copy has it and the newest row. */
  async show(note: string, row: string): Promise<void> {
    this.#shown = { ...this.#shown, note }
    for (const page of this.#notes) {
      await follow(page, `notes/${note}`)
      await page.waitForFunction(
        (id) =>
          location.pathname.endsWith(id) &&
          document.querySelector('.cm-content')?.textContent.startsWith('first'),
        OFTEN,
        note,
      )
    }
    await this.#rows.waitForFunction(
      (place, wanted) => document.querySelector(place)?.textContent.trim() === wanted,
      OFTEN,
      cell(0, COLUMNS.program),
      row,
    )
    await until(() => hasKept(this.#rows, note, row))
  }

  /** Chooses the local version in every conflict. */
  async settle(): Promise<void> {
    const choose = (page: Page, start: string) =>
      page.$$eval(
        '.settle button, .note-row button',
        (buttons, wanted) =>
          (
            buttons.find(({ textContent }) => textContent.startsWith(wanted)) as HTMLElement | undefined
          )?.click(),
        start,
      )
    await choose(this.#notes[0], 'Keep mine')
    await choose(this.#rows, 'Use ')
  }

  /** Brings one of the tabs with the note to the front. The other one no longer follows changes, as in the background. */
  async #bringToFront(tab: 0 | 1): Promise<void> {
    this.#front = tab
    for (const [at, page] of this.#notes.entries())
      await page.evaluate((isHidden) => {
        document.body.dataset.hidden = String(isHidden)
        document.dispatchEvent(new Event('visibilitychange'))
      }, at !== tab)
  }

  readonly showOtherTab = (): Promise<void> => this.#bringToFront(this.#front === 0 ? 1 : 0)

  /** Waits until both tabs show the same text, if it is not saved yet: an edit in one of them appears in the other. */
  async #untilSame(): Promise<void> {
    await until(async () => {
      await this.settle()
      const [one, other] = await Promise.all(this.#notes.map(shownText))
      return one !== undefined && (one === other || !(await hasPendingText(this.#rows)))
    })
  }

  /** Types at the end of a line. Retries if conflict passages have just replaced the text. */
  async writeWord(word: string, tab: 0 | 1): Promise<void> {
    await this.#bringToFront(tab)
    await this.#untilSame()
    const page = this.#notes[tab]
    await page.focus('.cm-content').catch(() => undefined)
    await page.keyboard.down('Control')
    await page.keyboard.press(this.place === 'first' ? 'Home' : 'End')
    await page.keyboard.up('Control')
    await page.keyboard.press('End')
    const typed = await page.evaluateHandle(() => {
      const noted = { isTyped: false }
      const note = () => {
        noted.isTyped = true
      }
      addEventListener('input', note, { capture: true, once: true })
      return noted
    })
    await page.keyboard.sendCharacter(` ${word}`)
    if (!(await typed.evaluate(({ isTyped }) => isTyped))) await this.writeWord(word, tab)
  }

  async writeCell(text: string): Promise<void> {
    await this.settle()
    const page = this.#rows
    const place = cell(0, COLUMNS[this.place])
    await page.focus(place)
    await page.keyboard.press('Enter')
    await this.#has(page, 'td input:focus, td textarea:focus')
    await selectFocused(page)
    await page.keyboard.sendCharacter(text)
    await page.keyboard.press('Enter')
    await page.waitForFunction(
      (selector, wanted) => document.querySelector(selector)?.textContent.startsWith(wanted),
      OFTEN,
      place,
      text,
    )
  }

  /** Adds a tag to the note. */
  async writeTag(tag: string): Promise<void> {
    const page = this.#notes[this.#front]
    await this.#has(page, 'input[name=tag]')
    await page.focus('input[name=tag]')
    await page.keyboard.sendCharacter(tag)
    await page.keyboard.press('Enter')
    await page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll('#details .tag-item')].some(({ textContent }) =>
          textContent.includes(wanted),
        ),
      OFTEN,
      tag,
    )
  }

  /** Closes one of the tabs, and opens it again. */
  async closeTab(which: 0 | 1 | 'rows'): Promise<void> {
    const next = await this.#newTab()
    const old = which === 'rows' ? this.#rows : this.#notes[which]
    await old.close({ runBeforeUnload: false })
    if (which === 'rows') this.#rows = next
    else this.#notes[which] = next
    await (which === 'rows' ? this.#openRows() : this.#openNote(next))
    await this.#bringToFront(this.#front)
  }

  /** Ends all tabs as a killed browser does. */
  async crash(): Promise<void> {
    const old = this.pages
    const next = [await this.#newTab(), await this.#newTab(), await this.#newTab()] as const
    for (const page of old) {
      const session = await page.createCDPSession()
      const isDown = new Promise((resolve) => page.once('error', resolve))
      session.send('Page.crash').catch(() => undefined)
      await isDown
      await page.close().catch(() => undefined)
    }
    const [one, other, rows] = next
    this.#notes = [one, other]
    this.#rows = rows
    await Promise.all([this.#openNote(one), this.#openNote(other), this.#openRows()])
    await this.#bringToFront(this.#front)
  }

  /** Ends the service worker, as a browser may at any time. The next request restarts it. */
  async killWorker(): Promise<void> {
    const session = await this.#rows.createCDPSession()
    await session.send('ServiceWorker.enable')
    await session.send('ServiceWorker.stopAllWorkers')
    await session.detach()
  }

  /** Whether no change is pending, once conflicts are resolved. */
  async isSent(): Promise<boolean> {
    await this.settle()
    return (await countsOn(this.#rows)).queue === 0
  }

  /** Returns the displayed text of the note, without spaces, in the tab in front, and of the newest row. */
  async read() {
    return {
      note: await shownText(this.#notes[this.#front]),
      row: await this.#rows.evaluate(
        (places) =>
          Object.fromEntries(
            places.map(([name, place]) => [
              name,
              document.querySelector(place)?.textContent.trim().replace(/^–$/, ''),
            ]),
          ),
        Object.entries(COLUMNS).map(([name, column]) => [name, cell(0, column)] as const),
      ),
    }
  }

  /** Returns the server status shown in all tabs. */
  statuses(): Promise<string[]> {
    return Promise.all(this.pages.map(async (page) => (await textsOf(page, '[role=status]')).join(' | ')))
  }

  async close(): Promise<void> {
    this.line.close()
    await this.context.close()
  }
}

/** Runs in every page: a browser without windows shows all tabs, each of which would follow changes. */
function setVisibility(): void {
  const isHidden = () => document.body?.dataset.hidden === 'true'
  Object.defineProperty(document, 'hidden', { get: isHidden })
  Object.defineProperty(document, 'visibilityState', { get: () => (isHidden() ? 'hidden' : 'visible') })
}

/** The displayed text of the note, without spaces. */
const shownText = (page: Page): Promise<string | undefined> =>
  page.evaluate(() =>
    // biome-ignore lint/performance/useDomNodeTextContent: lines are separate in it
    document.querySelector<HTMLElement>('.cm-content')?.innerText.replace(/\s+/g, ''),
  )

/** Whether the outbox has an edited note. */
const hasPendingText = (page: Page): Promise<boolean> =>
  page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        const request = indexedDB.open('daybook-offline')
        request.onsuccess = () => {
          const reading = request.result.transaction('queue').objectStore('queue').getAllKeys()
          reading.onsuccess = () => {
            request.result.close()
            resolve((reading.result as string[][]).some(([, , name]) => name?.startsWith('text ')))
          }
        }
      }),
  )

/** Whether the offline copy has the text of a note and the newest row. */
const hasKept = (page: Page, note: string, row: string): Promise<boolean> =>
  page.evaluate(
    (id, wanted) =>
      new Promise<boolean>((resolve) => {
        const request = indexedDB.open('daybook-offline')
        request.onsuccess = () => {
          const transaction = request.result.transaction(['texts', 'rows'])
          const text = transaction.objectStore('texts').getKey(id)
          const rows = transaction.objectStore('rows').getAll()
          transaction.oncomplete = () => {
            request.result.close()
            const isKept = rows.result.some((entry) => entry.row.data.program === wanted)
            resolve(text.result !== undefined && isKept)
          }
        }
      }),
    note,
    row,
  )
