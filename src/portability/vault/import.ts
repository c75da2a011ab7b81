import type { Caller } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import { refused } from '../../refusal.ts'
import { type Attempts, type AttemptsReport, type ImportMode, importWhole } from '../import-run.ts'
import { type Change, Changes } from './changes.ts'
import { VaultFiles } from './files.ts'
import { type FolderContent, type FolderFile, readFolder } from './folder.ts'
import { VaultNames } from './names.ts'
import { readNote, type VaultNote } from './note.ts'
import { VaultProperties } from './properties.ts'
import { VaultTags } from './tags.ts'
import { VaultWriter } from './write.ts'

export interface VaultImport extends ImportMode {
  readonly folder: string
  /** Whether each note carries the path of its folder as a tag. */
  readonly foldersAsTags: boolean
  /** Told now and then how much is done, from 0 to 1. */
  onProgress(done: number): void
}

export interface VaultOutcome {
  /** What came in; of tags and properties those that are new. */
  readonly counts: {
    readonly notes: number
    readonly tags: number
    readonly properties: number
    readonly files: number
    readonly links_rewritten: number
  }
  readonly changedCount: number
  /** The first of what is kept otherwise than it stands in the folder. */
  readonly changed: readonly Change[]
}

export type VaultReport = VaultOutcome & AttemptsReport

/**
 * Brings in a folder of Markdown notes, such as an Obsidian vault, with the files beside them, in one transaction.
 * Every note is read twice, so that no more than one body is held at a time.
 */
export function importVault(db: Db, caller: Caller, request: VaultImport): Promise<VaultReport> {
  const content = readFolder(request.folder, db.file)
  if (content.notes.length === 0)
    throw refused(
      `The folder ${request.folder} holds neither a daybook.json, as an exported workspace does, nor Markdown notes.`,
    )
  return importWhole(db, request, (attempts) => new VaultImporter(attempts, caller, request, content).run())
}

const SHARE_OF_READING = 0.3

class VaultImporter {
  readonly #changes = new Changes()
  readonly #properties: VaultProperties

  constructor(
    private readonly attempts: Attempts,
    private readonly caller: Caller,
    private readonly request: VaultImport,
    private readonly content: FolderContent,
  ) {
    this.#properties = new VaultProperties(attempts.tx, caller)
    for (const { place, reason } of content.unread) attempts.note(place, reason)
  }

  run(): VaultOutcome {
    const { attempts, caller, request, content } = this
    const notes = this.#readNotes()
    const properties = this.#properties.define(attempts.tx, caller)
    const files = new VaultFiles(attempts, caller, request.folder, this.#changes)
    const tags = new VaultTags(attempts.tx, caller, this.#changes, request.foldersAsTags)
    const writer = new VaultWriter(attempts.tx, caller, {
      ...{ folder: request.folder, changes: this.#changes, properties: this.#properties, files, tags },
      names: new VaultNames(notes, content.others),
    })
    writer.write(notes, (share) => request.onProgress(SHARE_OF_READING + share * (1 - SHARE_OF_READING)))
    for (const file of content.others) files.keep(file, null)
    request.onProgress(1)
    return {
      counts: {
        notes: notes.length,
        tags: tags.made,
        properties,
        files: files.count,
        links_rewritten: writer.linksRewritten,
      },
      changedCount: this.#changes.count,
      changed: this.#changes.first,
    }
  }

  /** Those that are not refused, oldest first. */
  #readNotes(): VaultNote[] {
    const notes: VaultNote[] = []
    for (const [at, file] of this.content.notes.entries()) {
      this.attempts.try(file.path, () => notes.push(this.#readNote(file)))
      this.request.onProgress((at / this.content.notes.length) * SHARE_OF_READING)
    }
    for (const { properties } of notes) this.#properties.learn(properties)
    return notes.sort((left, right) => left.createdAt - right.createdAt)
  }

  #readNote(file: FolderFile): VaultNote {
    const note = readNote(this.request.folder, file, this.attempts.tx.now, this.#changes)
    const reason = this.#properties.refusalOf(note.properties)
    if (reason !== undefined) throw refused(reason)
    return note
  }
}
