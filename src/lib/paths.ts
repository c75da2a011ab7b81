/* Paths with slashes, relative to one root folder. */

/** The folder of a path; empty for the root. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Resolves a path relative to a folder, without `.` and `..`; undefined if it leaves the root. */
export function joinedPath(folder: string, path: string): string | undefined {
  const names: string[] = []
  for (const name of `${folder}/${path}`.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') names.push(name)
    else if (names.pop() === undefined) return undefined
  }
  return `${names.join('/')}${path.endsWith('/') ? '/' : ''}`
}
