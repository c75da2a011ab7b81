import type { Entry } from './tar.ts'

/** Adds every parent folder of the entries, once, before its content. */
export function withFolders(entries: readonly Entry[]): Entry[] {
  const folders = entries.flatMap(({ path }) => {
    const parts = path.split('/').slice(0, -1)
    return parts.map((_, at) => `${parts.slice(0, at + 1).join('/')}/`)
  })
  const given = new Set(entries.map(({ path }) => path))
  const missing = [...new Set(folders)].filter((path) => !given.has(path)).sort()
  return [...missing.map((path) => ({ path })), ...entries]
}
