import { expect, test } from 'bun:test'
import { resolve } from 'node:path'

interface Import {
  readonly path: string
  readonly kind: string
}

/** Returns the files and modules loaded before the command is known. */
async function loadedAtStart(): Promise<Set<string>> {
  const { metafile } = await Bun.build({
    entrypoints: [resolve('src/main.ts')],
    target: 'bun',
    metafile: true,
    throw: true,
  })
  const inputs = metafile?.inputs as Record<string, { readonly imports: readonly Import[] }>
  const main = Object.keys(inputs).filter((path) => path.endsWith('src/main.ts'))
  const loaded = new Set(main)
  for (const path of loaded)
    for (const { path: imported, kind } of inputs[path]?.imports ?? [])
      if (kind !== 'dynamic-import') loaded.add(imported)
  return loaded
}

const packageOf = (path: string) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]

test('a command starts without the server, the library of MCP, the validation and the root certificates', async () => {
  const loaded = [...(await loadedAtStart())]
  expect(loaded.some((path) => path.endsWith('src/cli/run.ts'))).toBe(true)
  expect(new Set(loaded.map(packageOf))).toEqual(new Set([undefined, 'drizzle-orm']))
  const heavy = /src\/(server|api|jobs)\.ts$|^(node:)?(tls|https?)$/
  expect(loaded.filter((path) => heavy.test(path))).toEqual([])
})
