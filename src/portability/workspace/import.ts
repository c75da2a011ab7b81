import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Caller } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import { refuseTooLarge } from '../../files/add.ts'
import { keepableJson } from '../../http/body.ts'
import { refused } from '../../refusal.ts'
import type { StructureRow } from '../../structures/store.ts'
import { type Attempts, type AttemptsReport, type ImportMode, importWhole } from '../import-run.ts'
import { linesOf, readText, textOf } from '../text-file.ts'
import { importFile } from './files.ts'
import { FILES, FORMAT, MANIFEST, NOTES, STRUCTURES, TRASH } from './layout.ts'
import { importNote } from './notes.ts'
import { type Kind, propertyKind, SAVED_KINDS } from './object-kinds.ts'
import { asObject, type Kept, type KeptTable, keepUpdatedAt } from './objects.ts'
import { importRow, importStructure } from './structures.ts'
import { importTag, importTagLinks, type TagIds } from './tags.ts'
import { importWebhook, type NewWebhookSecret } from './webhooks.ts'

export interface WorkspaceImport extends ImportMode {
  readonly folder: string
  onProgress(done: number): void
}

export interface WorkspaceOutcome {
  /** How many of each kind came in. */
  readonly counts: Record<string, number>
  readonly webhookSecrets: readonly NewWebhookSecret[]
}

/** Whether the folder was written by an export. */
export const isExport = (folder: string): boolean => isPlainFile(join(folder, MANIFEST))

/** Brings an exported workspace back, ids and times as they were, in one transaction and without events. */
export function importWorkspace(
  db: Db,
  caller: Caller,
  request: WorkspaceImport,
): Promise<WorkspaceOutcome & AttemptsReport> {
  refuseOtherFormat(request.folder)
  return importWhole(db, request, (attempts) => new WorkspaceReader(attempts, caller, request).run())
}

function refuseOtherFormat(folder: string): void {
  const { format } = asObject(jsonOf(join(folder, MANIFEST)))
  if (format === FORMAT) return
  throw refused(
    `The folder ${folder} is of format ${format}, and this program reads format ${FORMAT}; use a newer one.`,
  )
}

const jsonOf = (path: string): unknown => keepableJson(readText(path), basename(path))

/** A link may lead anywhere, also out of the folder: neither a file nor a folder is read through one. */
const statsOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })
const isPlainFile = (path: string) => statsOf(path)?.isFile() === true
const isPlainFolder = (path: string) => statsOf(path)?.isDirectory() === true

class WorkspaceReader {
  readonly #tags: TagIds = new Map()
  readonly #counts: Record<string, number> = {}
  readonly #kept: { table: KeptTable; kept: Kept }[] = []

  constructor(
    private readonly attempts: Attempts,
    private readonly caller: Caller,
    private readonly request: WorkspaceImport,
  ) {}

  run(): WorkspaceOutcome {
    const { tx } = this.attempts
    this.#each('tags', (value) => importTag(tx, this.caller, value, this.#tags))
    this.#kind(propertyKind)
    const structures = this.#structures()
    this.#notes(NOTES, 'notes')
    this.#notes(TRASH, 'trashed_notes')
    this.#each('tags', (value) => importTagLinks(tx, this.caller, value, this.#tags))
    this.#files()
    for (const { path, row } of structures) this.#rows(path, row)
    for (const kind of SAVED_KINDS) this.#kind(kind)
    const webhookSecrets: NewWebhookSecret[] = []
    this.#each('webhooks', (value) => void webhookSecrets.push(importWebhook(tx, this.caller, value)))
    for (const { table, kept } of this.#kept) keepUpdatedAt(tx, table, kept)
    this.request.onProgress(1)
    return { counts: this.#counts, webhookSecrets }
  }

  #path(...parts: string[]): string {
    return join(this.request.folder, ...parts)
  }

  /** Every object of a file that holds a list of them. */
  #each(name: string, make: (value: unknown) => void): void {
    const path = this.#path(`${name}.json`)
    if (!isPlainFile(path)) return
    const list = jsonOf(path)
    if (!Array.isArray(list)) throw refused(`${path} must hold a list.`)
    let made = 0
    for (const [at, value] of list.entries()) {
      if (this.attempts.try(`${name}.json, entry ${at + 1}`, () => make(value))) made += 1
    }
    this.#counts[name] = made
  }

