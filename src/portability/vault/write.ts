import type { Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { codePointLength, fold, hasControlCharacter } from '../../lib/text.ts'
import { indexLinks, resolveTarget, targetKey } from '../../notes/links/links.ts'
import { isFileTarget, linesOutsideCode } from '../../notes/links/syntax.ts'
import { indexNote } from '../../notes/search/pending.ts'
import { findByAlias, findOldestByTitle, insertBody, insertHead } from '../../notes/store.ts'
import { isTooLong } from '../../notes/writing/change.ts'
import type { Changes } from './changes.ts'
import type { VaultFiles } from './files.ts'
import type { FolderFile } from './folder.ts'
import { type LinkWorld, rewriteLinks } from './links.ts'
import type { VaultNames } from './names.ts'
import { readBody, type VaultNote } from './note.ts'
import type { VaultProperties } from './properties.ts'
import type { VaultTags } from './tags.ts'

/** What the writing of notes draws on. */
export interface VaultParts {
  readonly folder: string
  readonly changes: Changes
  readonly properties: VaultProperties
  readonly files: VaultFiles
  readonly tags: VaultTags
  readonly names: VaultNames
}

/** A head that is written. */
interface Written {
  readonly pk: number
  readonly id: string
}

const LONGEST_ALIAS = 200
/** Without any of these a body has neither links nor tags. */
const MARK = /\[\[|\]\(|\]:|#/
/** What would end a link, divide it or make code of it. */
const NO_TARGET = /[[\]|`]/

/**
 * Writes the notes of a folder. All heads come first: only then it is known what a link means to the service, which
 * is asked for every one.
 */
export class VaultWriter implements LinkWorld {
  linksRewritten = 0
  readonly names: VaultNames
  readonly #written = new Map<VaultNote, Written>()
  readonly #titles = new Set<string>()
  /** The pk of the note that a target means, by its key. */
  readonly #meanings = new Map<string, number | undefined>()
  readonly #targets = new Map<VaultNote, string>()

  constructor(
    private readonly tx: Tx,
    private readonly caller: Caller,
    private readonly parts: VaultParts,
  ) {
    this.names = parts.names
  }

  /** `onProgress` hears how much of it is done. */
  write(notes: readonly VaultNote[], onProgress: (share: number) => void): void {
    for (const { title } of notes) this.#titles.add(fold(title))
    for (const note of notes) this.#written.set(note, this.#writeHead(note))
    let done = 0
    for (const [note, { pk }] of this.#written) {
      this.#writeBody(note, pk)
      onProgress(++done / notes.length)
    }
    this.parts.tags.count()
  }

  means(target: string, note: VaultNote): boolean {
    const key = targetKey(target)
    if (!this.#meanings.has(key))
      this.#meanings.set(key, resolveTarget(this.tx, this.caller.workspacePk, key)?.pk)
    return this.#meanings.get(key) === this.#get(note).pk
  }

  targetOf(note: VaultNote): string {
    const known = this.#targets.get(note)
    if (known !== undefined) return known
    const { title } = note
    const isEnough = !NO_TARGET.test(title) && !isFileTarget(title.trim()) && this.means(title, note)
    const target = isEnough ? title : this.#get(note).id
    this.#targets.set(note, target)
    return target
  }

  keep(file: FolderFile, from: VaultNote) {
    return this.parts.files.keep(file, this.#get(from).pk)
  }

  #get(note: VaultNote): Written {
    const written = this.#written.get(note)
    if (!written) throw new Error('a link leads to a note that is not written')
    return written
  }

  #writeHead(note: VaultNote): Written {
    const { title, createdAt, updatedAt } = note
    const alias = this.#aliasFor(note)
    const id = this.tx.newId()
    const pk = insertHead(this.tx, {
      ...{ id, workspace: this.caller.workspacePk, title, titleFold: fold(title), createdAt, updatedAt },
      ...{ alias, aliasFold: alias === null ? null : fold(alias), coverUrl: null },
    })
    return { pk, id }
  }

  /** The first that is free. Links to the others are rewritten like those to paths. */
  #aliasFor({ aliases, title, file }: VaultNote): string | null {
    const free = aliases.find((alias) => this.#isFree(alias)) ?? null
    for (const alias of new Set(aliases)) {
      if (alias === free || fold(alias) === fold(title)) continue
      this.parts.changes.note(file.path, `the alias "${alias}" is not kept; links that use it are rewritten.`)
    }
    return free
  }

  /** An alias goes before a title, so one that is the title of a note would draw its links away. */
  #isFree(alias: string): boolean {
    if (codePointLength(alias) > LONGEST_ALIAS || hasControlCharacter(alias)) return false
    const key = fold(alias)
    const { tx, caller } = this
    if (this.#titles.has(key)) return false
    return !findByAlias(tx, caller.workspacePk, key) && !findOldestByTitle(tx, caller.workspacePk, key)
  }

  #writeBody(note: VaultNote, pk: number): void {
    const { tx, caller, parts } = this
    const written = readBody(parts.folder, note)
    const lines = MARK.test(written) ? [...linesOutsideCode(written)] : []
    const body = this.#withLinks(note, written, lines)
    insertBody(tx, pk, body)
    indexLinks(tx, caller.workspacePk, pk, body, true)
    parts.properties.put(tx, pk, note.properties)
    const tags = JSON.stringify(parts.tags.put(pk, note, lines))
    indexNote(tx, caller.workspacePk, { pk, title: note.title, content: body, tags })
  }

  #withLinks(note: VaultNote, written: string, lines: Parameters<typeof rewriteLinks>[3]): string {
    const { body, count } = rewriteLinks(this, note, written, lines)
    if (isTooLong(body)) {
      this.parts.changes.note(
        note.file.path,
        'its links stay as they are; rewritten they would make it too long.',
      )
      return written
    }
    this.linksRewritten += count
    return body
  }
}
