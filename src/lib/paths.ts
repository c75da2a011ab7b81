/* Paths with slashes, relative to one folder. */

/** The path of the folder that a path is in; empty for the outermost. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** A path as it is seen from a folder, without `.` and `..`; undefined when it leads out of the outermost folder. */
export function joinedPath(folder: string, path: string): string | undefined {
  const names: string[] = []
  for (const name of `${folder}/${path}`.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') names.push(name)
    else if (names.pop() === undefined) return undefined
  }
  return `${names.join('/')}${path.endsWith('/') ? '/' : ''}`
}
