import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { mimeTypeOf } from '../../files/extraction/kinds.ts'
import { replaceFileContent } from '../../files/service.ts'
import { refuseTooLarge } from '../../files/size-limit.ts'
import { findFile, insertWholeFile } from '../../files/store.ts'
import { sha256 } from '../../lib/sha256.ts'
import { fold } from '../../lib/text.ts'
import type { TextSpan } from '../../notes/links/syntax.ts'
import { optionsOf } from '../../notes/writing/properties.ts'
import { ensureTags, findTagByName, withLinkedTags } from '../../notes/writing/tags.ts'
import { createProperty, getPropertyRow, propertyKind } from '../../properties/service.ts'
import { refused } from '../../refusal.ts'
import type { ImportRun } from '../import-run.ts'
import type { EarlierImport, EarlierImports } from './earlier-imports.ts'
import { DELETED, type FolderFile } from './plan/folder-files.ts'
import type { AddedFile } from './plan/links.ts'
import { fileNameFor } from './plan/names.ts'
import type { VaultNote } from './plan/note.ts'
import { PropertyPlan } from './plan/properties.ts'
import { tagNamesOf } from './plan/tags.ts'

export const NOT_UPDATED = 'it was changed since it was imported; give --update to take that over.'

/** Adds the files of a folder, each once. Their text is extracted when a server runs next. */
export class VaultFiles {
  readonly #files = new Map<FolderFile, AddedFile | undefined>()
  added = 0
  updated = 0
  unchanged = 0

  constructor(
    private readonly run: ImportRun,
    private readonly caller: Caller,
    private readonly folder: string,
    private readonly earlier: EarlierImports,
    private readonly updates: boolean,
  ) {}

  /** The file, attached to the first note that asks for it; undefined when it is refused or was deleted. */
  add(file: FolderFile, note: number | null): AddedFile | undefined {
    if (!this.#files.has(file)) {
      this.#files.set(file, undefined)
      this.run.try(file.path, () => this.#addOnce(file, note))
    }
    return this.#files.get(file)
  }

  #addOnce(file: FolderFile, note: number | null): void {
    const bytes = this.#read(file)
    const digest = sha256(bytes)
    const earlier = this.earlier.find(file.path, digest)
    if (earlier) this.#addAgain(file, earlier, bytes, digest)
    else this.#insert(file, note, bytes, digest)
  }

  #insert(file: FolderFile, note: number | null, bytes: Uint8Array, digest: string): void {
    const { tx } = this.run
    const remark = (what: string) => void this.run.changed.push({ place: file.path, what })
    const added = { id: tx.newId(), fileName: fileNameFor(file, remark) }
    const row = { ...added, workspace: this.caller.workspacePk, note, mimeType: mimeTypeOf(added.fileName) }
    const createdAt = Math.min(Math.max(file.modifiedAt, 0), tx.now)
    insertWholeFile({ ...tx, now: createdAt }, this.caller, { ...row, size: bytes.length }, bytes)
    this.earlier.add(tx, 'file', file.path, { object: added.id, digest, written: null, fields: null })
    this.#files.set(file, added)
    this.added += 1
  }

  #addAgain(file: FolderFile, earlier: EarlierImport, bytes: Uint8Array, digest: string): void {
    const { tx } = this.run
    const { path } = file
    const row = findFile(tx, this.caller, earlier.object)
    if (!row) {
      this.run.skipped.push({ place: path, reason: DELETED })
      return
    }
    this.#files.set(file, { id: row.id, fileName: row.fileName })
    if (earlier.digest === digest && earlier.path === path) {
      this.unchanged += 1
      return
    }
    if (!this.updates) throw refused(NOT_UPDATED)
    if (earlier.digest !== digest) replaceFileContent(tx, this.caller, row, bytes)
    else this.run.changed.push({ place: path, what: `it was "${earlier.path}" before.` })
    this.earlier.update(tx, earlier, path, { digest, written: null, fields: null })
    this.updated += 1
  }

  #read({ path, bytes }: FolderFile): Uint8Array {
    refuseTooLarge(bytes)
    return readFileSync(join(this.folder, path))
  }
}

/** The tags of the notes of a folder; those that do not exist are created. */
export class VaultTags {
  /** How many tags are new to the workspace. */
  created = 0
  readonly #ids = new Map<string, number>()
  /** A tag with all tags that come along with it. */
  readonly #withLinked = new Map<number, readonly number[]>()

  constructor(
    private readonly run: ImportRun,
    private readonly caller: Caller,
    private readonly foldersAsTags: boolean,
  ) {}

  /** The ids of the tags of a note and of all that come along with them. */
  idsOf(note: VaultNote, lines: readonly TextSpan[]): number[] {
    const remark = (what: string) => void this.run.changed.push({ place: note.file.path, what })
    const names = tagNamesOf(note, lines, this.foldersAsTags, remark)
    return [...new Set(names.flatMap((name) => this.#tagsFor(name)))]
  }

  #tagsFor(name: string): readonly number[] {
    const id = this.#ids.get(fold(name)) ?? this.#ensureTag(name)
    const known = this.#withLinked.get(id)
    if (known) return known
    const all = withLinkedTags(this.run.tx, [id])
    this.#withLinked.set(id, all)
    return all
  }

  #ensureTag(name: string): number {
    const { tx } = this.run
    if (!findTagByName(tx, this.caller.workspacePk, name)) this.created += 1
    const [id = 0] = ensureTags(tx, this.caller, [name])
    this.#ids.set(fold(name), id)
    return id
  }
}

export type VaultProperties = PropertyPlan<ReturnType<typeof getPropertyRow>>

export const propertiesOf = (tx: Tx, { workspacePk }: Caller): VaultProperties =>
  new PropertyPlan(propertyKind.rows(tx, workspacePk), (rule) => optionsOf(tx, rule))

/** Defines the properties that are new. Returns their number. */
export function defineNew(tx: Tx, caller: Caller, properties: VaultProperties): number {
  const added = properties.newProperties()
  for (const [name, { key, label, type }] of added) {
    createProperty(tx, caller, { key, type, ...(label !== key && { label }) })
    properties.define(name, getPropertyRow(tx, caller, key))
  }
  return added.size
}
