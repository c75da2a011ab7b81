import puppeteer, { type Browser } from 'puppeteer-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The program of a browser: `CHROMIUM` in the environment, else what is installed under one of its names. */
const program = Bun.env.CHROMIUM ?? NAMES.map((name) => Bun.which(name)).find((path) => path !== null)

/** Whether tests that need a browser can run; in continuous integration they must. */
export const hasBrowser = program !== undefined || Bun.env.CI !== undefined

/** It talks to nobody but the pages under test; names that end in .test lead to them, too. */
const ARGUMENTS = [
  '--host-resolver-rules=MAP *.test 127.0.0.1',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A headless Chromium with an empty profile of its own, which ends when this process does: its pipe is closed then. */
export function startBrowser(): Promise<Browser> {
  if (program === undefined) throw new Error('no Chromium is installed; install it or name it in CHROMIUM')
  return puppeteer.launch({ executablePath: program, headless: true, pipe: true, args: ARGUMENTS })
}

let shared: Promise<Browser> | undefined

/**
 * The browser of this process, in which each test file makes profiles of its own and closes them; one that crashed is
 * replaced.
 */
export async function sharedBrowser(): Promise<Browser> {
  shared ??= startBrowser()
  const browser = await shared
  if (browser.connected) return browser
  shared = startBrowser()
  return shared
}
