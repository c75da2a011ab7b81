import type { Browser, BrowserContext, ElementHandle, Page } from 'puppeteer-core'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { VERSION } from '../../src/lib/version.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { BROWSER_TIMEOUT_MS } from './application.ts'
import { sharedBrowser } from './browser.ts'
import { addSession, PASSWORD } from './browser-client.ts'
import { selectFocused } from './page-acts.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from './process.ts'

export interface Look {
  readonly width?: number
  readonly scheme?: 'light' | 'dark'
}

/** A real server with the application, and the real browser that all tests of the process share. */
export interface Application {
  /** The currently running server. */
  readonly server: ServerProcess
  readonly file: string
  readonly browser: Browser
  /** Problems that no page may have: console errors, and requests to other hosts. */
  readonly problems: string[]
  /** Opens a page in a new profile without a session. */
  newPage(look?: Look): Promise<Page>
  /** Opens another page in the profile of `context`. */
  nextPage(context: BrowserContext, look?: Look): Promise<Page>
  /** Creates a setup link for a user on the command line. */
  setupLink(user?: string): Promise<string>
  /** Opens the application in a new session of a user, without a password. */
  signIn(page: Page, user?: string): Promise<void>
  /** Opens a setup link and sets the password. */
  setUp(page: Page, link: string): Promise<void>
  /** Kills the server, awaits `whileAway`, and restarts the server at the same address. */
  restart(whileAway: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** Refusals and an unreachable server are not errors of the page. */
const isRefusal = (text: string) => /^Failed to load resource: (?!.*status of 5)/.test(text)

/** Shorter than the timeout of a test, so that a failure names the condition that was not met. */
const WAIT_MS = BROWSER_TIMEOUT_MS / 2

/** Polling at every frame, the default, draws the page all the time, for a fifteenth of a processor. */
const POLLING_MS = 25

function waitOftenOn(page: Page): Page['waitForFunction'] {
  const { waitForFunction } = page
  const wait = (condition: string, options?: object, ...values: unknown[]) =>
    waitForFunction.call(page, condition, { polling: POLLING_MS, ...options }, ...values)
  return wait as Page['waitForFunction']
}

/** Writes a session into the database as a command does; returns its cookie value. */
export async function newSession(file: string, user: string): Promise<string> {
  const clock = systemClock
  const log = createLog('silent', clock, () => {})
  const db = openDatabase({ file, programVersion: VERSION, clock, log, role: 'command' })
  const token = await db.write((tx): string => addSession(tx, user))
  db.close()
  return token
}

interface ApplicationOptions {
  readonly startBrowser?: () => Promise<Browser>
  /**
   * Whether a service worker stores the application in each profile. It fetches all files, for 0.6 s of processor time,
   * so only tests of the stored application ask for it.
   */
  readonly isInstalled?: boolean
}

/** As in browsers without service workers. */
function hideServiceWorkers(): void {
  Reflect.deleteProperty(Navigator.prototype, 'serviceWorker')
}

export async function startApplication(
  args: string[] = [],
  { startBrowser = sharedBrowser, isInstalled = false }: ApplicationOptions = {},
): Promise<Application> {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  let server = await startProcess(file, { args })
  const browser = await startBrowser()
  const profiles: BrowserContext[] = []
  const problems: string[] = []
  const nextPage = async (context: BrowserContext, { width = 1280, scheme = 'light' }: Look = {}) => {
    const page = await context.newPage()
    page.setDefaultTimeout(WAIT_MS)
    page.waitForFunction = waitOftenOn(page)
    // Most tests of notes look at the details, which narrower windows show only on request.
    await page.evaluateOnNewDocument(() => {
      try {
        localStorage.panes ??= '{"details":true}'
      } catch {}
    })
    if (!isInstalled) await page.evaluateOnNewDocument(hideServiceWorkers)
    await page.setViewport({ width, height: 800 })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' && !isRefusal(message.text())) problems.push(message.text())
    })
    page.on('request', (request) => {
      const url = request.url()
      if (url.startsWith('http') && !url.startsWith(server.url)) problems.push(`a request to ${url}`)
    })
    return page
  }
  return {
    get server() {
      return server
    },
    file,
    browser,
    problems,
    nextPage,
    newPage: async (look) => {
      const profile = await browser.createBrowserContext()
      profiles.push(profile)
      return nextPage(profile, look)
    },
    setupLink: async (user = 'owner') => {
      const { out } = await daybook(['users', 'link', user, '--db', file])
      const token = /#setup=\S+/.exec(out)?.[0] ?? ''
      return `${server.url}/app${token}`
    },
    signIn: async (page, user = 'owner') => {
      const { hostname, port } = new URL(server.url)
      const value = await newSession(file, user)
      const cookie = { name: `daybook_session_${port}`, value, domain: hostname, httpOnly: true }
      await page.browserContext().setCookie(cookie)
      await page.goto(`${server.url}/app`)
      await page.waitForSelector('.rail')
    },
    setUp: async (page, link) => {
      await page.goto(link)
      await page.waitForSelector('input[name=password]')
      await page.type('input[name=password]', PASSWORD)
      await page.keyboard.press('Enter')
      await page.waitForSelector('.rail')
    },
    restart: async (whileAway) => {
      const { port } = new URL(server.url)
      const { key } = server
      await server.end('SIGKILL')
      await whileAway()
      server = await startProcess(file, { args: [...args, '--port', port], key })
    },
    close: async () => {
      // The test may already have closed a profile.
      for (const profile of profiles) if (browser.browserContexts().includes(profile)) await profile.close()
      await server.end()
      folder.remove()
    },
  }
}

