import { folderOf, joinedPath } from '../../../lib/paths.ts'
import {
  codePointLength,
  fold,
  hasControlCharacter,
  isInvisible,
  MAX_ALIAS_LENGTH,
  MAX_FURTHER_ALIASES,
  normalized,
} from '../../../lib/text.ts'
import { isFileTarget } from '../../../lib/wiki-links.ts'
import { baseName, type FolderFile, withoutExtension } from './files.ts'
import type { Remark, VaultNote } from './note.ts'

/** The properties of a note that links depend on. */
export interface LinkableNote {
  readonly file: { readonly path: string }
  readonly title: string
  readonly aliases: readonly string[]
  /** The texts of blocks that other notes may refer to, by id. */
  readonly blocks?: ReadonlyMap<string, string>
}

/** The note or file of the folder that a link leads to. */
export type LinkTarget<Note = VaultNote, File = FolderFile> =
  | { readonly note: Note }
  | { readonly file: File }

export interface LinkReference {
  /** The target as written in the link. */
  readonly target: string
  /** The path of the note that contains the link. */
  readonly from: string
  /**
   * Wiki links are resolved from the top of the folder first, and may use the end of a path, a title or an alias.
   * Markdown links lead to one path only, from the folder of their note.
   */
  readonly isWiki: boolean
}

interface Entry<Target> {
  /** For notes without the extension. */
  readonly path: string
  readonly target: Target
}

/** The form in which names are compared. */
type Form = (name: string) => string

/** Ignores the composition of Unicode characters. */
const exactForm: Form = (name) => normalized(name, 'NFC')

const depth = (path: string): number => path.split('/').length

/** Finds entries by whole path or by the end of a path, as wiki links name them, in one form of names. */
class PathsInForm<Target> {
  readonly #byPath = new Map<string, Entry<Target>>()
  readonly #byName = new Map<string, Entry<Target>[]>()

  /** Earlier entries take precedence. */
  constructor(
    entries: readonly Entry<Target>[],
    private readonly form: Form,
  ) {
    for (const { path, target } of entries) {
      const entry = { path: form(path), target }
      if (this.#byPath.has(entry.path)) continue
      this.#byPath.set(entry.path, entry)
      const name = baseName(entry.path)
      const sameName = this.#byName.get(name)
      if (sameName) sameName.push(entry)
      else this.#byName.set(name, [entry])
    }
  }

  find(from: string, written: string): Target | undefined {
    const path = this.form(written)
    const withoutSlash = path.replace(/^\/+/, '')
    if (withoutSlash !== path) return this.#at('', withoutSlash)
    const folder = this.form(folderOf(from))
    if (/^\.\.?\//.test(path)) return this.#at(folder, path)
    return this.#at('', path) ?? this.#at(folder, path) ?? this.#endingIn(path)
  }

  #at(folder: string, path: string): Target | undefined {
    const resolved = joinedPath(folder, path)
    return resolved === undefined ? undefined : this.#byPath.get(resolved)?.target
  }

  /** The shortest path with this ending. */
  #endingIn(ending: string): Target | undefined {
    const sameName = this.#byName.get(baseName(ending)) ?? []
    const matches = ending.includes('/')
      ? sameName.filter(({ path }) => path.endsWith(`/${ending}`))
      : sameName
    return matches[0]?.target
  }
}

/** Finds entries by path, exactly or else ignoring case. Shorter paths take precedence, then earlier entries. */
class PathIndex<Target> {
  readonly #exact: PathsInForm<Target>
  readonly #folded: PathsInForm<Target>

  constructor(entries: readonly Entry<Target>[]) {
    const sorted = entries.toSorted((left, right) => depth(left.path) - depth(right.path))
    this.#exact = new PathsInForm(sorted, exactForm)
    this.#folded = new PathsInForm(sorted, fold)
  }

  find = (from: string, path: string): Target | undefined =>
    this.#exact.find(from, path) ?? this.#folded.find(from, path)
}

/** Links may omit the extension of a note. */
const IMPLIED_EXTENSIONS = ['', '.md', '.markdown']

/** Finds entries by their paths with extensions, as a Markdown link names them: exactly, else ignoring case. */
class WholePaths<Target> {
  readonly #exact = new Map<string, Target>()
  readonly #folded = new Map<string, Target>()

