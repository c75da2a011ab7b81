import type { Caller } from '../../context.ts'
import { codePointLength, fold, hasControlCharacter } from '../../lib/text.ts'
import { resolveTarget, targetKey } from '../../notes/links/resolve.ts'
import { isFileTarget, linesOutsideCode } from '../../notes/links/syntax.ts'
import { addContent, insertNote } from '../../notes/writing/create.ts'
import { isTooLong } from '../../notes/writing/update.ts'
import type { ImportRun } from '../import-run.ts'
import type { VaultFiles } from './files.ts'
import type { FolderFile } from './folder.ts'
import type { LinkTargets } from './link-targets.ts'
import { type LinkContext, rewriteLinks } from './links.ts'
import { readBody, type VaultNote } from './note.ts'
import type { VaultProperties } from './properties.ts'
import type { VaultTags } from './tags.ts'

/** What notes are written with. */
export interface VaultParts {
  readonly folder: string
  readonly properties: VaultProperties
  readonly files: VaultFiles
  readonly tags: VaultTags
  readonly linkTargets: LinkTargets
}

interface WrittenHead {
  readonly pk: number
  readonly id: string
}

const MAX_ALIAS_LENGTH = 200
/** A body without any of these has neither links nor tags. */
const LINK_OR_TAG = /\[\[|\]\(|\]:|#/
/** Characters that would end or split a link, or start code in it. */
const NOT_IN_TARGET = /[[\]|`]/

/**
 * Writes the notes of a folder: first every head, then the bodies. Only when all titles and aliases are stored does the
 * service resolve each link as it will later, and the links that it resolves differently are rewritten.
 */
export class VaultWriter implements LinkContext {
  linksRewritten = 0
  readonly linkTargets: LinkTargets
  readonly #heads = new Map<VaultNote, WrittenHead>()
  readonly #titles = new Set<string>()
  /** The pk of the note that the service resolves a target to, by the target's key. */
  readonly #resolved = new Map<string, number | undefined>()
  readonly #targets = new Map<VaultNote, string>()

  constructor(
    private readonly run: ImportRun,
    private readonly caller: Caller,
    private readonly parts: VaultParts,
  ) {
    this.linkTargets = parts.linkTargets
  }

  /** `onProgress` receives the share that is done, from 0 to 1. */
  write(notes: readonly VaultNote[], onProgress: (share: number) => void): void {
    for (const { title } of notes) this.#titles.add(fold(title))
    for (const note of notes) this.#heads.set(note, this.#writeHead(note))
    let done = 0
    for (const [note, { pk }] of this.#heads) {
      this.#writeBody(note, pk)
      onProgress(++done / notes.length)
    }
    this.parts.tags.updateCounts()
  }

  resolvesTo(target: string, note: VaultNote): boolean {
    const key = targetKey(target)
    if (!this.#resolved.has(key))
      this.#resolved.set(key, resolveTarget(this.run.tx, this.caller.workspacePk, key))
    return this.#resolved.get(key) === this.#headOf(note).pk
  }

  targetFor(note: VaultNote): string {
    const known = this.#targets.get(note)
    if (known !== undefined) return known
    const { title } = note
    const isUnambiguous =
      !NOT_IN_TARGET.test(title) && !isFileTarget(title.trim()) && this.resolvesTo(title, note)
    const target = isUnambiguous ? title : this.#headOf(note).id
    this.#targets.set(note, target)
    return target
  }

  addFile(file: FolderFile, from: VaultNote) {
    return this.parts.files.add(file, this.#headOf(from).pk)
  }

  #headOf(note: VaultNote): WrittenHead {
    const head = this.#heads.get(note)
    if (!head) throw new Error('a link leads to a note that is not written')
    return head
  }

  #writeHead(note: VaultNote): WrittenHead {
    const { tx } = this.run
    const { title, createdAt, updatedAt } = note
    const alias = this.#aliasFor(note)
    const id = tx.newId()
    const pk = insertNote(tx, this.caller.workspacePk, { id, title, alias, createdAt, updatedAt })
    return { pk, id }
  }

  /** The first free alias of the note. Links that use its other aliases are rewritten. */
  #aliasFor({ aliases, title, file }: VaultNote): string | null {
    const free = aliases.find((alias) => this.#isFree(alias)) ?? null
    for (const alias of new Set(aliases)) {
      if (alias === free || fold(alias) === fold(title)) continue
      const what = `the alias "${alias}" is not kept; links that use it are rewritten.`
      this.run.changed.add({ place: file.path, what })
    }
    return free
  }

  /** An alias takes precedence over a title, so an alias equal to a note's title would take over the links to that note. */
  #isFree(alias: string): boolean {
    if (codePointLength(alias) > MAX_ALIAS_LENGTH || hasControlCharacter(alias)) return false
    if (this.#titles.has(fold(alias))) return false
    return resolveTarget(this.run.tx, this.caller.workspacePk, targetKey(alias)) === undefined
  }

  #writeBody(note: VaultNote, pk: number): void {
    const { caller, parts } = this
    const { tx } = this.run
    const written = readBody(parts.folder, note)
    const lines = LINK_OR_TAG.test(written) ? [...linesOutsideCode(written)] : []
    const body = this.#withLinks(note, written, lines)
    parts.properties.setOn(tx, pk, note.properties)
    const tagIds = parts.tags.addTo(pk, note, lines)
    addContent(tx, caller.workspacePk, { pk, title: note.title, content: body, tagIds })
  }

  #withLinks(note: VaultNote, written: string, lines: Parameters<typeof rewriteLinks>[3]): string {
    const { body, count } = rewriteLinks(this, note, written, lines)
    if (isTooLong(body)) {
      const what = 'its links stay as they are; rewritten they would make it too long.'
      this.run.changed.add({ place: note.file.path, what })
      return written
    }
    this.linksRewritten += count
    return body
  }
}
