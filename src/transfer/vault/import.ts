import type { Caller } from '../../context.ts'
import { refused } from '../../lib/refusal.ts'
import { getPropertyRow, insertProperty, propertyKind } from '../../notes/properties/service.ts'
import { findNoteSummary } from '../../notes/store.ts'
import { optionsOf } from '../../notes/writing/properties.ts'
import type { Db } from '../../storage/database.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { type ImportMode, type ImportReport, type ImportRun, runImport } from '../import-run.ts'
import { EarlierImports, type ExistingNote, namedProgram, type PlannedNote } from './earlier-imports.ts'
import {
  type FolderContent,
  NOT_UPDATED,
  readFolder,
  readNoteFile,
  sourceOf,
  VaultFiles,
  type VaultFolder,
  withoutProgramFiles,
} from './folder.ts'
import { importDatabases } from './notion-tables.ts'
import { DELETED } from './plan/files.ts'
import { LinkTargets } from './plan/link-targets.ts'
import type { VaultNote } from './plan/note.ts'
import { databasesIn, IS_COPY } from './plan/notion-databases.ts'
import { PropertyPlan } from './plan/properties.ts'
import type { Source, SourceName } from './plan/sources/source.ts'
import { recognizeVault } from './recognized.ts'
import { VaultTags } from './vault-tags.ts'
import { type VaultProperties, VaultWriter } from './write.ts'

export interface VaultImport extends ImportMode, VaultFolder {
  /**
   * The program by whose rules the notes are read; by default that of an earlier import of the folder, or else the one
   * that the files point to.
   */
  readonly as?: SourceName | undefined
  /** The database file; the folder may contain it. */
  readonly databaseFile: string
  /** Whether each note gets the path of its folder as a tag. */
  readonly foldersAsTags: boolean
  /** Whether to update objects of earlier imports whose files have changed, instead of refusing those files. */
  readonly updates: boolean
  /** Receives the completed fraction, from 0 to 1. */
  onProgress(done: number): void
  /** Receives everything that the import found, before it is committed. */
  onFound?(found: ReturnType<typeof importContent> & Pick<ImportReport, 'refused'>): void
}

/**
 * Imports a folder of Markdown notes, such as an Obsidian vault, and the files in it, in one transaction. Every note is
 * read twice, so that only one body is in memory at a time.
 */
export function importVault(db: Db, caller: Caller, request: VaultImport) {
  const found = readFolder(request, request.databaseFile)
  const as = request.as ?? namedProgram(db, caller, found.root)
  const source = sourceOf(found, as)
  const content = withoutProgramFiles(found, source)
  if (content.notes.length === 0)
    throw refused(
      `The folder ${request.folder} holds neither a daybook.json, as an exported workspace does, nor Markdown notes.`,
    )
  return runImport(db, caller, request, (run) => {
    const outcome = importContent(run, { ...request, as }, { content, source })
    request.onFound?.({ ...outcome, refused: run.refused })
    return outcome
  })
}

const SHARE_OF_READING = 0.3

interface Folder {
  readonly content: FolderContent
  readonly source: Source
}

