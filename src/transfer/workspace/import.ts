import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Caller } from '../../context.ts'
import { refuseTooLarge } from '../../files/size-limit.ts'
import { Refusal, refused } from '../../lib/refusal.ts'
import { storableJson } from '../../lib/storable-json.ts'
import { asObject } from '../../objects/exported.ts'
import { importFile } from '../../objects/files.ts'
import type { ImportDestination, ObjectFile } from '../../objects/kind.ts'
import { NAMED_FILES, OBJECT_FILES } from '../../objects/kinds.ts'
import { importNote } from '../../objects/notes.ts'
import { importRows } from '../../objects/records.ts'
import { importStructure } from '../../objects/structures.ts'
import { importTagLinks, tags } from '../../objects/tags.ts'
import type { StructureRow } from '../../records/structures/store.ts'
import type { Db } from '../../storage/database.ts'
import { splitFrontMatter } from '../front-matter.ts'
import { type ImportMode, type ImportRun, runImport } from '../import-run.ts'
import { linesOf, readText, textChunks } from '../read-file.ts'
import { FILES, FORMAT, MANIFEST, NOTES, STRUCTURES, TRASH } from './format.ts'

export interface WorkspaceImport extends ImportMode {
  readonly folder: string
  onProgress(done: number): void
}

export const isExport = (folder: string): boolean => isPlainFile(join(folder, MANIFEST))

/** Imports an exported workspace with its ids and times, in one transaction and without events. */
export function importWorkspace(db: Db, caller: Caller, request: WorkspaceImport) {
  refuseOtherFormat(request.folder)
  return runImport(db, caller, request, (run) => new WorkspaceImporter(run, request).importAll())
}

function refuseOtherFormat(folder: string): void {
  const { format } = manifestOf(folder)
  if (format === FORMAT) return
  throw refused(
    `The folder ${folder} is of format ${format}, and this program reads format ${FORMAT}; use a newer one.`,
  )
}

/** A folder of notes may contain a file with the same name. */
function manifestOf(folder: string): Readonly<Record<string, unknown>> {
  try {
    const manifest = asObject(jsonOf(join(folder, MANIFEST)))
    if (typeof manifest.format === 'number') return manifest
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  throw refused(
    `${join(folder, MANIFEST)} is not that of an exported workspace: export again or, if this is a folder of notes, rename that file.`,
  )
}

const jsonOf = (path: string): unknown => storableJson(readText(path), basename(path))

/** Symbolic links are not followed: they may lead out of the folder. */
const statsOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })
const isPlainFile = (path: string) => statsOf(path)?.isFile() === true
const isPlainFolder = (path: string) => statsOf(path)?.isDirectory() === true

class WorkspaceImporter {
  readonly #counts: Record<string, number> = {}
  readonly #to: ImportDestination

  constructor(
    private readonly run: ImportRun,
    private readonly request: WorkspaceImport,
  ) {
    this.#to = { tx: run.tx, caller: run.caller, tags: new Map(), secrets: [], finish: [] }
  }

  importAll() {
    for (const kind of NAMED_FILES) this.#kind(kind)
    const imported = this.#structures()
    this.#notes(NOTES, 'notes', 0, 0.7)
    this.#notes(TRASH, 'trashed_notes', 0.7, 0.8)
    this.#each(tags.file.name, (value) => importTagLinks(this.#to, value))
    this.#files()
    for (const { path, row } of imported) this.#rows(path, row)
    for (const kind of OBJECT_FILES) this.#kind(kind)
    for (const finish of this.#to.finish) finish()
    this.request.onProgress(1)
    return { counts: this.#counts, webhookSecrets: this.#to.secrets }
  }

  #path(...parts: string[]): string {
    return join(this.request.folder, ...parts)
  }

  /** Creates every object of a JSON file. */
  #each(name: string, create: (value: unknown) => void): void {
    const path = this.#path(`${name}.json`)
    if (!isPlainFile(path)) return
    const list = jsonOf(path)
    if (!Array.isArray(list)) throw refused(`${path} must hold a list.`)
    let created = 0
    for (const [at, value] of list.entries()) {
      if (this.run.try(`${name}.json, entry ${at + 1}`, () => create(value))) created += 1
    }
    this.#counts[name] = created
  }

  #kind = ({ name, create }: ObjectFile): void => this.#each(name, (value) => create(this.#to, value))

