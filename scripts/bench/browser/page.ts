import type { Browser, BrowserContext, Page } from 'puppeteer-core'
import { daybook } from '../../../test/support/process.ts'
import type { Server } from '../servers.ts'

const PASSWORD = 'a password of the bench'

declare global {
  /** When the first rows of the notes were painted, in milliseconds since the page was requested; null until then. */
  var rowsShownAt: number | null | undefined
}

/** Records when the first rows are painted, from the start of each page. */
function watchRows(): void {
  const observer = new MutationObserver(() => {
    if (globalThis.rowsShownAt !== undefined || !document.querySelector('.notes-rows a')) return
    globalThis.rowsShownAt = null
    requestAnimationFrame(() => {
      const channel = new MessageChannel()
      channel.port1.onmessage = () => {
        globalThis.rowsShownAt = performance.now()
      }
      channel.port2.postMessage(0)
    })
  })
  observer.observe(document, { childList: true, subtree: true })
}

/** Opens a page in a new profile without a session. */
export const newPage = async (browser: Browser): Promise<Page> =>
  nextPage(await browser.createBrowserContext())

/** Opens another page in an existing profile. */
export async function nextPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  await page.setViewport({ width: 1280, height: 800 })
  await page.evaluateOnNewDocument(watchRows)
  return page
}

export const originOf = ({ port }: Server): string => `http://127.0.0.1:${port}`

/** Returns the token of a setup link of the owner, created before the server opens the database. */
export async function setupToken(file: string): Promise<string> {
  const { out, err } = await daybook(['users', 'link', 'owner', '--db', file])
  const token = /#setup=\S+/.exec(out)?.[0]
  if (token === undefined) throw new Error(`there is no setup link: ${err}`)
  return token
}

/** Sets the owner's password. */
export async function setUp(page: Page, server: Server, token: string): Promise<void> {
  await page.goto(`${originOf(server)}/app${token}`)
  await page.waitForSelector('input[name=password]')
  await page.type('input[name=password]', PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForSelector('.rail')
}

/** Signs in on a page that shows the sign-in form. */
export async function signIn(page: Page): Promise<void> {
  await page.waitForSelector('input[name=password]')
  await page.type('input[name=user]', 'owner')
  await page.type('input[name=password]', PASSWORD)
  await page.keyboard.press('Enter')
}

/** Waits until the first rows of the notes are painted, and returns when they were. */
export const shownAt = async (page: Page): Promise<number> =>
  Number(await (await page.waitForFunction(() => globalThis.rowsShownAt)).jsonValue())