function importContent(run: ImportRun, request: VaultImport, { content, source }: Folder) {
  const { foldersAsTags, updates, onProgress } = request
  const { tx, caller } = run
  const folder = content.base
  const paths = new Set([...content.notes, ...content.otherFiles].map(({ path }) => path))
  const refusal = recognizeVault(tx, caller, content, updates)
  if (refusal) throw refusal
  const earlier = new EarlierImports(tx, caller, content.root, paths, request.as)
  run.refused.push(...content.unreadable)
  run.skipped.push(...content.skipped)
  const properties = propertiesOf(tx, caller)
  const planned = planNotes(run, request, { content, source, earlier, properties })
  const newProperties = defineNew(run, properties)
  const files = new VaultFiles(run, content, earlier, updates)
  const tags = new VaultTags(run, foldersAsTags)
  const notes = planned.map(({ note }) => note)
  const { databases, copies, others } = databasesIn(content.otherFiles, source)
  for (const { path } of copies) run.skipped.push({ place: path, reason: IS_COPY })
  const linkTargets = new LinkTargets(notes, others)
  const parts = { folder, updates, properties, files, tags, linkTargets, earlier }
  const writer = new VaultWriter(run, parts)
  writer.write(planned, (share) => onProgress(SHARE_OF_READING + share * (1 - SHARE_OF_READING)))
  for (const file of others) files.add(file, null)
  const tables = importDatabases(run, databases, {
    content,
    earlier,
    updates,
    pages: { notes, idOf: writer.idOf },
  })
  onProgress(1)
  const readAs = request.archive?.program ?? source.name
  return {
    /** The program by whose rules the notes were read; absent for any folder of Markdown files. */
    ...(readAs !== 'obsidian' && { read_as: readAs }),
    /** Counts only tags and properties that are new to the workspace. */
    counts: {
      notes: writer.created,
      updated_notes: writer.updated,
      tags: tags.created,
      properties: newProperties,
      files: files.added,
      updated_files: files.updated,
      ...(tables.structures > 0 && { structures: tables.structures, rows: tables.rows }),
      unchanged: planned.length - writer.created - writer.updated + files.unchanged + tables.unchanged,
      links_rewritten: writer.linksRewritten,
    },
    changed_count: run.changed.length,
    changed: run.changed,
    skipped: run.skipped,
    demoted: properties.demoted,
    /** The paths of previously imported files that are gone; their notes and files remain. */
    gone: earlier.listGone(tx),
  }
}

interface Known extends Folder {
  readonly earlier: EarlierImports
  readonly properties: VaultProperties
}

/**
 * Reads and plans the notes of a folder. Returns the notes that are not refused, oldest first, and collects their
 * properties.
 */
function planNotes(
  run: ImportRun,
  { updates, onProgress }: VaultImport,
  { content: { base, notes }, source, earlier, properties }: Known,
): PlannedNote[] {
  const planned: PlannedNote[] = []
  const planWritten = (note: VaultNote, existing?: ExistingNote) => {
    const { path } = note.file
    properties.refuseUnfit(note.properties)
    for (const what of note.remarks) run.change(path, what)
    if (existing && existing.earlier.path !== path)
      run.change(path, `it was "${existing.earlier.path}" before.`)
    planned.push({ note, existing })
  }
  const plan = (note: VaultNote) => {
    const { path } = note.file
    const known = earlier.find(path, note.digest)
    if (!known) return planWritten(note)
    const head = findNoteSummary(run.tx, run.caller.workspacePk, known.object)
    if (!head) return void run.skipped.push({ place: path, reason: DELETED })
    const hasChanged = known.digest !== note.digest || known.path !== path
    if (hasChanged && updates) return planWritten(note, { head, earlier: known, isUpdated: true })
    planned.push({ note, existing: { head, earlier: known, isUpdated: false } })
    if (hasChanged) throw refused(NOT_UPDATED)
  }
  for (const [at, file] of notes.entries()) {
    run.try(file.path, () => plan(readNoteFile(run.tx.now, base, file, source)))
    onProgress((at / notes.length) * SHARE_OF_READING)
  }
  for (const { note, existing } of planned)
    if (existing?.isUpdated !== false) properties.collect(note.properties, note.file.path)
  return planned.sort((left, right) => left.note.createdAt - right.note.createdAt)
}

const propertiesOf = (tx: Tx, { workspacePk }: Caller): VaultProperties =>
  new PropertyPlan(propertyKind.rows(tx, workspacePk), (rule) => optionsOf(tx, rule))

/** Defines the new properties. Returns their number. */
function defineNew({ tx, caller }: ImportRun, properties: VaultProperties): number {
  const added = properties.newProperties()
  for (const [name, { key, label, type }] of added) {
    insertProperty(tx, caller, { key, type, ...(label !== key && { label }) })
    properties.define(name, getPropertyRow(tx, caller, key))
  }
  return added.size
}
