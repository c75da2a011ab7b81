import { realpathSync } from 'node:fs'
import { ASSETS_PATH } from './names.ts'
import { buildScripts, type Scripts } from './scripts.ts'

type Bytes = Uint8Array<ArrayBuffer>

/**
 * The files of the application by name; names contain a hash of the content. `index.html` is the page, `worker.js` the
 * service worker. Fonts are bytes, all other files are text.
 */
export type BuiltFiles = Readonly<Record<string, string | Bytes>>

const pathOf = (path: string): string => Bun.fileURLToPath(new URL(`../../web/${path}`, import.meta.url))

/** The placeholder in the page for the version of the application. */
const VERSION = 'VERSION'

/** The built application: its files, and the scripts that its page preloads on each screen. */
export interface BuiltApplication {
  readonly files: BuiltFiles
  readonly needed: Scripts['needed']
}

/** Builds the application from its sources. Code that a page loads on demand is a separate file. */
export async function buildApplication(): Promise<BuiltApplication> {
  const fonts: Record<string, Bytes> = {}
  const minified = await minifyCss(pathOf('styles/main.css'))
  const css = withFontFiles(minified, fonts)
  const style = `main-${Bun.hash(css).toString(36).slice(0, 8)}.css`
  // The folder as it is resolved: a link to it would give each module a second path.
  const scripts = await buildScripts(realpathSync(pathOf('.')), minifyCss)
  const files = { ...scripts.files, [style]: css, ...fonts }
  const page = (await Bun.file(pathOf('index.html')).text())
    .replace('./styles/main.css', `${ASSETS_PATH}/${style}`)
    .replace('./main.tsx', `${ASSETS_PATH}/${scripts.entry}`)
    .replace('</head>', `${INSTALLATION}</head>`)
  // The page refers to all files by names that hold their hashes.
  const version = Bun.hash(page).toString(36)
  return {
    files: {
      ...files,
      'index.html': page.replace(VERSION, version),
      'worker.js': await buildWorker(version, Object.keys(files)),
    },
    needed: scripts.needed,
  }
}

/** Returns a style sheet as short text. */
async function minifyCss(path: string): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [path], minify: true })
  return withoutOldForms((await outputs[0]?.text()) ?? '')
}

/** Builds the service worker, which caches only the files of this version. */
async function buildWorker(version: string, names: readonly string[]): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [pathOf('worker/service-worker.ts')],
    minify: true,
    format: 'iife',
    define: {
      VERSION: JSON.stringify(version),
      FILES: JSON.stringify(names.map((name) => `${ASSETS_PATH}/${name}`)),
    },
  })
  return (await outputs[0]?.text()) ?? ''
}

/**
 * The bundler adds rules with the legacy forms of `:is(…)`. They are more specific than the original rule and would
 * override rules that should win.
 */
const withoutOldForms = (css: string): string =>
  css.replace(/(?<![^{};])[^{};]*:-(?:webkit|moz)-any\([^{}]*\{[^{}]*\}/g, '')

/**
 * The bundler embeds fonts in the style sheet. Each becomes a file, which is fetched only when its characters occur.
 */
const withFontFiles = (css: string, fonts: Record<string, Bytes>): string =>
  css.replace(/url\("?data:font\/woff2;base64,([^")]+)"?\)/g, (_, base64: string) => {
    const name = `font-${Bun.hash(base64).toString(36)}.woff2`
    fonts[name] = Uint8Array.fromBase64(base64)
    return `url(${ASSETS_PATH}/${name})`
  })

/** Files that the server adds; the bundler would look for them among the sources. */
const INSTALLATION = [
  '<link rel="icon" href="/app/icons/icon.svg" type="image/svg+xml">',
  '<link rel="apple-touch-icon" href="/app/icons/apple-touch-icon.png">',
  // Sent with the cookies that a proxy in front of the server may require.
  '<link rel="manifest" href="/app/manifest.json" crossorigin="use-credentials">',
].join('')
