import { baseName, withoutExtension } from '../files.ts'
import { bear } from './bear.ts'
import { logseq } from './logseq.ts'
import { notion } from './notion.ts'

/** The programs that callers can name. */
export const SOURCE_NAMES = ['obsidian', 'logseq', 'notion'] as const
export type SourceName = (typeof SOURCE_NAMES)[number] | 'bear'

/** The fields at the beginning of a file, by the keys of front matter, and the offset of the text after them. */
export interface Beginning {
  readonly fields: Readonly<Record<string, unknown>>
  readonly bodyStart: number
}

/** How a program writes notes into files. */
export interface Source {
  readonly name: SourceName
  /** The title of a note whose file gives none. */
  titleOf(path: string): string
  /** Fields in another syntax than YAML front matter, which takes precedence. */
  readBeginning(text: string, path: string): Beginning | undefined
  /** Tags in the text besides words with a hash. */
  tagsIn(line: string): string[]
  /** The texts of blocks that other notes may refer to, by id. */
  blocksIn(text: string): ReadonlyMap<string, string>
  /** The reason for skipping a file of the program itself. */
  skipReason(path: string): string | undefined
  /** A path of folders without the program's additions. */
  folderNameOf(path: string): string
}

/** Folders of Markdown files, such as Obsidian vaults. */
export const obsidian: Source = {
  name: 'obsidian',
  titleOf: (path) => withoutExtension(baseName(path)),
  readBeginning: () => undefined,
  tagsIn: () => [],
  blocksIn: () => new Map(),
  skipReason: () => undefined,
  folderNameOf: (path) => path,
}

/** The rules of a program; `settings` is the text of a Logseq graph's `config.edn`. */
export function sourceNamed(name: SourceName, settings = ''): Source {
  if (name === 'logseq') return logseq(settings)
  if (name === 'bear') return bear
  return name === 'notion' ? notion : obsidian
}
