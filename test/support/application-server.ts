import type { Browser, BrowserContext, ElementHandle, JSHandle, Page } from 'puppeteer-core'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { VERSION } from '../../src/lib/version.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { BROWSER_TIMEOUT_MS } from './application.ts'
import { sharedBrowser } from './browser.ts'
import { addSession, PASSWORD } from './browser-client.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from './process.ts'

export interface Look {
  readonly width?: number
  readonly scheme?: 'light' | 'dark'
}

/** A real server with the application, and a real browser, which it shares. */
export interface Application {
  /** The server that runs now. */
  readonly server: ServerProcess
  /** Its database. */
  readonly file: string
  readonly browser: Browser
  /** Problems that no page may have: errors in its console, and requests to other hosts. */
  readonly problems: string[]
  /** A page of its own profile, which knows no session. */
  newPage(look?: Look): Promise<Page>
  /** A page in the profile of another. */
  nextPage(context: BrowserContext, look?: Look): Promise<Page>
  /** A new setup link of a user, made on the command line. */
  setupLink(user?: string): Promise<string>
  /** Opens the application in a new session of a user, who needs no password for it. */
  signIn(page: Page, user?: string): Promise<void>
  /** Opens a setup link and chooses the password. */
  setUp(page: Page, link: string): Promise<void>
  /** Kills the server, and starts it again at the same address when `whileAway` is done. */
  restart(whileAway: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** A response that refuses, or a server that is away, is no error of the page. */
const isRefusal = (text: string) => /^Failed to load resource: (?!.*status of 5)/.test(text)

/** Less than a test has, so that a failure says what was waited for. */
const WAIT_MS = BROWSER_TIMEOUT_MS / 2

/** Writes a session into the database as a command does; returns the value of its cookie. */
export async function newSession(file: string, user: string): Promise<string> {
  const clock = systemClock
  const log = createLog('silent', clock, () => {})
  const db = openDatabase({ file, programVersion: VERSION, clock, log, role: 'command' })
  const token = await db.write((tx): string => addSession(tx, user))
  db.close()
  return token
}

export async function startApplication(
  args: string[] = [],
  startBrowser: () => Promise<Browser> = sharedBrowser,
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
      // A test may have closed one itself.
      for (const profile of profiles) if (browser.browserContexts().includes(profile)) await profile.close()
      await server.end()
      folder.remove()
    },
  }
}

const text = (value: string) => JSON.stringify(value)

/** Waits until the text is on the page. */
export const untilText = (page: Page, wanted: string) =>
  page.waitForFunction(`document.body.textContent.includes(${text(wanted)})`)

/** Waits until the first element of a selector is there with the text; what is typed into fields is not looked at. */
export const untilTextIn = (page: Page, selector: string, wanted: string) =>
  page.waitForFunction(`document.querySelector(${text(selector)})?.textContent.includes(${text(wanted)})`)

export const untilNoText = (page: Page, wanted: string) =>
  page.waitForFunction(`!document.body.textContent.includes(${text(wanted)})`)

async function find(page: Page, what: string): Promise<ElementHandle> {
  const found = (await page.waitForFunction(what)).asElement()
  if (found === null) throw new Error(`there is no ${what}`)
  return found as ElementHandle
}

/** The source of a function in the page: whether an element has this name. */
const isNamed = (name: string) => `((one) => (one.ariaLabel ?? one.textContent.trim()) === ${text(name)})`

/** Notes in the page whether a button, link or summary of this name is clicked from now on. */
const noteClicks = (page: Page, name: string) =>
  page.evaluateHandle(
    `(() => {
      const noted = { isClicked: false }
      addEventListener(
        'click',
        ({ target }) => { noted.isClicked ||= ${isNamed(name)}(target.closest('button, a, summary') ?? target) },
        { capture: true },
      )
      return noted
    })()`,
  ) as Promise<JSHandle<{ isClicked: boolean }>>

/**
 * Clicks the button, link or summary of this name once it can be pressed and its place no longer changes; again where
 * the page moved it away at that moment, as a person would.
 */
export async function press(page: Page, name: string): Promise<void> {
  const button = new Function(
    `return [...document.querySelectorAll('button:enabled, a, summary')].find((one) => ${isNamed(name)}(one) && one.checkVisibility())`,
  )
  for (;;) {
    const noted = await noteClicks(page, name)
    await page.locator(button as () => unknown).click()
    // A click that led to another document took its note along.
    if (await noted.evaluate(({ isClicked }) => isClicked).catch(() => true)) return
  }
}

/** The field with this label, once it is there. */
export const fieldOf = (page: Page, label: string): Promise<ElementHandle> =>
  find(
    page,
    `[...document.querySelectorAll('input, select, textarea')].find(({ labels, ariaLabel }) => ariaLabel === ${text(label)} || labels?.[0]?.textContent.trim() === ${text(label)})`,
  )

/** The content of the field with this label. */
export const contentOf = async (page: Page, label: string): Promise<unknown> =>
  (await (await fieldOf(page, label)).getProperty('value')).jsonValue()

/** An attribute of the field with this label. */
export const attributeOf = async (page: Page, label: string, name: string): Promise<string | null> =>
  (await fieldOf(page, label)).evaluate((field, wanted) => field.getAttribute(wanted), name)

/** Types over what is in the field with this label. */
export async function fill(page: Page, label: string, value: string): Promise<void> {
  const field = await fieldOf(page, label)
  await field.focus()
  await page.evaluate('document.activeElement.select?.()')
  await page.keyboard.type(value)
}
