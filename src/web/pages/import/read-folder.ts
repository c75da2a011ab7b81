import { refuseTooLarge } from '../../../files/size-limit.ts'
import { folderOf } from '../../../lib/paths.ts'
import type { FolderFile } from '../../../transfer/vault/plan/files.ts'
import type { AddedFile } from '../../../transfer/vault/plan/links.ts'
import { fileNameFor, readNote, type VaultNote } from '../../../transfer/vault/plan/note.ts'
import { databasesIn, IS_COPY } from '../../../transfer/vault/plan/notion-databases.ts'
import { PropertyPlan } from '../../../transfer/vault/plan/properties.ts'
import type { Source } from '../../../transfer/vault/plan/sources/source.ts'
import { tagNameOf } from '../../../transfer/vault/plan/tags.ts'
import { EarlierImport, type Imported, reasonToSkip, stateOf } from './earlier-import.ts'
import type { Remark, SelectedFile, SelectedFolder } from './folder.ts'
import { FolderPlan, type NoteHead, NoteNames } from './plan.ts'
import { folderTree, type ImportPreview } from './preview.ts'
import type { ImportCalls, Property } from './send-folder.ts'
import { type NewTable, planTables } from './tables.ts'
import { textsOf } from './texts.ts'

/** Remarks on single files, shown at the end of an import. */
export class Remarks {
  readonly refused: Remark[] = []
  /** Files that are stored differently than in the folder. */
  readonly changed: Remark[] = []
  readonly skipped: Remark[]
  readonly #known = new Set<string>()

  constructor(skipped: readonly Remark[]) {
    this.skipped = [...skipped]
  }

  refuse(place: string, error: unknown): void {
    this.refused.push({ place, what: (error as Error).message })
  }

