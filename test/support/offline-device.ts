import type { Browser, BrowserContext, Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from './application.ts'
import { press } from './application-server.ts'
import { cell } from './grid.ts'
import { type Line, startLine } from './line.ts'
import { countsOn, untilStoredOn } from './offline.ts'

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
    page.waitForFunction(`document.querySelector('${selector}')`, OFTEN)

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
    await this.#note.evaluate(`{
      const link = Object.assign(document.createElement('a'), { href: '/app/notes/${note}' })
      document.body.append(link)
      link.click()
      link.remove()
    }`)
    await this.#note.waitForFunction(
      `location.pathname.endsWith('${note}') && document.querySelector('.cm-content')?.textContent.startsWith('first')`,
      OFTEN,
    )
    await this.#rows.waitForFunction(
      `document.querySelector('${cell(0, COLUMNS.program)}')?.textContent.trim() === ${JSON.stringify(row)}`,
      OFTEN,
    )
    await this.#note.waitForFunction(hasKept(note, row), OFTEN)
  }

  /** Chooses the local version in every conflict. */
  async settle(): Promise<void> {
    const choose = (start: string) =>
      `for (const one of document.querySelectorAll('.settle button, .note-row button')) if (one.textContent.startsWith('${start}')) { one.click(); break }`
    // Another tab may hold the drafts of a closed tab and says so. Reopening the note resolves them there.
    if (await this.#rows.evaluate(`document.body.textContent.includes('Not saved: ')`)) await this.#openNote()
    await this.#note.evaluate(choose('Keep mine'))
    await this.#rows.evaluate(choose('Use '))
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
    const begun = `addEventListener('input', () => { globalThis.isTyped = true }, { capture: true, once: true })`
    await page.evaluate(`globalThis.isTyped = false; ${begun}`)
    await page.keyboard.sendCharacter(` ${word}`)
    if (!(await page.evaluate('globalThis.isTyped'))) await this.writeWord(word)
  }

  async writeCell(text: string): Promise<void> {
    await this.settle()
    const page = this.#rows
    const place = cell(0, COLUMNS[this.place])
    await page.focus(place)
    await page.keyboard.press('Enter')
    await this.#has(page, 'td input:focus, td textarea:focus')
    await page.evaluate('document.activeElement.select()')
    await page.keyboard.sendCharacter(text)
    await page.keyboard.press('Enter')
    await page.waitForFunction(
      `document.querySelector('${place}')?.textContent.startsWith(${JSON.stringify(text)})`,
      OFTEN,
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
      `[...document.querySelectorAll('#details .tag-item')].some((one) => one.textContent.includes(${JSON.stringify(tag)}))`,
      OFTEN,
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
    const text = `document.querySelector('.cm-content')?.innerText.replace(/\\s+/g, '')`
    const cells = Object.entries(COLUMNS).map(
      ([name, column]) =>
        `${name}: document.querySelector('${cell(0, column)}')?.textContent.trim().replace(/^–$/, '')`,
    )
    return {
      note: await this.#note.evaluate(text),
      row: (await this.#rows.evaluate(`({ ${cells.join(', ')} })`)) as Record<string, string>,
    }
  }

  /** Returns the server status shown in both tabs. */
  statuses(): Promise<unknown[]> {
    const said = `[...document.querySelectorAll('[role=status]')].map((one) => one.textContent).join(' | ')`
    return Promise.all(this.pages.map((page) => page.evaluate(said)))
  }

  async close(): Promise<void> {
    this.line.close()
    await this.context.close()
  }
}

/** The source of an expression in the page: whether the offline copy has the text of a note and the newest row. */
const hasKept = (note: string, row: string) => `new Promise((resolve) => {
  const request = indexedDB.open('daybook-offline')
  request.onsuccess = () => {
    const transaction = request.result.transaction(['texts', 'rows'])
    const text = transaction.objectStore('texts').getKey('${note}')
    const rows = transaction.objectStore('rows').getAll()
    transaction.oncomplete = () => {
      request.result.close()
      resolve(text.result !== undefined && rows.result.some(({ row }) => row.data.program === '${row}'))
    }
  }
})`
