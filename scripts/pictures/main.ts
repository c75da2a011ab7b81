/** Takes the pictures of the README and of the guide from `daybook demo`, built from this source: `bun run pictures`. */

import { join } from 'node:path'
import type { Browser, Page, Viewport } from 'puppeteer-core'
import { startBrowser } from '../../test/support/browser.ts'
import { startCommand } from '../../test/support/process.ts'
import { buildWhenStale } from '../lib/executable.ts'
import { connectApps, requestConsent } from './apps.ts'
import { call } from './call.ts'
import { receivePayments } from './payments.ts'

const DESK: Viewport = { width: 1_370, height: 788, deviceScaleFactor: 1.25 }
const TALL: Viewport = { ...DESK, height: 1_100 }
/** The guide shows its pictures at half their pixels. */
const PAGE: Viewport = { width: 980, height: 800, deviceScaleFactor: 2 }
const PHONE: Viewport = { width: 390, height: 640, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
const QUALITY = 50
const PATIENCE_MS = 60_000
const REST_MS = 1_000

interface Picture {
  /** Its file, from this folder. */
  readonly name: string
  /** The path of the screen, for the user signed in on the page. */
  readonly find: (page: Page) => Promise<string>
  /** A selector that matches once the screen is complete. */
  readonly wanted: string
  /** A selector of the element that is shown; the whole screen without it. */
  readonly part?: string
  readonly viewport?: Viewport
  readonly scheme?: 'light' | 'dark'
}

/** The id of the one among these that has this text in a field. */
const idOf = (list: readonly Record<string, string>[], field: string, text: string): string | undefined =>
  list.find((one) => one[field] === text)?.id

const findNote = (title: string) => async (page: Page) =>
  `/app/notes/${idOf((await call(page, '/v1/notes')).notes, 'title', title)}`

const findOrders = async (page: Page) =>
  `/app/records/${idOf((await call(page, '/v1/records/structures')).structures, 'name', 'Orders')}`

async function findBoard(page: Page): Promise<string> {
  const { row_views } = await call(page, '/v1/records/views?structure=Orders')
  return `${await findOrders(page)}?view=${idOf(row_views, 'kind', 'board')}`
}

const EDITOR = '.cm-content .cm-line'
const TABLE_NOTE = { find: findNote('Long table'), wanted: EDITOR }
const PICTURES: readonly Picture[] = [
  { name: 'note-light', ...TABLE_NOTE },
  { name: 'note-dark', ...TABLE_NOTE, scheme: 'dark' },
  { name: 'table', find: findOrders, wanted: 'td[data-row="0"]' },
  { name: 'board', find: findBoard, wanted: '.column' },
  { name: 'phone', find: findNote('Oil finish'), wanted: EDITOR, viewport: PHONE },
  { name: 'source', find: receivePayments, wanted: '.map-table tbody tr', viewport: TALL },
  {
    name: '../guide/pictures/consent',
    find: requestConsent,
    wanted: 'button[value=allow]',
    part: 'main',
    viewport: PAGE,
  },
  {
    name: '../guide/pictures/connected-apps',
    find: connectApps,
    wanted: '#apps tbody tr',
    part: '#apps',
    viewport: PAGE,
  },
]

/** A screenshot once nothing on the page has changed for a while. */
async function screenAtRest(page: Page, part: string | undefined): Promise<Uint8Array> {
  const shown = part === undefined ? page : await page.waitForSelector(part)
  const shoot = async () => (await shown?.screenshot({ type: 'webp', quality: QUALITY })) ?? new Uint8Array()
  let before = await shoot()
  for (;;) {
    await Bun.sleep(REST_MS)
    const now = await shoot()
    if (Buffer.compare(now, before) === 0) return now
    before = now
  }
}

/** Takes one picture, in a browser that nobody has used. */
async function take(browser: Browser, link: string, picture: Picture): Promise<void> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.setViewport(picture.viewport ?? DESK)
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: picture.scheme ?? 'light' },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ])
  await page.goto(link)
  await page.goto(new URL(await picture.find(page), link).href)
  await page.waitForSelector(picture.wanted)
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await page.mouse.move(0, 0)
  await Bun.write(join(import.meta.dir, `${picture.name}.webp`), await screenAtRest(page, picture.part))
  await context.close()
}

buildWhenStale()
const browser = await startBrowser()
const demo = startCommand(['demo'])
try {
  const [link] = await demo.out.until(/http:\S+\/app\/demo\/\S+/)
  for (const picture of PICTURES) await take(browser, link, picture)
} finally {
  await browser.close()
  await demo.end()
}