export const untilText = (page: Page, wanted: string) =>
  page.waitForFunction((text) => document.body.textContent.includes(text), {}, wanted)

/** Waits until the first element that matches the selector contains the text. Text typed into fields does not count. */
export const untilTextIn = (page: Page, selector: string, wanted: string) =>
  page.waitForFunction(
    (within, text) => document.querySelector(within)?.textContent?.includes(text),
    {},
    selector,
    wanted,
  )

export const untilNoText = (page: Page, wanted: string) =>
  page.waitForFunction((text) => !document.body.textContent.includes(text), {}, wanted)

/** Polls until the condition holds. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + WAIT_MS; !(await holds()); await Bun.sleep(25))
    if (Date.now() > end) throw new Error('the condition never held')
}

/** Records in the page whether a button, link or summary of this name is clicked from now on. */
const noteClicks = (page: Page, name: string) =>
  page.evaluateHandle((wanted) => {
    const noted = { isClicked: false }
    addEventListener(
      'click',
      ({ target }) => {
        const clicked = (target as Element).closest('button, a, summary') ?? (target as Element)
        noted.isClicked ||= (clicked.ariaLabel ?? clicked.textContent?.trim()) === wanted
      },
      { capture: true },
    )
    return noted
  }, name)

/**
 * Clicks the button, link or summary of this name once it is enabled and its position is stable. Clicks again if the
 * page moved it away in between, as a person would.
 */
export async function press(page: Page, name: string): Promise<void> {
  // A locator passes no arguments to its function.
  const button = new Function(
    `return [...document.querySelectorAll('button:enabled, a, summary')]
      .find((one) => (one.ariaLabel ?? one.textContent.trim()) === ${JSON.stringify(name)} && one.checkVisibility())`,
  )
  for (;;) {
    const noted = await noteClicks(page, name)
    await page.locator(button as () => Element).click()
    // A click that opened another document destroyed the recorded flag.
    if (await noted.evaluate(({ isClicked }) => isClicked).catch(() => true)) return
  }
}

/** Follows a link to a path below `/app/` without loading the application again, which costs a third of a second. */
export const follow = (page: Page, path: string): Promise<void> =>
  page.evaluate((href) => {
    const link = Object.assign(document.createElement('a'), { href })
    document.body.append(link)
    link.click()
    link.remove()
  }, `/app/${path}`)

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Waits for the field with this label and returns it. */
export async function fieldOf(page: Page, label: string): Promise<ElementHandle<Field>> {
  const found = await page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll<Field>('input, select, textarea')].find(({ labels, ariaLabel }) => {
        const [first] = labels ?? []
        const names = [first, first?.querySelector('span')].map((one) => one?.textContent?.trim())
        return ariaLabel === wanted || names.includes(wanted)
      }),
    {},
    label,
  )
  return found.asElement() as ElementHandle<Field>
}

/** Returns the value of the field with this label. */
export const contentOf = async (page: Page, label: string): Promise<string> =>
  (await fieldOf(page, label)).evaluate(({ value }) => value)

/** Returns an attribute of the field with this label. */
export const attributeOf = async (page: Page, label: string, name: string): Promise<string | null> =>
  (await fieldOf(page, label)).evaluate((field, wanted) => field.getAttribute(wanted), name)

/** Replaces the content of the field with this label by typing. */
export async function fill(page: Page, label: string, value: string): Promise<void> {
  const field = await fieldOf(page, label)
  await field.focus()
  await selectFocused(page)
  await page.keyboard.type(value)
}
