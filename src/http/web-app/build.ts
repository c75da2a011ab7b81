import { basename } from 'node:path'

/** The name of the file with the built application, also in the executable. */
export const PACKED = 'application.pack'

type Bytes = Uint8Array<ArrayBuffer>

/**
 * The files of the application by name; names contain a hash of the content. `index.html` is the page, `worker.js` the
 * service worker. Fonts are bytes, all other files are text.
 */
export type BuiltFiles = Readonly<Record<string, string | Bytes>>

/** The path of the application's files. */
export const ASSETS_PATH = '/app/assets'

/** The page, the entry point of everything else. */
const page = (): string => Bun.fileURLToPath(new URL('../../web/index.html', import.meta.url))

const serviceWorker = (): string =>
  Bun.fileURLToPath(new URL('../../web/worker/service-worker.ts', import.meta.url))

/** The placeholder in the page for the version of the application. */
const VERSION = 'VERSION'

/** Builds the application from its sources. Code that a page loads on demand is a separate file. */
export async function buildApplication(): Promise<BuiltFiles> {
  const { outputs } = await Bun.build({
    entrypoints: [page()],
    minify: true,
    // Omits code of the libraries that is only for development.
    define: { 'process.env.NODE_ENV': '"production"' },
    splitting: true,
    publicPath: `${ASSETS_PATH}/`,
    naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
  })
  const files: Record<string, string> = {}
  const fonts: Record<string, Bytes> = {}
  for (const output of outputs) {
    const name = basename(output.path)
    const text = await output.text()
    files[name] = name.endsWith('.css') ? withFontFiles(withoutOldForms(text), fonts) : text
  }
  const built = withLinks(files)
  // The page refers to all files by names that hold their hashes.
  const version = Bun.hash(built).toString(36)
  const paths = Object.keys({ ...files, ...fonts }).filter((name) => name !== 'index.html')
  return {
    ...files,
    ...fonts,
    'index.html': built.replace(VERSION, version),
    'worker.js': await buildWorker(version, paths),
  }
}

/** Builds the service worker, which caches only the files of this version. */
async function buildWorker(version: string, names: readonly string[]): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [serviceWorker()],
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

/** Preloads the files that every screen needs, which would otherwise be discovered one after another. */
function withLinks(files: Readonly<Record<string, string>>): string {
  const name = Object.keys(files).find((file) => /^application-\w+\.js$/.test(file))
  const link = name === undefined ? '' : `<link rel="modulepreload" href="${ASSETS_PATH}/${name}">`
  return (files['index.html'] ?? '').replace('</head>', `${link}${INSTALLATION}</head>`)
}