  /** Records a sentence once: notes are planned before the import starts, and again when they are sent. */
  change(place: string, what: string): void {
    const key = `${place}\n${what}`
    if (!this.#known.has(key)) this.changed.push({ place, what })
    this.#known.add(key)
  }

  skip(place: string, what: string): void {
    this.skipped.push({ place, what })
  }
}

/** A file to store, with its ID and name. */
export interface NewFile extends AddedFile {
  readonly file: SelectedFile
}

/** The plan for a folder. */
export interface FolderToImport {
  /** The notes to create, oldest first. */
  readonly notes: readonly { readonly note: VaultNote; readonly file: SelectedFile }[]
  readonly files: ReadonlyMap<FolderFile, NewFile>
  /** The databases to create as tables. */
  readonly tables: readonly NewTable[]
  readonly plan: FolderPlan
  readonly properties: PropertyPlan<Property>
  /** The number of properties that were defined. */
  readonly defined: number
  /** The number of notes, files and tables that an earlier import created. */
  readonly before: number
  /** The tag of its folder for each note in one, by the id of the note. */
  readonly folderTags: ReadonlyMap<string, string>
}

/** A note of the folder; `existing` is the note that an earlier import created. */
interface ReadNote {
  readonly note: VaultNote
  readonly file: SelectedFile
  readonly existing: NoteHead | undefined
}

export interface Reading {
  readonly folder: SelectedFolder
  readonly source: Source
  readonly calls: ImportCalls
  readonly signal: AbortSignal
  readonly remarks: Remarks
  readonly foldersAsTags: boolean
  /** Receives the fraction of files that are read. */
  onProgress(share: number): void
  /**
   * Called before anything is written, unless nothing is new, with the present time by the clock of the server; rejects
   * if the import is cancelled.
   */
  confirm(preview: ImportPreview, startedAt: number): Promise<void>
}

const optionsOf = ({ options }: Property) => ({
  has: (value: string) => options?.includes(value) ?? false,
  list: () => options ?? [],
})

/**
 * Reads a folder and plans its import with the same rules as the command line, including what an earlier import created.
 * Defines new properties, and reserves an ID for every new note and file.
 */
export async function readFolder(reading: Reading, now: number): Promise<FolderToImport> {
  const { folder, calls, remarks } = reading
  const { now_ms: startedAt, files: imported, notes: heads } = await calls.imported()
  const paths = new Set([...folder.notes, ...folder.otherFiles].map(({ path }) => path))
  const earlier = new EarlierImport(imported, paths)
  const names = new NoteNames(heads)
  const properties = new PropertyPlan(await calls.properties(), optionsOf)
  const read = await readNotes(reading, { earlier, names, properties }, now)
  const newNotes = read.filter(({ existing }) => !existing)
  /** The name in the preview and of the tag. */
  const folderName = (path: string) => reading.source.folderNameOf(folderOf(path))
  for (const { property, from, to, place } of properties.demoted)
    remarks.change(place, `the property "${property}" becomes ${to} instead of ${from}.`)
  const known = new Map<FolderFile, AddedFile>()
  const { databases, copies, others } = databasesIn(folder.otherFiles, reading.source)
  for (const { path } of copies) remarks.skip(path, IS_COPY)
  const { tables, files: unfit, before: oldTables } = await planTables(reading, databases, earlier)
  const otherFiles = [...others, ...unfit]
  const unsent = await planFiles(reading, otherFiles, earlier, known)
  remarks.skipped.push(...earlier.gone())
  if (newNotes.length + unsent.size + tables.length > 0) {
    const files = new Map([...known, ...withTrialIds(unsent)])
    await remarkOnNotes(reading, read, files, otherFiles, new NoteNames(heads))
    const preview = {
      program: reading.source.name,
      notes: newNotes.length,
      files: unsent.size,
      folders: folderTree({
        notes: newNotes.map(({ file }) => folderName(file.path)),
        files: [...unsent.keys()].map(({ path }) => folderName(path)),
      }),
      properties: [...properties.newProperties().values()],
      tables: tables.map(({ preview }) => preview),
    }
    await reading.confirm(preview, startedAt)
  }
  const defined = await defineNew(properties, calls)
  const ids = await calls.ids([...newNotes.map(({ file }) => file), ...unsent.keys()].map(({ path }) => path))
  const idOf = ({ path }: FolderFile) => ids.get(path) ?? ''
  const files = new Map<FolderFile, NewFile>()
  for (const [file, fileName] of unsent) files.set(file, { id: idOf(file), fileName, file })
  const plan = new FolderPlan(
    read.map(({ note, file, existing }) => ({ note, existing, id: existing?.id ?? idOf(file) })),
    new Map([...known, ...files]),
    otherFiles,
    names,
    ({ file }, what) => remarks.change(file.path, what),
  )
  const before = read.length - newNotes.length + known.size + oldTables
  const folderTags = new Map(
    read.flatMap(({ file, existing }) => {
      const tag = tagNameOf(folderName(file.path))
      return tag === undefined ? [] : [[existing?.id ?? idOf(file), tag]]
    }),
  )
  return { notes: newNotes, files, tables, plan, properties, defined, before, folderTags }
}

/** An ID of the usual length, for plans that are not sent. */
const trialId = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`

const withTrialIds = (unsent: ReadonlyMap<SelectedFile, string>): Map<FolderFile, AddedFile> =>
  new Map(Array.from(unsent, ([file, fileName], at) => [file, { id: trialId(at), fileName }]))

/** Plans all new notes to find the parts that cannot be kept, before an ID is reserved. */
async function remarkOnNotes(
  { signal, remarks, foldersAsTags }: Reading,
  read: readonly ReadNote[],
  files: Map<FolderFile, AddedFile>,
  otherFiles: readonly SelectedFile[],
  names: NoteNames,
): Promise<void> {
  const plan = new FolderPlan(
    read.map(({ note, existing }, at) => ({ note, existing, id: existing?.id ?? trialId(files.size + at) })),
    files,
    otherFiles,
    names,
    ({ file }, what) => remarks.change(file.path, what),
  )
  for await (const { item, text } of textsOf(read.filter(({ existing }) => !existing))) {
    signal.throwIfAborted()
    try {
      const { remarks: found } = plan.newNote(item.note, text().text, foldersAsTags)
      for (const what of found) remarks.change(item.file.path, what)
    } catch {
      // The import reports files that can no longer be read.
    }
  }
}

interface Known {
  readonly earlier: EarlierImport
  readonly names: NoteNames
  readonly properties: PropertyPlan<Property>
}

/** Reads all notes except refused and deleted ones, oldest first, and collects their properties. */
async function readNotes(
  { folder: { notes }, source, signal, remarks, onProgress }: Reading,
  { earlier, names, properties }: Known,
  now: number,
): Promise<readonly ReadNote[]> {
  const read: ReadNote[] = []
  let done = 0
  for await (const { item, text } of textsOf(notes.map((file) => ({ file })))) {
    signal.throwIfAborted()
    const { file } = item
    try {
      const note = readNote({ file, ...text(), digest: stateOf(file) }, now, source)
      const made = earlier.find(file)
      const existing = made && existingOf(file, made, names, remarks)
      if (!made) {
        properties.refuseUnfit(note.properties)
        for (const what of note.remarks) remarks.change(file.path, what)
      }
      if (!made || existing) read.push({ note, file, existing })
    } catch (error) {
      remarks.refuse(file.path, error)
    }
    onProgress(++done / notes.length)
  }
  for (const { note, file, existing } of read) if (!existing) properties.collect(note.properties, file.path)
  return read.sort((left, right) => left.note.createdAt - right.note.createdAt)
}

/** The note that an earlier import created from a file; undefined if it was deleted. */
function existingOf(
  file: SelectedFile,
  made: Imported,
  names: NoteNames,
  remarks: Remarks,
): NoteHead | undefined {
  const reason = reasonToSkip(file, made)
  if (reason !== undefined) remarks.skip(file.path, reason)
  return names.withId(made.id)
}

/** Defines new properties and returns their number. */
async function defineNew(properties: PropertyPlan<Property>, calls: ImportCalls): Promise<number> {
  const added = properties.newProperties()
  if (added.size === 0) return 0
  for (const { key, label, type } of added.values())
    await calls.defineProperty({ key, type, ...(label !== key && { label }) })
  const rules = new Map((await calls.properties()).map((rule) => [rule.key, rule]))
  for (const [name, { key }] of added) {
    const rule = rules.get(key)
    if (rule) properties.define(name, rule)
  }
  return added.size
}

/** The files to store, with their new names. Adds stored files to `known`. */
async function planFiles(
  { signal, remarks }: Reading,
  otherFiles: readonly SelectedFile[],
  earlier: EarlierImport,
  known: Map<FolderFile, AddedFile>,
): Promise<ReadonlyMap<SelectedFile, string>> {
  const unsent = new Map<SelectedFile, string>()
  for (const file of otherFiles) {
    signal.throwIfAborted()
    const made = earlier.find(file)
    const reason = made && reasonToSkip(file, made)
    if (reason !== undefined) remarks.skip(file.path, reason)
    if (made?.name) known.set(file, { id: made.id, fileName: made.name })
    if (made) continue
    try {
      refuseTooLarge(file.bytes)
      unsent.set(
        file,
        fileNameFor(file, (what) => remarks.change(file.path, what)),
      )
    } catch (error) {
      remarks.refuse(file.path, error)
    }
  }
  return unsent
}