  add(path: string, target: Target): void {
    const exact = exactForm(path)
    if (!this.#exact.has(exact)) this.#exact.set(exact, target)
    if (!this.#folded.has(fold(path))) this.#folded.set(fold(path), target)
  }

  /** Paths with a leading slash start at the top of the folder, all others at the note that contains the link. */
  find(from: string, path: string): Target | undefined {
    const isFromTop = path.startsWith('/')
    const resolved = joinedPath(isFromTop ? '' : folderOf(from), path.replace(/^\/+/, ''))
    if (resolved === undefined) return undefined
    for (const extension of IMPLIED_EXTENSIONS) {
      const whole = `${resolved}${extension}`
      const found = this.#exact.get(exactForm(whole)) ?? this.#folded.get(fold(whole))
      if (found) return found
    }
    return undefined
  }
}

/** Resolves the links of a folder, exactly or else ignoring case, and ignoring Unicode composition. */
export class LinkTargets<
  Note extends LinkableNote = VaultNote,
  File extends { readonly path: string } = FolderFile,
> {
  readonly #notes: PathIndex<LinkTarget<Note, File>>
  readonly #files: PathIndex<LinkTarget<Note, File>>
  readonly #wholePaths = new WholePaths<LinkTarget<Note, File>>()
  /** Aliases and titles, as written and folded; aliases take precedence. */
  readonly #byName = new Map<string, LinkTarget<Note, File>>()
  readonly #byFoldedName = new Map<string, LinkTarget<Note, File>>()
  readonly #blocks = new Map<string, { readonly note: Note; readonly text: string }>()

  constructor(notes: readonly Note[], files: readonly File[]) {
    this.#notes = new PathIndex(
      notes.map((note) => ({ path: withoutExtension(note.file.path), target: { note } })),
    )
    this.#files = new PathIndex(files.map((file) => ({ path: file.path, target: { file } })))
    for (const note of notes) this.#wholePaths.add(note.file.path, { note })
    for (const file of files) this.#wholePaths.add(file.path, { file })
    for (const note of notes) for (const alias of note.aliases) this.#addName(alias, note)
    for (const note of notes) this.#addName(note.title, note)
    for (const note of notes) for (const [id, text] of note.blocks ?? []) this.#blocks.set(id, { note, text })
  }

  blockWith = (id: string) => this.#blocks.get(id)

  #addName(name: string, note: Note): void {
    const [exact, folded] = [exactForm(name).trim(), fold(name).trim()]
    if (!this.#byName.has(exact)) this.#byName.set(exact, { note })
    if (!this.#byFoldedName.has(folded)) this.#byFoldedName.set(folded, { note })
  }

  find({ target, from, isWiki }: LinkReference): LinkTarget<Note, File> | undefined {
    if (!isWiki) return target.trim() === '' ? undefined : this.#wholePaths.find(from, target.trim())
    const path = target.trim()
    if (path === '') return undefined
    return (
      this.#notes.find(from, withoutExtension(path)) ??
      this.#files.find(from, path) ??
      this.#byName.get(exactForm(path)) ??
      this.#byFoldedName.get(fold(path).trim())
    )
  }
}

/**
 * Whether a note may have this alias. `isName` returns whether an existing object or a note of the folder has a name.
 */
const isFree = (alias: string, isName: (name: string) => boolean): boolean =>
  codePointLength(alias) <= MAX_ALIAS_LENGTH &&
  !hasControlCharacter(alias) &&
  !isInvisible(alias) &&
  !isName(alias)

const MAX_ALIASES = 1 + MAX_FURTHER_ALIASES

/**
 * The aliases of a file that its note has or gets, in their order: those in `kept`, which it has, and those that are not
 * the name of another note. Aliases take precedence over titles, so an alias equal to a note's title would capture the
 * links to that note. Links that use the other aliases are rewritten.
 */
export function aliasesFor(
  { aliases, title }: Pick<VaultNote, 'aliases' | 'title'>,
  isName: (name: string) => boolean,
  remark: Remark,
  kept: readonly string[] = [],
): string[] {
  const names = new Map(aliases.toReversed().map((alias) => [fold(alias), alias]))
  let count = kept.length
  return [...names.values()].toReversed().filter((alias) => {
    if (kept.includes(alias)) return true
    if (count < MAX_ALIASES && isFree(alias, isName)) {
      count += 1
      return true
    }
    if (fold(alias) !== fold(title))
      remark(`the alias "${alias}" is not kept; links that use it are rewritten.`)
    return false
  })
}

/** Characters that would end or split a link, or start code in it. */
const NOT_IN_TARGET = /[[\]|`]/

/** The target of a link to a note, followed by the heading: the title if it resolves to the note, else the id. */
export function targetFor(
  { title, id }: { readonly title: string; readonly id: string },
  heading: string,
  leadsToIt: (target: string) => boolean,
): string {
  const isUnambiguous =
    !NOT_IN_TARGET.test(title) && !isFileTarget(title.trim()) && leadsToIt(title + heading)
  return (isUnambiguous ? title : id) + heading
}
