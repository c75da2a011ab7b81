import { refuseTooLarge } from '../../../files/size-limit.ts'
import { idTime } from '../../../lib/ids.ts'
import { baseName, DELETED, type FolderFile } from '../../../transfer/vault/plan/files.ts'
import type { AddedFile } from '../../../transfer/vault/plan/links.ts'
import {
  decodeNote,
  fileNameFor,
  readNote,
  refuseLongFile,
  type VaultNote,
} from '../../../transfer/vault/plan/note.ts'
import { PropertyPlan } from '../../../transfer/vault/plan/properties.ts'
import type { Source } from '../../../transfer/vault/plan/sources/source.ts'
import { bytesOf, type Remark, type SelectedFile, type SelectedFolder } from './folder.ts'
import { FolderPlan, type NoteHead, NoteNames } from './plan.ts'
import { folderTree, type ImportPreview } from './preview.ts'
import type { ImportCalls, Property } from './send-folder.ts'

/** Remarks on single files, shown at the end of an import. */
export class Remarks {
  readonly refused: Remark[] = []
  /** Files that are stored differently than in the folder. */
  readonly changed: Remark[] = []
  readonly skipped: Remark[]

  constructor(skipped: readonly Remark[]) {
    this.skipped = [...skipped]
  }

  refuse(place: string, error: unknown): void {
    this.refused.push({ place, what: (error as Error).message })
  }

  change(place: string, what: string): void {
    this.changed.push({ place, what })
  }

  skip(place: string, what: string): void {
    this.skipped.push({ place, what })
  }
}

/** The note or file that an earlier import of the folder created. */
export interface Imported {
  readonly path: string
  readonly state: string
  readonly id: string
  /** The title of the note or the name of the file; null if it was deleted. */
  readonly name: string | null
}

/** Distinguishes versions of a file. */
export const stateOf = ({ bytes, modifiedAt }: FolderFile): string => `${bytes}-${modifiedAt}`

const CHANGED =
  'it has changed since its import; the imported version stays as it is. To import everything again, rename the folder.'

/** Finds the earlier import of a file by its path, or of a moved file by its name, size and time. */
class EarlierImport {
  readonly #byPath = new Map<string, Imported>()
  /** Imports whose file is no longer in the folder. */
  readonly #gone = new Map<string, Imported>()

  constructor(imported: readonly Imported[], current: ReadonlySet<string>) {
    for (const one of imported)
      if (current.has(one.path)) this.#byPath.set(one.path, one)
      else this.#gone.set(`${one.state} ${baseName(one.path)}`, one)
  }

  find(file: FolderFile): Imported | undefined {
    const known = this.#byPath.get(file.path)
    if (known) return known
    const key = `${stateOf(file)} ${baseName(file.path)}`
    const moved = this.#gone.get(key)
    this.#gone.delete(key)
    return moved
  }

