import { refuseTooLarge } from '../../../files/size-limit.ts'
import type { AddedFile } from '../../../portability/vault/plan/links.ts'
import {
  baseName,
  DELETED,
  decodeNote,
  type FolderFile,
  fileNameFor,
  readNote,
  refuseLongFile,
  type VaultNote,
} from '../../../portability/vault/plan/note.ts'
import { PropertyPlan } from '../../../portability/vault/plan/properties.ts'
import { bytesOf, type ChosenFile, type ChosenFolder, type Remark } from './folder.ts'
import { FolderPlan, type NoteHead, NoteNames } from './plan.ts'
import type { ImportCalls, Property } from './send-folder.ts'

/** What is to be said of single files of a folder at the end of an import. */
export class Remarks {
  readonly refused: Remark[] = []
  /** What is stored differently from how the folder has it. */
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

/** What an earlier import of the folder made of a file. */
export interface Imported {
  readonly path: string
  readonly state: string
  readonly id: string
  /** The title of the note or the name of the file; null where it is deleted. */
  readonly name: string | null
}

/** By which another version of a file is told from the one that was imported. */
export const stateOf = ({ bytes, modifiedAt }: FolderFile): string => `${bytes}-${modifiedAt}`

const CHANGED =
  'it was changed since it was imported; what was imported stays as it was. Rename the folder to import all of it again.'

/** Looks files up among those that were imported before, by path; one that was moved, by its name, size and time. */
class EarlierImport {
  readonly #byPath = new Map<string, Imported>()
  /** Those whose file is no longer in the folder. */
  readonly #gone = new Map<string, Imported>()

  constructor(imported: readonly Imported[], present: ReadonlySet<string>) {
    for (const one of imported)
      if (present.has(one.path)) this.#byPath.set(one.path, one)
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

  /** The files that are gone while what was made of them is still there. */
  gone(): Remark[] {
    return [...this.#gone.values()]
      .filter(({ name }) => name !== null)
      .map(({ path }) => ({
        place: path,
        what: 'the file no longer exists; its imported note or file stays.',
      }))
  }
}

/** Why a file that was imported before is left out; undefined for one that is as it was. */
function reasonToSkip(file: FolderFile, { path, state, name }: Imported): string | undefined {
  if (name === null) return DELETED
  if (path !== file.path) return `it was "${path}" when it was imported; what was imported from it stays.`
  return state === stateOf(file) ? undefined : CHANGED
}

/** A file that is to be stored, and as what. */
export interface NewFile extends AddedFile {
  readonly file: ChosenFile
}

/** What is to be made of a folder. */
export interface FolderToImport {
  /** The notes that are to be made, oldest first. */
  readonly notes: readonly { readonly note: VaultNote; readonly file: ChosenFile }[]
  readonly files: ReadonlyMap<FolderFile, NewFile>
  readonly plan: FolderPlan
  readonly properties: PropertyPlan<Property>
  /** How many properties were defined. */
  readonly defined: number
  /** How many notes and files an earlier import made. */
  readonly before: number
}

/** A note of the folder; `existing` is what an earlier import made of it. */
interface ReadNote {
  readonly note: VaultNote
  readonly file: ChosenFile
  readonly existing: NoteHead | undefined
}

interface Reading {
  readonly folder: ChosenFolder
  readonly calls: ImportCalls
  readonly signal: AbortSignal
  readonly remarks: Remarks
  /** Receives the share that is read, from 0 to 1. */
  onProgress(share: number): void
}

/** The text of a note's file. Refuses one that is too large or is not text. */
async function textOf(file: ChosenFile): Promise<string> {
  refuseLongFile(file)
  return decodeNote(await bytesOf(file), file)
}

/** Browsers take a while to open a file: this many are read at once. */
const AT_ONCE = 32

/** The texts of the files of notes in their order; `text` throws for one that cannot be read. */
export async function* textsOf<Item extends { readonly file: ChosenFile }>(
  items: readonly Item[],
): AsyncGenerator<{ readonly item: Item; text(): string }> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const some = items.slice(from, from + AT_ONCE)
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
 * Reads a folder and plans what becomes of it as the command line does, with what the server knows of an earlier import.
 * Defines the properties that are new, and has an id reserved for every new note and file.
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
    remarks.change(place, `the property "${property}" is ${to}, not ${from}.`)
  const defined = await defineNew(properties, calls)
  const known = new Map<FolderFile, AddedFile>()
  const unsent = await planFiles(reading, earlier, known)
  const ids = await calls.ids([...newNotes.map(({ file }) => file), ...unsent.keys()].map(({ path }) => path))
  const idOf = ({ path }: FolderFile) => ids.get(path) ?? ''
  const files = new Map<FolderFile, NewFile>()
  for (const [file, fileName] of unsent) files.set(file, { id: idOf(file), fileName, file })
  remarks.skipped.push(...earlier.gone())
  const plan = new FolderPlan(
    read.map(({ note, file, existing }) => ({ note, existing, id: existing?.id ?? idOf(file) })),
    new Map([...known, ...files]),
    folder.otherFiles,
    names,
    ({ file }, what) => remarks.change(file.path, what),
  )
  const before = read.length - newNotes.length + known.size
  return { notes: newNotes, files, plan, properties, defined, before }
}

interface Known {
  readonly earlier: EarlierImport
  readonly names: NoteNames
  readonly properties: PropertyPlan<Property>
}

/** The notes that are not refused, oldest first; deleted ones are left out. Their properties are collected on the way. */
async function readNotes(
  { folder: { notes }, signal, remarks, onProgress }: Reading,
  { earlier, names, properties }: Known,
  now: number,
): Promise<readonly ReadNote[]> {
  const read: ReadNote[] = []
  let done = 0
  for await (const { item, text } of textsOf(notes.map((file) => ({ file })))) {
    signal.throwIfAborted()
    const { file } = item
    try {
      const note = readNote({ file, text: text(), digest: stateOf(file) }, now)
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

/** The note that an earlier import made of a file; undefined when it is deleted. */
function existingOf(
  file: ChosenFile,
  made: Imported,
  names: NoteNames,
  remarks: Remarks,
): NoteHead | undefined {
  const reason = reasonToSkip(file, made)
  if (reason !== undefined) remarks.skip(file.path, reason)
  return names.withId(made.id)
}

/** Defines the properties that are new. Returns their number. */
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

/** The files that are to be stored, by the name that they get; those that are stored already are added to `known`. */
async function planFiles(
  { folder, signal, remarks }: Reading,
  earlier: EarlierImport,
  known: Map<FolderFile, AddedFile>,
): Promise<ReadonlyMap<ChosenFile, string>> {
  const unsent = new Map<ChosenFile, string>()
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
