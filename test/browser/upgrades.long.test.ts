import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import type { BrowserContext, Page } from 'puppeteer-core'
import { follow, newSession } from '../support/application-server.ts'
import { hasBrowser, sharedBrowser } from '../support/browser.ts'
import { hasManyCases, RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { shownText } from '../support/page-acts.ts'
import { newFolder, program, type ServerProcess, startProcess } from '../support/process.ts'
import { randomSource } from '../support/random.ts'
import { type SignInProxy, startSignInProxy } from '../support/sign-in-proxy.ts'
import { buildVersion } from '../support/versions.ts'

const UPGRADES = runs(2, 100)
const STEPS = 8
/** The versions beside the built one. Building one takes as long as an upgrade. */
const OTHERS = hasManyCases ? ['B', 'C'] : ['B']
const SCREENS = ['notes', 'records', 'graph', 'files', 'changes', 'settings/offline', 'webhooks']
/** The longest time that a page may stay blank. */
const BLANK_MS = 15_000

/** The state of a page: its version, and its loaded application files. */
const lookOf = () => ({
  isProxy: document.querySelector('#proxy') !== null,
  version: document.querySelector<HTMLMetaElement>('meta[name=version]')?.content,
  isNotLoaded: document.body.textContent.includes('This page could not be loaded.'),
  isWaiting: document.body.textContent.includes('this browser has no offline copy'),
  isShown: document.querySelector('.rail') !== null && document.querySelector('main, .pane') !== null,
  files: [
    ...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)),
  ].filter((path) => path.startsWith('/app/assets/')),
})

describe.skipIf(!hasBrowser)('a browser through upgrades of the server', () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  /** The files of each version, keyed by its name. */
  const versions = new Map<string, ReadonlySet<string>>()
  let executables: string[] = []
  let server: ServerProcess
  let cookie = { name: '', value: '' }

  /** Replaces the running version with another one. */
  const start = async (executable: string) => {
    const port = server === undefined ? '0' : new URL(server.url).port
    const { key } = server ?? {}
    await server?.end('SIGKILL')
    server = await startProcess(file, { executable, args: ['--port', port], ...(key && { key }) })
  }

  beforeAll(async () => {
    program()
    executables = [resolve('dist/daybook'), ...OTHERS.map((name) => buildVersion(folder.path, name))]
    for (const executable of executables) {
      await start(executable)
      const read = async (path: string) => (await fetch(server.url + path)).text()
      const name = /<meta name="version" content="(\w+)"/.exec(await read('/app'))?.[1] ?? ''
      const files = (await read('/app/worker.js')).matchAll(/\/app\/assets\/[\w.-]+/g)
      versions.set(name, new Set([...files].map(([path]) => path)))
    }
    expect(versions.size).toBe(1 + OTHERS.length)
    cookie = {
      name: `daybook_session_${new URL(server.url).port}`,
      value: await newSession(file, 'owner'),
    }
  }, 240_000)
  afterAll(async () => {
    await server.end()
    folder.remove()
  })

  /** Waits until a page shows something, all of one version. Signs in if the proxy redirects it to its sign-in page. */
  async function check(page: Page, proxy: SignInProxy): Promise<void> {
    const end = performance.now() + BLANK_MS
    for (;;) {
      const look = await page.evaluate(lookOf).catch(() => undefined)
      if (look?.isProxy && !proxy.isAway)
        await Promise.all([page.waitForNavigation(), page.click('#proxy')]).catch(() => undefined)
      if ((look?.isNotLoaded || look?.isWaiting) && !proxy.isAway)
        await page.reload({ waitUntil: 'domcontentloaded' }).catch(() => undefined)
      if (look?.isShown || ((look?.isNotLoaded || look?.isWaiting) && proxy.isAway)) {
        const known = versions.get(look.version ?? '')
        expect(look.files.filter((path) => !known?.has(path))).toEqual([])
        return
      }
      if (performance.now() > end)
        throw new Error(`blank: ${page.url()} ${JSON.stringify(look)} ${await shownText(page)}`)
      await Bun.sleep(50)
    }
  }

  const untilCopied = (page: Page) =>
    page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated', { polling: 100 })

  async function upgrade(seed: number, trail: string[]): Promise<void> {
    const random = randomSource(seed * 104_729 + 1)
    const proxy = await startSignInProxy(server.url, random(2) === 0 ? 'here' : 'elsewhere')
    const context = await (await sharedBrowser()).createBrowserContext()
    await context.setCookie({ ...cookie, domain: '127.0.0.1', httpOnly: true })
    try {
      const tabs = [await open(context, proxy, '/app/notes')]
      await untilCopied(tabs[0] as Page)
      const act = async () => {
        const tab = tabs[random(tabs.length)] as Page
        const screen = `/app/${SCREENS[random(SCREENS.length)]}`
        const acts = {
          upgrade: () => start(executables[random(executables.length)] ?? ''),
          'new tab': async () => tabs.push(await open(context, proxy, screen)),
          reload: () => tab.reload({ waitUntil: 'domcontentloaded' }).catch(() => undefined),
          'go to': () => follow(tab, screen.slice('/app/'.length)),
          // The sign-in page of the proxy has no worker.
          'look for a new worker': () =>
            tab.evaluate(() =>
              navigator.serviceWorker
                ?.getRegistration()
                .then((registration) => registration?.update())
                .then(
                  () => {},
                  () => {},
                ),
            ),
          'kill the worker': () => killWorker(tab),
          expire: () => proxy.expire(),
          away: () => {
            proxy.isAway = !proxy.isAway
          },
        }
        const names = Object.keys(acts) as (keyof typeof acts)[]
        const name = random(3) === 0 ? 'upgrade' : (names[random(names.length)] ?? 'reload')
        trail.push(`${name} ${tabs.indexOf(tab)} ${screen}`)
        await acts[name]()
      }
      await start(executables[random(executables.length)] ?? '')
      for (let at = 0; at < STEPS; at++) {
        await act()
        for (const tab of tabs) await check(tab, proxy)
      }
      proxy.isAway = false
      for (const tab of tabs) {
        await tab.reload({ waitUntil: 'domcontentloaded' })
        await check(tab, proxy)
      }
    } finally {
      await context.close()
      proxy.close()
    }
  }

  async function open(context: BrowserContext, proxy: SignInProxy, path: string): Promise<Page> {
    const page = await context.newPage()
    await page.goto(proxy.url + path, { waitUntil: 'domcontentloaded' }).catch(() => undefined)
    await check(page, proxy)
    return page
  }

  async function killWorker(page: Page): Promise<void> {
    const session = await page.createCDPSession()
    await session.send('ServiceWorker.enable')
    await session.send('ServiceWorker.stopAllWorkers')
    await session.detach()
  }

  test(
    'never shows a blank page or files of two versions, also behind a sign-in proxy',
    async () => {
      const failures: string[] = []
      for (let seed = 0; seed < UPGRADES; seed++) {
        const trail: string[] = []
        await upgrade(seed, trail).catch((error: Error) =>
          failures.push(`upgrade ${seed}: ${trail.join('; ')}: ${error.stack}`),
        )
      }
      expect(failures).toEqual([])
    },
    RANDOM_CASES_MS,
  )
})