  /** The names of the plain files in a subfolder, sorted. */
  #list(subfolder: string, extension: string): string[] {
    if (!isPlainFolder(this.#path(subfolder))) return []
    const names = readdirSync(this.#path(subfolder)).filter((name) => name.endsWith(extension))
    return names.filter((name) => isPlainFile(this.#path(subfolder, name))).sort()
  }

  /** Reads every file of a subfolder. A file that cannot be read is refused; the others are returned. */
  #readEach<Content>(subfolder: string, extension: string, read: (path: string) => Content) {
    return this.#list(subfolder, extension).flatMap((name) => {
      const files: { name: string; content: Content }[] = []
      const path = this.#path(subfolder, name)
      this.run.try(`${subfolder}/${name}`, () => void files.push({ name, content: read(path) }))
      return files
    })
  }

  /** All definitions come before any row, because rows may refer to each other. Oldest first, in listing order. */
  #structures(): { path: string; row: StructureRow }[] {
    const imported: { path: string; row: StructureRow }[] = []
    const files = this.#readEach(STRUCTURES, '.json', (path) => asObject(jsonOf(path)))
    for (const { name, content } of byAge(files)) {
      this.run.try(`${STRUCTURES}/${name}`, () => {
        const row = importStructure(this.run.tx, this.run.caller, content)
        imported.push({ path: `${STRUCTURES}/${name}l`, row })
      })
    }
    this.#counts.structures = imported.length
    return imported
  }

  #rows(path: string, structure: StructureRow): void {
    if (!isPlainFile(this.#path(path))) return
    const { tx, caller } = this.run
    let created = 0
    for (const lines of inBatches(numberedLines(this.#path(path)))) {
      const placeOf = ({ number }: Line) => `${path}, line ${number}`
      created += this.run.tryEach(lines, placeOf, (some) =>
        importRows(
          tx,
          caller,
          structure,
          some.map(({ line }) => storableJson(line, 'The line')),
        ),
      )
    }
    this.#counts.records = (this.#counts.records ?? 0) + created
  }

  /** Progress advances from `from` to `to`. */
  #notes(subfolder: string, countName: string, from: number, to: number): void {
    let created = 0
    const files = this.#readEach(subfolder, '.md', ageFieldsOf)
    for (const [at, { name }] of byAge(files).entries()) {
      const write = () => this.#note(this.#path(subfolder, name))
      if (this.run.try(`${subfolder}/${name}`, write)) created += 1
      this.request.onProgress(from + ((at + 1) / files.length) * (to - from))
    }
    this.#counts[countName] = created
  }

  #note(path: string): void {
    const { frontMatter, body } = splitFrontMatter(readText(path))
    if (!frontMatter) throw refused('it has no front matter; it must begin with a line of three dashes.')
    importNote(this.run.tx, this.run.caller, frontMatter, body)
  }

  #files(): void {
    const exists = isPlainFolder(this.#path(FILES))
    const read = (stored: string): Uint8Array => {
      const path = this.#path(FILES, stored)
      if (!exists || stored !== basename(stored) || !isPlainFile(path))
        throw refused(`"stored" names "${stored}", which is not a file of the folder "${FILES}".`)
      refuseTooLarge(lstatSync(path).size)
      return readFileSync(path)
    }
    this.#each(FILES, (value) => importFile(this.run.tx, this.run.caller, value, read))
  }
}

interface Line {
  readonly line: string
  readonly number: number
}

/** The non-empty lines of a file, with their numbers. */
function* numberedLines(path: string): Generator<Line> {
  let number = 0
  for (const line of linesOf(path)) {
    number += 1
    if (line !== '') yield { line, number }
  }
}

const LINES_AT_ONCE = 500
/** In characters. */
const LENGTH_AT_ONCE = 1_048_576

function* inBatches(lines: Iterable<Line>): Generator<readonly Line[]> {
  let batch: Line[] = []
  let length = 0
  for (const line of lines) {
    batch.push(line)
    length += line.line.length
    if (batch.length < LINES_AT_ONCE && length < LENGTH_AT_ONCE) continue
    yield batch
    batch = []
    length = 0
  }
  if (batch.length > 0) yield batch
}

interface AgeFields {
  readonly id?: unknown
  readonly created_at?: unknown
}

/** The sort keys of a note, read from the first chunk of the file. */
function ageFieldsOf(path: string): AgeFields {
  const [first] = textChunks(path)
  const value = (key: string) => new RegExp(`^${key}: "(.*)"$`, 'm').exec(first?.text ?? '')?.[1]
  return { id: value('id'), created_at: value('created_at') }
}

/** Oldest first; items of the same instant by id. */
function byAge<Item extends { readonly content: AgeFields }>(items: Item[]): Item[] {
  const key = ({ content }: Item) => `${content.created_at} ${content.id}`
  return items.toSorted((left, right) => (key(left) < key(right) ? -1 : 1))
}
