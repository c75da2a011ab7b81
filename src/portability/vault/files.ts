import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller } from '../../context.ts'
import { mimeTypeOf } from '../../files/extraction/kinds.ts'
import { replaceFileContent } from '../../files/service.ts'
import { refuseTooLarge } from '../../files/size-limit.ts'
import { findFile, insertWholeFile } from '../../files/store.ts'
import { sha256 } from '../../lib/sha256.ts'
import { refused } from '../../refusal.ts'
import type { ImportRun } from '../import-run.ts'
import type { EarlierImport, EarlierImports } from './earlier-imports.ts'
import { DELETED, type FolderFile } from './plan/folder-files.ts'
import type { AddedFile } from './plan/links.ts'
import { fileNameFor } from './plan/names.ts'

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
