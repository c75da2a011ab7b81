import puppeteer, { type Browser } from 'puppeteer-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The program of the browser that people have: `CHROMIUM` in the environment, else what is installed under one of its names. */
const program = Bun.env.CHROMIUM ?? NAMES.map((name) => Bun.which(name)).find((path) => path !== null)
/** The same browser without windows, where it is installed: it needs two thirds of the processor time. */
const shell = Bun.which('chromium-headless-shell') ?? program

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
export function startBrowser(executablePath = shell): Promise<Browser> {
  if (executablePath === undefined)
    throw new Error('no Chromium is installed; install it or name it in CHROMIUM')
  // In another locale it passes over files whose names are not of ASCII.
  const env = { ...Bun.env, LC_ALL: 'C.UTF-8' }
  return puppeteer.launch({ executablePath, headless: true, pipe: true, args: ARGUMENTS, env })
}

const shared: { shell?: Promise<Browser>; whole?: Promise<Browser> } = {}

async function sharedOf(kind: keyof typeof shared, path: string | undefined): Promise<Browser> {
  shared[kind] ??= startBrowser(path)
  const browser = await shared[kind]
  if (browser.connected) return browser
  shared[kind] = startBrowser(path)
  return shared[kind]
}

/**
 * The browser of this process, in which each test file makes profiles of its own and closes them; one that crashed is
 * replaced.
 */
export const sharedBrowser = (): Promise<Browser> => sharedOf('shell', shell)

/** The same for tests of what only a browser with windows has: tabs behind others, and a viewer of PDF files. */
export const sharedWholeBrowser = (): Promise<Browser> => sharedOf('whole', program)