  #kind({ name, table, make }: Kind): void {
    this.#each(name, (value) => {
      const kept = make(this.attempts.tx, this.caller, value, this.#tags)
      if (table) this.#kept.push({ table, kept })
    })
  }

  /** The names of the plain files of a part of the folder, in an order that does not depend on the system. */
  #list(part: string, extension: string): string[] {
    if (!isPlainFolder(this.#path(part))) return []
    const names = readdirSync(this.#path(part)).filter((name) => name.endsWith(extension))
    return names.filter((name) => isPlainFile(this.#path(part, name))).sort()
  }

  /** What is read of every file of a part; one that cannot be read is refused alone. */
  #readEach<Content>(part: string, extension: string, read: (path: string) => Content) {
    return this.#list(part, extension).flatMap((name) => {
      const files: { name: string; content: Content }[] = []
      const path = this.#path(part, name)
      this.attempts.try(`${part}/${name}`, () => void files.push({ name, content: read(path) }))
      return files
    })
  }

  /** Definitions first, as rows may name each other; by age, which is the order in which they are listed. */
  #structures(): { path: string; row: StructureRow }[] {
    const made: { path: string; row: StructureRow }[] = []
    const files = this.#readEach(STRUCTURES, '.json', (path) => asObject(jsonOf(path)))
    for (const { name, content } of byAge(files)) {
      this.attempts.try(`${STRUCTURES}/${name}`, () => {
        const { kept, row } = importStructure(this.attempts.tx, this.caller, content)
        this.#kept.push({ table: 'structures', kept })
        made.push({ path: `${STRUCTURES}/${name}l`, row })
      })
    }
    this.#counts.structures = made.length
    return made
  }

  #rows(path: string, structure: StructureRow): void {
    if (!isPlainFile(this.#path(path))) return
    let number = 0
    let made = 0
    for (const line of linesOf(this.#path(path))) {
      number += 1
      if (line === '') continue
      const write = () => importRow(this.attempts.tx, structure, keepableJson(line, 'The line'))
      if (this.attempts.try(`${path}, line ${number}`, write)) made += 1
    }
    this.#counts.records = (this.#counts.records ?? 0) + made
  }

  #notes(part: string, counted: string): void {
    let made = 0
    const files = this.#readEach(part, '.md', headOf)
    for (const { name } of byAge(files)) {
      const write = () => importNote(this.attempts.tx, this.caller, readText(this.#path(part, name)))
      if (this.attempts.try(`${part}/${name}`, write)) made += 1
      this.request.onProgress(made / (files.length + 1))
    }
    this.#counts[counted] = made
  }

  #files(): void {
    const isThere = isPlainFolder(this.#path(FILES))
    const read = (stored: string): Uint8Array => {
      const path = this.#path(FILES, stored)
      if (!isThere || stored !== basename(stored) || !isPlainFile(path))
        throw refused(`"stored" names "${stored}", which is no file of the folder "${FILES}".`)
      refuseTooLarge(lstatSync(path).size)
      return readFileSync(path)
    }
    this.#each(FILES, (value) => importFile(this.attempts.tx, this.caller, value, read))
  }
}

interface Head {
  readonly id?: unknown
  readonly created_at?: unknown
}

/** Where a note stands among the others, without reading all of it. */
function headOf(path: string): Head {
  const [first] = textOf(path)
  const value = (key: string) => new RegExp(`^${key}: "(.*)"$`, 'm').exec(first?.text ?? '')?.[1]
  return { id: value('id'), created_at: value('created_at') }
}

/** Oldest first, those of one moment by id. */
function byAge<Item extends { readonly content: Head }>(items: Item[]): Item[] {
  const key = ({ content }: Item) => `${content.created_at} ${content.id}`
  return items.toSorted((left, right) => (key(left) < key(right) ? -1 : 1))
}