  /** Files that were removed from the folder while their note or file still exists. */
  gone(): Remark[] {
    return [...this.#gone.values()]
      .filter(({ name }) => name !== null)
      .map(({ path }) => ({
        place: path,
        what: 'it is no longer in the folder; its imported note or file stays.',
      }))
  }
}

/** Why an earlier imported file is skipped with a remark; undefined if it is unchanged. */
function reasonToSkip(file: FolderFile, { path, state, name }: Imported): string | undefined {
  if (name === null) return DELETED
  if (path !== file.path) return `it was imported as “${path}”; the imported version stays as it is.`
  return state === stateOf(file) ? undefined : CHANGED
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
  readonly plan: FolderPlan
  readonly properties: PropertyPlan<Property>
  /** The number of properties that were defined. */
  readonly defined: number
  /** When the first ID of the new notes and files was reserved. */
  readonly since: number
  /** The number of notes and files that an earlier import created. */
  readonly before: number
}

/** A note of the folder; `existing` is the note that an earlier import created. */
interface ReadNote {
  readonly note: VaultNote
  readonly file: SelectedFile
  readonly existing: NoteHead | undefined
}

interface Reading {
  readonly folder: SelectedFolder
  readonly source: Source
  readonly calls: ImportCalls
  readonly signal: AbortSignal
  readonly remarks: Remarks
  /** Receives the fraction of files that are read. */
  onProgress(share: number): void
  /** Called before anything is written, unless nothing is new; rejects if the import is cancelled. */
  confirm(preview: ImportPreview): Promise<void>
}

type Decoded = ReturnType<typeof decodeNote>

/** Decodes a note's file. Throws if it is too large or not text. */
async function textOf(file: SelectedFile): Promise<Decoded> {
  refuseLongFile(file)
  return decodeNote(await bytesOf(file), file)
}

/** The number of files read at once, because browsers open each file slowly. */
const FILES_AT_ONCE = 32

/** The texts of files, in order; `text` throws if the file cannot be read. */
export async function* textsOf<Item extends { readonly file: SelectedFile }>(
  items: readonly Item[],
): AsyncGenerator<{ readonly item: Item; text(): Decoded }> {
  for (let from = 0; from < items.length; from += FILES_AT_ONCE) {
    const some = items.slice(from, from + FILES_AT_ONCE)
    const read = await Promise.allSettled(some.map(({ file }) => textOf(file)))
    for (const [at, item] of some.entries()) {
      const result = read[at]
      const text = () => {
        if (result?.status === 'fulfilled') return result.value
        throw result?.reason
      }
      yield { item, text }
    }
  }
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
  const { files: imported, notes: heads } = await calls.imported()
  const paths = new Set([...folder.notes, ...folder.otherFiles].map(({ path }) => path))
  const earlier = new EarlierImport(imported, paths)
  const names = new NoteNames(heads)
  const properties = new PropertyPlan(await calls.properties(), optionsOf)
  const read = await readNotes(reading, { earlier, names, properties }, now)
  const newNotes = read.filter(({ existing }) => !existing)
  for (const { property, from, to, place } of properties.demoted)
    remarks.change(place, `the property "${property}" becomes ${to} instead of ${from}.`)
  const known = new Map<FolderFile, AddedFile>()
  const unsent = await planFiles(reading, earlier, known)
  remarks.skipped.push(...earlier.gone())
  if (newNotes.length + unsent.size > 0)
    await reading.confirm({
      program: reading.source.name,
      notes: newNotes.length,
      files: unsent.size,
      folders: folderTree({
        notes: newNotes.map(({ file }) => file.path),
        files: [...unsent.keys()].map(({ path }) => path),
      }),
      properties: [...properties.newProperties().values()],
    })
  const defined = await defineNew(properties, calls)
  const ids = await calls.ids([...newNotes.map(({ file }) => file), ...unsent.keys()].map(({ path }) => path))
  const idOf = ({ path }: FolderFile) => ids.get(path) ?? ''
  const files = new Map<FolderFile, NewFile>()
  for (const [file, fileName] of unsent) files.set(file, { id: idOf(file), fileName, file })
  const plan = new FolderPlan(
    read.map(({ note, file, existing }) => ({ note, existing, id: existing?.id ?? idOf(file) })),
    new Map([...known, ...files]),
    folder.otherFiles,
    names,
    ({ file }, what) => remarks.change(file.path, what),
  )
  const before = read.length - newNotes.length + known.size
  const since = [...ids.values()].reduce((first, id) => Math.min(first, idTime(id)), now)
  return { notes: newNotes, files, plan, properties, defined, before, since }
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
  return read.sort((skippedEntries, right) => skippedEntries.note.createdAt - right.note.createdAt)
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
  { folder, signal, remarks }: Reading,
  earlier: EarlierImport,
  known: Map<FolderFile, AddedFile>,
): Promise<ReadonlyMap<SelectedFile, string>> {
  const unsent = new Map<SelectedFile, string>()
  for (const file of folder.otherFiles) {
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
