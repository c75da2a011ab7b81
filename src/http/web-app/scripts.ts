import { type OutputChunk, rolldown } from 'rolldown'
import { partsOf } from './parts.ts'

/** The scripts of the application. */
export interface Scripts {
  readonly files: Readonly<Record<string, string>>
  /** The script that the page and its workers start with. */
  readonly entry: string
  /** The scripts that a page needs first, by the screen; `sign-in` without a session, `note` for an opened note. */
  readonly needed: Readonly<Record<string, readonly string[]>>
}

const NAME = '[name]-[hash].js'

/** Bundles the scripts below the folder `root`. Style sheets in them are text, which `minifyCss` shortens. */
export async function buildScripts(
  root: string,
  minifyCss: (path: string) => Promise<string>,
): Promise<Scripts> {
  let parts = new Map<string, string>()
  const build = await rolldown({
    input: { main: `${root}/main.tsx` },
    cwd: root,
    // It warns of code that is loaded on demand in one place and at once in another, which is intended.
    logLevel: 'silent',
    // Omits code of the libraries that is only for development.
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    // Modules of several entries may share a file.
    preserveEntrySignatures: false,
    plugins: [
      {
        name: 'application',
        load: {
          filter: { id: /\.css$/ },
          handler: async (path) => ({
            code: `export default ${JSON.stringify(await minifyCss(path))}`,
            moduleType: 'js',
          }),
        },
        buildEnd() {
          parts = partsOf(root, [...this.getModuleIds()], (id) => this.getModuleInfo(id))
        },
      },
    ],
  })
  const { output } = await build.generate({
    format: 'esm',
    minify: true,
    hashCharacters: 'base36',
    entryFileNames: NAME,
    chunkFileNames: NAME,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => parts.get(id) ?? null, debugName: 'parts' }],
    },
  })
  await build.close()
  const chunks = output.filter((file) => file.type === 'chunk')
  return {
    files: Object.fromEntries(chunks.map(({ fileName, code }) => [fileName, code])),
    entry: chunks.find(({ isEntry }) => isEntry)?.fileName ?? '',
    needed: neededOf(root, chunks),
  }
}

/** Returns the scripts of each screen with their static imports, in the order in which they run. */
function neededOf(root: string, chunks: readonly OutputChunk[]): Record<string, string[]> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const neededFor = (...modules: string[]): string[] => {
    const found = new Set<string>()
    const add = (name: string): void => {
      if (found.has(name)) return
      for (const next of byName.get(name)?.imports ?? []) add(next)
      found.add(name)
    }
    for (const path of ['application.tsx', ...modules])
      for (const { fileName, moduleIds } of chunks) if (moduleIds.includes(`${root}/${path}`)) add(fileName)
    return [...found]
  }
  const lists = 'pages/rail-lists.tsx'
  const screens = chunks.flatMap(({ moduleIds }) =>
    moduleIds.flatMap((id) => {
      const [, name] = /\/pages\/([a-z]+)\/screen\.tsx$/.exec(id) ?? []
      return name === undefined ? [] : [[name, neededFor(`pages/${name}/screen.tsx`, lists)] as const]
    }),
  )
  const note = ['pages/notes/screen.tsx', 'pages/notes/opened-note.tsx', 'pages/notes/editor/code-mirror.ts']
  return {
    ...Object.fromEntries(screens),
    note: neededFor(...note, lists),
    'sign-in': neededFor('pages/sign-in/sign-in.tsx'),
  }
}
