import { basename } from 'node:path'

/** The name of the file that holds the built application, in the executable too. */
export const PACKED = 'application.pack'

/** The files of the application by their names, which hold a hash of their content; `index.html` is the page. */
export type BuiltFiles = Readonly<Record<string, string>>

/** Where the files of the application are served. */
export const ASSETS_PATH = '/app/assets'

/** The page, from which everything else is reached. */
const page = (): string => Bun.fileURLToPath(new URL('../../web/index.html', import.meta.url))

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
  for (const output of outputs) {
    const name = basename(output.path)
    files[name] = name.endsWith('.css') ? withoutOldForms(await output.text()) : await output.text()
  }
  return { ...files, 'index.html': withPreloads(files) }
}

/**
 * The bundler adds rules with the old forms of `:is(…)`. They are more specific than the rule as it was written, so that
 * others would not win over them where they should.
 */
const withoutOldForms = (css: string): string =>
  css.replace(/(?<![^{};])[^{};]*:-(?:webkit|moz)-any\([^{}]*\{[^{}]*\}/g, '')

/** The page asks at once for the files that every screen needs, which it would else find one after another. */
function withPreloads(files: BuiltFiles): string {
  const name = Object.keys(files).find((file) => /^application-\w+\.js$/.test(file))
  const link = name === undefined ? '' : `<link rel="modulepreload" href="${ASSETS_PATH}/${name}">`
  return (files['index.html'] ?? '').replace('</head>', `${link}</head>`)
}
