import type { Caller } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import { refused } from '../../refusal.ts'
import {
  type ChangedPart,
  type ImportMode,
  type ImportReport,
  type ImportRun,
  runImport,
} from '../import-run.ts'
import { VaultFiles } from './files.ts'
import { type FolderContent, type FolderFile, readFolder } from './folder.ts'
import { LinkTargets } from './link-targets.ts'
import { readNote, type VaultNote } from './note.ts'
import { VaultProperties } from './properties.ts'
import { VaultTags } from './tags.ts'
import { VaultWriter } from './write.ts'

export interface VaultImport extends ImportMode {
  readonly folder: string
  /** Whether each note gets the path of its folder as a tag. */
  readonly foldersAsTags: boolean
  /** Receives the share that is done, from 0 to 1. */
  onProgress(done: number): void
}

export interface VaultOutcome {
  /** What was imported; of tags and properties only those that are new to the workspace. */
  readonly counts: {
    readonly notes: number
    readonly tags: number
    readonly properties: number
    readonly files: number
    readonly links_rewritten: number
  }
  readonly changedCount: number
  /** The first 20 things that are stored differently from how they are in the folder. */
  readonly changed: readonly ChangedPart[]
}

export type VaultReport = VaultOutcome & ImportReport

/**
 * Imports a folder of Markdown notes, such as an Obsidian vault, and the files in it, in one transaction. Every note is
 * read twice, so that only one body is in memory at a time.
 */
export function importVault(db: Db, caller: Caller, request: VaultImport): Promise<VaultReport> {
  const content = readFolder(request.folder, db.file)
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
  const { folder, foldersAsTags, onProgress } = request
  for (const part of content.unreadable) run.refused.add(part)
  const properties = new VaultProperties(run.tx, caller)
  const notes = readNotes(run, request, content.notes, properties)
  const newProperties = properties.defineNew(run.tx, caller)
  const files = new VaultFiles(run, caller, folder)
  const tags = new VaultTags(run, caller, foldersAsTags)
  const linkTargets = new LinkTargets(notes, content.otherFiles)
  const writer = new VaultWriter(run, caller, { folder, properties, files, tags, linkTargets })
  writer.write(notes, (share) => onProgress(SHARE_OF_READING + share * (1 - SHARE_OF_READING)))
  for (const file of content.otherFiles) files.add(file, null)
  onProgress(1)
  return {
    counts: {
      notes: notes.length,
      tags: tags.created,
      properties: newProperties,
      files: files.count,
      links_rewritten: writer.linksRewritten,
    },
    changedCount: run.changed.count,
    changed: run.changed.first,
  }
}

/** The notes that are not refused, oldest first. Their properties are collected on the way. */
function readNotes(
  run: ImportRun,
  { folder, onProgress }: VaultImport,
  files: readonly FolderFile[],
  properties: VaultProperties,
): VaultNote[] {
  const notes: VaultNote[] = []
  for (const [at, file] of files.entries()) {
    run.try(file.path, () => {
      const note = readNote(run, folder, file)
      properties.refuseUnfit(note.properties)
      notes.push(note)
    })
    onProgress((at / files.length) * SHARE_OF_READING)
  }
  for (const note of notes) properties.collect(note.properties)
  return notes.sort((left, right) => left.createdAt - right.createdAt)
}
