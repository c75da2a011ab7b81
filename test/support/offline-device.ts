import type { Browser, BrowserContext, Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from './application.ts'
import { follow, press, until } from './application-server.ts'
import { cell } from './grid.ts'
import { type Line, startLine } from './line.ts'
import { countsOn, untilStoredOn } from './offline.ts'
import { selectFocused, textOf, textsOf } from './page-acts.ts'

export type Place = 'first' | 'last'

/** The targets of each writer: a line of a note, and this column of a row. */
export const COLUMNS = { first: 1, program: 2, last: 3 } as const

/** A background tab renders no frames, so polling replaces waiting for frames. */
const OFTEN = { polling: 50 }

interface Shown {
  readonly note: string
  readonly structure: string
}

/** A browser profile with its own network line and two tabs: a note, and the rows of a structure. */
export class Device {
  #note!: Page
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
    device.#note = await device.#newTab()
    await device.#openNote()
    return device
  }

  async #newTab(): Promise<Page> {
    const page = await this.context.newPage()
    page.setDefaultTimeout(BROWSER_TIMEOUT_MS / 2)
    // From 1360 px, a note is shown with its details.
    await page.setViewport({ width: 1440, height: 900 })
    page.on('pageerror', (error) => this.problems.push(String(error)))
    return page
  }

  get pages(): readonly Page[] {
    return [this.#note, this.#rows]
  }

  readonly #has = (page: Page, selector: string) =>
    page.waitForFunction((wanted) => document.querySelector(wanted), OFTEN, selector)

  async #openNote(): Promise<void> {
    await this.#note.goto(`${this.line.url}/app/notes/${this.#shown.note}`, { waitUntil: 'domcontentloaded' })
    await this.#has(this.#note, '.cm-content, .settle')
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
    await follow(this.#note, `notes/${note}`)
    await this.#note.waitForFunction(
      (id) =>
        location.pathname.endsWith(id) &&
        document.querySelector('.cm-content')?.textContent.startsWith('first'),
      OFTEN,
      note,
    )
    await this.#rows.waitForFunction(
      (place, wanted) => document.querySelector(place)?.textContent.trim() === wanted,
      OFTEN,
      cell(0, COLUMNS.program),
      row,
    )
    await until(() => hasKept(this.#note, note, row))
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
    // Another tab may hold the drafts of a closed tab and says so. Reopening the note resolves them there.
    if ((await textOf(this.#rows, 'body')).includes('Not saved: ')) await this.#openNote()
    await choose(this.#note, 'Keep mine')
    await choose(this.#rows, 'Use ')
  }

  /** Types at the end of a line. Retries if conflict passages have just replaced the text. */
  async writeWord(word: string): Promise<void> {
    await this.settle()
    const page = this.#note
    await this.#has(page, '.cm-content')
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
    if (!(await typed.evaluate(({ isTyped }) => isTyped))) await this.writeWord(word)
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
    const page = this.#note
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
  async closeTab(which: 'note' | 'rows'): Promise<void> {
    const next = await this.#newTab()
    const old = which === 'note' ? this.#note : this.#rows
    await old.close({ runBeforeUnload: false })
    if (which === 'note') this.#note = next
    else this.#rows = next
    await (which === 'note' ? this.#openNote() : this.#openRows())
  }

  /** Ends both tabs as a killed browser does. */
  async crash(): Promise<void> {
    const old = this.pages
    const next = [await this.#newTab(), await this.#newTab()] as const
    for (const page of old) {
      const session = await page.createCDPSession()
      const isDown = new Promise((resolve) => page.once('error', resolve))
      session.send('Page.crash').catch(() => undefined)
      await isDown
      await page.close().catch(() => undefined)
    }
    ;[this.#note, this.#rows] = next
    await Promise.all([this.#openNote(), this.#openRows()])
  }

  /** Ends the service worker, as a browser may at any time. The next request restarts it. */
  async killWorker(): Promise<void> {
    const session = await this.#note.createCDPSession()
    await session.send('ServiceWorker.enable')
    await session.send('ServiceWorker.stopAllWorkers')
    await session.detach()
  }

  /** Whether no change is pending, once conflicts are resolved. */
  async isSent(): Promise<boolean> {
    await this.settle()
    return (await countsOn(this.#note)).queue === 0
  }

  /** Returns the displayed text of the note, without spaces, and of the newest row. */
  async read() {
    return {
      note: await this.#note.evaluate(() =>
        // biome-ignore lint/performance/useDomNodeTextContent: lines are separate in it
        document.querySelector<HTMLElement>('.cm-content')?.innerText.replace(/\s+/g, ''),
      ),
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

  /** Returns the server status shown in both tabs. */
  statuses(): Promise<string[]> {
    return Promise.all(this.pages.map(async (page) => (await textsOf(page, '[role=status]')).join(' | ')))
  }

  async close(): Promise<void> {
    this.line.close()
    await this.context.close()
  }
}

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
