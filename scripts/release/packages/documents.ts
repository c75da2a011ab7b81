import { Glob } from 'bun'
import type { Entry } from './tar.ts'

const TEXTS = ['README.md', 'LICENSE', 'scripts/release/CHANGELOG.md', 'scripts/bench/results.md']

/** Returns the README and all documents it links to, each at its path in the repository, so that the links work. */
export function documents(): Promise<Entry[]> {
  const folders = new Glob('scripts/{deploy,guide,decisions}/**/*').scanSync('.')
  const paths = [...TEXTS, ...folders].toSorted()
  return Promise.all(paths.map(async (path) => ({ path, content: await Bun.file(path).bytes() })))
}
