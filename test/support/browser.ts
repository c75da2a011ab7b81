import puppeteer, { type Browser } from 'puppeteer-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The full browser: `CHROMIUM` in the environment, otherwise the first installed program of these names. */
const program = Bun.env.CHROMIUM ?? NAMES.map((name) => Bun.which(name)).find((path) => path !== null)
/** The same browser without windows, where installed: it needs two thirds of the processor time. */
const shell = Bun.which('chromium-headless-shell') ?? program

/** Whether tests that need a browser can run. In continuous integration they must. */
export const hasBrowser = program !== undefined || Bun.env.CI !== undefined

/**
 * Restricts the browser to the pages under test; names that end in .test resolve to them, too. Other names do not
 * exist: a page of a third party that loads a style sheet from elsewhere is not drawn until the network refuses it.
 */
const HOSTS = [
  'MAP *.test 127.0.0.1',
  'MAP * ~NOTFOUND',
  ...['localhost', '127.0.0.1', '[::1]'].map((host) => `EXCLUDE ${host}`),
].join(', ')

const ARGUMENTS = [
  `--host-resolver-rules=${HOSTS}`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts a headless Chromium with an empty profile. It ends with this process, because its pipe closes then. */
export function startBrowser(executablePath = shell): Promise<Browser> {
  if (executablePath === undefined)
    throw new Error('no Chromium is installed; install it or name it in CHROMIUM')
  // In other locales Chromium skips files whose names are not ASCII.
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
 * The shared browser of this process. Each test file creates profiles in it and closes them. A crashed browser is
 * replaced.
 */
export const sharedBrowser = (): Promise<Browser> => sharedOf('shell', shell)

/** The same for features that only a browser with windows has: background tabs, and a viewer for PDF files. */
export const sharedFullBrowser = (): Promise<Browser> => sharedOf('whole', program)
