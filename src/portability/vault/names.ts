import { posix } from 'node:path'
import { fold } from '../../lib/text.ts'
import { type FolderFile, withoutExtension } from './folder.ts'
import type { VaultNote } from './note.ts'

/** What a link of a folder leads to. */
export type Found = { readonly note: VaultNote } | { readonly file: FolderFile }

/** Where a link stands, and how it names what it leads to. */
export interface Pointer {
  readonly target: string
  /** The path of the note that holds the link. */
  readonly from: string
  /** A wiki link goes from the top of the folder, and by name or alias; another goes from where it stands. */
  readonly isWiki: boolean
}

interface Named {
  /** The whole path, folded; that of a note without its extension. */
  readonly path: string
  readonly found: Found
}

const nameIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const depth = (path: string): number => path.split('/').length

/** What a path leads to from a folder; undefined when it leads out of the whole. */
function joined(folder: string, path: string): string | undefined {
  const whole = posix.join(folder, path)
  return whole.startsWith('../') || whole === '..' ? undefined : whole
}

/** Files of one kind by their paths, and by the ends of these. */
class Paths {
  readonly #byPath = new Map<string, Named>()
  readonly #byName = new Map<string, Named[]>()

  /** They come in the order in which they win; shorter paths go first. */
  constructor(all: readonly Named[]) {
    for (const named of all.toSorted((left, right) => depth(left.path) - depth(right.path))) {
      if (this.#byPath.has(named.path)) continue
      this.#byPath.set(named.path, named)
      const name = nameIn(named.path)
      const alike = this.#byName.get(name)
      if (alike) alike.push(named)
      else this.#byName.set(name, [named])
    }
  }

  find({ from, isWiki }: Pointer, target: string): Found | undefined {
    const bare = target.replace(/^\/+/, '')
    if (bare !== target) return this.#at('', bare)
    const folder = fold(posix.dirname(from))
    if (/^\.\.?\//.test(target)) return this.#at(folder, target)
    const folders = isWiki ? ['', folder] : [folder, '']
    for (const start of folders) {
      const found = this.#at(start, target)
      if (found) return found
    }
    return this.#endingIn(target, isWiki)
  }

  #at(folder: string, path: string): Found | undefined {
    const whole = joined(folder, path)
    return whole === undefined ? undefined : this.#byPath.get(whole)?.found
  }

  /** The shortest path that ends so; where others than wiki links lead must be beyond doubt. */
  #endingIn(target: string, isWiki: boolean): Found | undefined {
    const alike = this.#byName.get(nameIn(target)) ?? []
    if (!target.includes('/')) return isWiki || alike.length === 1 ? alike[0]?.found : undefined
    const ending = alike.filter(({ path }) => path.endsWith(`/${target}`))
    return isWiki || ending.length === 1 ? ending[0]?.found : undefined
  }
}

/** Finds what the links in a folder lead to, ignoring case and the way in which a system composes letters. */
export class VaultNames {
  readonly #notes: Paths
  readonly #files: Paths
  /** By alias, then by title. */
  readonly #otherNames = new Map<string, Found>()

  constructor(notes: readonly VaultNote[], files: readonly FolderFile[]) {
    this.#notes = new Paths(
      notes.map((note) => ({ path: fold(withoutExtension(note.file.path)), found: { note } })),
    )
    this.#files = new Paths(files.map((file) => ({ path: fold(file.path), found: { file } })))
    for (const note of notes) for (const alias of note.aliases) this.#call(alias, note)
    for (const note of notes) this.#call(note.title, note)
  }

  #call(name: string, note: VaultNote): void {
    const key = fold(name).trim()
    if (!this.#otherNames.has(key)) this.#otherNames.set(key, { note })
  }

  find(pointer: Pointer): Found | undefined {
    const target = fold(pointer.target).trim()
    if (target === '') return undefined
    return (
      this.#notes.find(pointer, withoutExtension(target)) ??
      this.#files.find(pointer, target) ??
      (pointer.isWiki ? this.#otherNames.get(target) : undefined)
    )
  }
}
