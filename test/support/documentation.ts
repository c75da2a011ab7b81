import { join } from 'node:path'
import { GUIDE_PAGES } from '../../src/http/docs/guide/pages.ts'

export const ROOT = join(import.meta.dir, '..', '..')

/** A page of the documentation, by its path in the repository. */
export interface DocumentationPage {
  readonly path: string
  readonly text: string
}

/** The README, and the guide in reading order. */
export const DOCUMENTATION: readonly DocumentationPage[] = [
  { path: 'README.md', text: await Bun.file(join(ROOT, 'README.md')).text() },
  ...GUIDE_PAGES.map(({ slug, text }) => ({ path: `scripts/guide/${slug}.md`, text })),
]
