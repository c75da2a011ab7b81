import { basename } from 'node:path'

/** The name of the file that holds the built application, in the executable too. */
export const PACKED = 'application.pack'

type Bytes = Uint8Array<ArrayBuffer>

/**
 * The files of the application by their names, which hold a hash of their content; `index.html` is the page, `worker.js`
 * the service worker. Fonts are bytes, everything else is text.
 */
export type BuiltFiles = Readonly<Record<string, string | Bytes>>

/** Where the files of the application are served. */
export const ASSETS_PATH = '/app/assets'

/** The page, from which everything else is reached. */
const page = (): string => Bun.fileURLToPath(new URL('../../web/index.html', import.meta.url))

const serviceWorker = (): string =>
  Bun.fileURLToPath(new URL('../../web/worker/service-worker.ts', import.meta.url))

/** The place in the page for the name of this version of the application. */
const VERSION = 'VERSION'

/** Builds the application from its sources: what a page loads only when it needs it is a file of its own. */
export async function buildApplication(): Promise<BuiltFiles> {
  const { outputs } = await Bun.build({
    entrypoints: [page()],
    minify: true,
    // Leaves out what the libraries do only for who develops a page.
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
  // All files are reached from the page by names that hold their hashes.
  const version = Bun.hash(built).toString(36)
  const paths = Object.keys({ ...files, ...fonts }).filter((name) => name !== 'index.html')
  return {
    ...files,
    ...fonts,
    'index.html': built.replace(VERSION, version),
    'worker.js': await buildWorker(version, paths),
  }
}

/** Builds the service worker, which keeps the files of this version and no others. */
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
 * The bundler adds rules with the old forms of `:is(…)`. They are more specific than the rule as it was written, so that
 * others would not win over them where they should.
 */
const withoutOldForms = (css: string): string =>
  css.replace(/(?<![^{};])[^{};]*:-(?:webkit|moz)-any\([^{}]*\{[^{}]*\}/g, '')

/** The bundler writes fonts into the style sheet. Each becomes a file, which is fetched only when its letters occur. */
const withFontFiles = (css: string, fonts: Record<string, Bytes>): string =>
  css.replace(/url\("?data:font\/woff2;base64,([^")]+)"?\)/g, (_, base64: string) => {
    const name = `font-${Bun.hash(base64).toString(36)}.woff2`
    fonts[name] = Uint8Array.fromBase64(base64)
    return `url(${ASSETS_PATH}/${name})`
  })

/** What the server has beside these files, which the bundler would look for among the sources. */
const INSTALLATION = [
  '<link rel="icon" href="/app/icons/icon.svg" type="image/svg+xml">',
  '<link rel="apple-touch-icon" href="/app/icons/apple-touch-icon.png">',
  // With the cookies that a proxy before the server may ask for.
  '<link rel="manifest" href="/app/manifest.json" crossorigin="use-credentials">',
].join('')

/** The page asks at once for the files that every screen needs, which it would else find one after another. */
function withLinks(files: Readonly<Record<string, string>>): string {
  const name = Object.keys(files).find((file) => /^application-\w+\.js$/.test(file))
  const link = name === undefined ? '' : `<link rel="modulepreload" href="${ASSETS_PATH}/${name}">`
  return (files['index.html'] ?? '').replace('</head>', `${link}${INSTALLATION}</head>`)
}
