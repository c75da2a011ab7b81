import type { NewProperty } from '../../../transfer/vault/plan/properties.ts'
import type { SourceName } from '../../../transfer/vault/plan/sources/source.ts'

/** A database of the folder as the table that it becomes. */
export interface TablePreview {
  readonly name: string
  readonly columns: readonly { readonly label: string; readonly type: string }[]
  /** The first rows, as written. */
  readonly rows: readonly (readonly string[])[]
  readonly row_count: number
}

/** The effect of an import, before anything is written. */
export interface ImportPreview {
  readonly program: SourceName
  /** New notes and files. */
  readonly notes: number
  readonly files: number
  readonly folders: FolderNode
  readonly properties: readonly NewProperty[]
  readonly tables: readonly TablePreview[]
}

/** A folder with the number of new notes and files in it and in its subfolders. */
export interface FolderNode {
  readonly name: string
  notes: number
  files: number
  readonly folders: FolderNode[]
}

type Kind = 'notes' | 'files'

/** The folders, of which each is the one of a note or file, as a tree, in their order. */
export function folderTree(paths: Readonly<Record<Kind, readonly string[]>>): FolderNode {
  const root: FolderNode = { name: '', notes: 0, files: 0, folders: [] }
  const byPath = new Map<string, FolderNode>()
  const nodeOf = (names: readonly string[]): FolderNode => {
    const [name] = names.slice(-1)
    if (name === undefined) return root
    const path = names.join('/')
    const known = byPath.get(path)
    if (known) return known
    const node: FolderNode = { name, notes: 0, files: 0, folders: [] }
    byPath.set(path, node)
    nodeOf(names.slice(0, -1)).folders.push(node)
    return node
  }
  for (const kind of ['notes', 'files'] as const)
    for (const path of paths[kind]) {
      const names = path === '' ? [] : path.split('/')
      for (let depth = 0; depth <= names.length; depth++) nodeOf(names.slice(0, depth))[kind] += 1
    }
  return root
}
