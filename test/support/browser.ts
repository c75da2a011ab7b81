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

/** A headless Chromium with an empty profile of its own; `close` ends it. */
export function startBrowser(): Promise<Browser> {
  if (program === undefined) throw new Error('no Chromium is installed; install it or name it in CHROMIUM')
  return puppeteer.launch({ executablePath: program, headless: true, args: ARGUMENTS })
}
