import type { Caller } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import { findNoteSummary, type NoteSummary } from '../../notes/store.ts'
import { refused } from '../../refusal.ts'
import {
  type ChangedPart,
  type ImportMode,
  type ImportReport,
  type ImportRun,
  type RefusedPart,
  runImport,
} from '../import-run.ts'
import { type EarlierImport, EarlierImports } from './earlier-imports.ts'
import { type FolderContent, readFolder, readNoteFile } from './folder.ts'
import { defineNew, NOT_UPDATED, propertiesOf, VaultFiles, type VaultProperties, VaultTags } from './parts.ts'
import { DELETED } from './plan/folder-files.ts'
import { LinkTargets } from './plan/link-targets.ts'
import type { VaultNote } from './plan/note.ts'
import type { DemotedProperty } from './plan/properties.ts'
import { VaultWriter } from './write.ts'

export interface VaultImport extends ImportMode {
  readonly folder: string
  /** The database file, which may be in the folder. */
  readonly databaseFile: string
  /** Whether each note gets the path of its folder as a tag. */
  readonly foldersAsTags: boolean
  /** Whether what an earlier import made is updated where its file has changed, instead of being refused. */
  readonly updates: boolean
  /** Receives the share that is done, from 0 to 1. */
  onProgress(done: number): void
}

export interface VaultOutcome {
  /** What was imported; of tags and properties only those that are new to the workspace. */
  readonly counts: {
    readonly notes: number
    readonly updated_notes: number
    readonly tags: number
    readonly properties: number
    readonly files: number
    readonly updated_files: number
    /** Notes and files that an earlier import made and that did not change since. */
    readonly unchanged: number
    readonly links_rewritten: number
  }
  /** Notes that were brought up to date, and what is stored differently from how it is in the folder. */
  readonly changed: readonly ChangedPart[]
  readonly skipped: readonly RefusedPart[]
  readonly demoted: readonly DemotedProperty[]
  /** The paths of files that were imported before and are gone; what was made of them stays. */
  readonly gone: readonly string[]
}

export type VaultReport = VaultOutcome & ImportReport

/** What an earlier import made of a note's file. */
export interface ExistingNote {
  readonly head: NoteSummary
  readonly earlier: EarlierImport
  /** Whether the file has changed and the note is to change with it. */
  readonly isUpdated: boolean
}

export interface PlannedNote {
  readonly note: VaultNote
  /** Undefined for a note that is to be created. */
  readonly existing: ExistingNote | undefined
}

/**
 * Imports a folder of Markdown notes, such as an Obsidian vault, and the files in it, in one transaction. Every note is
 * read twice, so that only one body is in memory at a time.
 */
export function importVault(db: Db, caller: Caller, request: VaultImport): Promise<VaultReport> {
  const content = readFolder(request.folder, request.databaseFile)
  if (content.notes.length === 0)
    throw refused(
      `The folder ${request.folder} holds neither a daybook.json, as an exported workspace does, nor Markdown notes.`,
    )
  return runImport(db, request, (run) => importContent(run, caller, request, content))
}

const SHARE_OF_READING = 0.3

function importContent(
  run: ImportRun,
  caller: Caller,
  request: VaultImport,
  content: FolderContent,
): VaultOutcome {
  const { folder, foldersAsTags, updates, onProgress } = request
  const paths = new Set([...content.notes, ...content.otherFiles].map(({ path }) => path))
  const earlier = new EarlierImports(run.tx, caller, content.root, paths)
  run.refused.push(...content.unreadable)
  run.skipped.push(...content.skipped)
  const properties = propertiesOf(run.tx, caller)
  const planned = new NoteReader(run, caller, request, earlier, properties).read(content)
  const newProperties = defineNew(run.tx, caller, properties)
  const files = new VaultFiles(run, caller, folder, earlier, updates)
  const tags = new VaultTags(run, caller, foldersAsTags)
  const linkTargets = new LinkTargets(
    planned.map(({ note }) => note),
    content.otherFiles,
  )
  const writer = new VaultWriter(run, caller, {
    folder,
    properties,
    files,
    tags,
    linkTargets,
    earlier,
    updates,
  })
  writer.write(planned, (share) => onProgress(SHARE_OF_READING + share * (1 - SHARE_OF_READING)))
  for (const file of content.otherFiles) files.add(file, null)
  onProgress(1)
  return {
    counts: {
      notes: writer.created,
      updated_notes: writer.updated,
      tags: tags.created,
      properties: newProperties,
      files: files.added,
      updated_files: files.updated,
      unchanged: planned.length - writer.created - writer.updated + files.unchanged,
      links_rewritten: writer.linksRewritten,
    },
    changed: run.changed,
    skipped: run.skipped,
    demoted: properties.demoted,
    gone: earlier.listGone(run.tx),
  }
}

/** Reads the notes of a folder, and decides what becomes of each. */
class NoteReader {
  readonly #planned: PlannedNote[] = []

  constructor(
    private readonly run: ImportRun,
    private readonly caller: Caller,
    private readonly request: VaultImport,
    private readonly earlier: EarlierImports,
    private readonly properties: VaultProperties,
  ) {}

  /** The notes that are not refused, oldest first. Their properties are collected on the way. */
  read({ notes }: FolderContent): PlannedNote[] {
    for (const [at, file] of notes.entries()) {
      this.run.try(file.path, () => this.#plan(readNoteFile(this.run.tx.now, this.request.folder, file)))
      this.request.onProgress((at / notes.length) * SHARE_OF_READING)
    }
    for (const { note, existing } of this.#planned)
      if (existing?.isUpdated !== false) this.properties.collect(note.properties, note.file.path)
    return this.#planned.sort((left, right) => left.note.createdAt - right.note.createdAt)
  }

  #plan(note: VaultNote): void {
    const { path } = note.file
    const earlier = this.earlier.find(path, note.digest)
    if (!earlier) {
      this.#planWritten({ note, existing: undefined })
      return
    }
    const head = findNoteSummary(this.run.tx, this.caller.workspacePk, earlier.object)
    if (!head) {
      this.run.skipped.push({ place: path, reason: DELETED })
      return
    }
    const hasChanged = earlier.digest !== note.digest || earlier.path !== path
    if (hasChanged && this.request.updates) {
      this.#planWritten({ note, existing: { head, earlier, isUpdated: true } })
      return
    }
    this.#planned.push({ note, existing: { head, earlier, isUpdated: false } })
    if (hasChanged) throw refused(NOT_UPDATED)
  }

  #planWritten(planned: PlannedNote): void {
    const { note, existing } = planned
    const { path } = note.file
    this.properties.refuseUnfit(note.properties)
    for (const what of note.remarks) this.run.changed.push({ place: path, what })
    if (existing && existing.earlier.path !== path)
      this.run.changed.push({ place: path, what: `it was "${existing.earlier.path}" before.` })
    this.#planned.push(planned)
  }
}
