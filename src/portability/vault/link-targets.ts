import { posix } from 'node:path'
import { fold } from '../../lib/text.ts'
import { baseName, type FolderFile, withoutExtension } from './folder.ts'
import type { VaultNote } from './note.ts'

/** The note or file of the folder that a link leads to. */
export type LinkTarget = { readonly note: VaultNote } | { readonly file: FolderFile }

export interface LinkReference {
  /** The target as written in the link. */
  readonly target: string
  /** The path of the note that contains the link. */
  readonly from: string
  /**
   * Wiki links are resolved from the top of the folder first, and may use a title or an alias. Markdown links are
   * resolved from the folder of their note first.
   */
  readonly isWiki: boolean
}

interface Entry {
  /** The folded path; that of a note without its extension. */
  readonly path: string
  readonly target: LinkTarget
}

const depth = (path: string): number => path.split('/').length

/** `path` resolved from `folder`; undefined when it leads out of the imported folder. */
function resolvedFrom(folder: string, path: string): string | undefined {
  const joined = posix.join(folder, path)
  return joined.startsWith('../') || joined === '..' ? undefined : joined
}

/** Finds entries by their whole paths or by the ends of these. */
class PathIndex {
  readonly #byPath = new Map<string, Entry>()
  readonly #byName = new Map<string, Entry[]>()

  /** Shorter paths take precedence, then earlier entries. */
  constructor(entries: readonly Entry[]) {
    for (const entry of entries.toSorted((left, right) => depth(left.path) - depth(right.path))) {
      if (this.#byPath.has(entry.path)) continue
      this.#byPath.set(entry.path, entry)
      const name = baseName(entry.path)
      const sameName = this.#byName.get(name)
      if (sameName) sameName.push(entry)
      else this.#byName.set(name, [entry])
    }
  }

  find({ from, isWiki }: LinkReference, path: string): LinkTarget | undefined {
    const withoutSlash = path.replace(/^\/+/, '')
    if (withoutSlash !== path) return this.#at('', withoutSlash)
    const folder = fold(posix.dirname(from))
    if (/^\.\.?\//.test(path)) return this.#at(folder, path)
    const folders = isWiki ? ['', folder] : [folder, '']
    for (const start of folders) {
      const found = this.#at(start, path)
      if (found) return found
    }
    return this.#endingIn(path, isWiki)
  }

  #at(folder: string, path: string): LinkTarget | undefined {
    const resolved = resolvedFrom(folder, path)
    return resolved === undefined ? undefined : this.#byPath.get(resolved)?.target
  }

  /** The shortest path with this ending. For a Markdown link it must be the only one. */
  #endingIn(ending: string, isWiki: boolean): LinkTarget | undefined {
    const sameName = this.#byName.get(baseName(ending)) ?? []
    const matches = ending.includes('/')
      ? sameName.filter(({ path }) => path.endsWith(`/${ending}`))
      : sameName
    return isWiki || matches.length === 1 ? matches[0]?.target : undefined
  }
}

/** Resolves the links of a folder, ignoring case and Unicode composition. */
export class LinkTargets {
  readonly #notes: PathIndex
  readonly #files: PathIndex
  /** Aliases and titles; aliases take precedence. */
  readonly #byName = new Map<string, LinkTarget>()

  constructor(notes: readonly VaultNote[], files: readonly FolderFile[]) {
    this.#notes = new PathIndex(
      notes.map((note) => ({ path: fold(withoutExtension(note.file.path)), target: { note } })),
    )
    this.#files = new PathIndex(files.map((file) => ({ path: fold(file.path), target: { file } })))
    for (const note of notes) for (const alias of note.aliases) this.#addName(alias, note)
    for (const note of notes) this.#addName(note.title, note)
  }

  #addName(name: string, note: VaultNote): void {
    const key = fold(name).trim()
    if (!this.#byName.has(key)) this.#byName.set(key, { note })
  }

  find(reference: LinkReference): LinkTarget | undefined {
    const path = fold(reference.target).trim()
    if (path === '') return undefined
    return (
      this.#notes.find(reference, withoutExtension(path)) ??
      this.#files.find(reference, path) ??
      (reference.isWiki ? this.#byName.get(path) : undefined)
    )
  }
}
