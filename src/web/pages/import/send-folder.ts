import type { FolderFile } from '../../../transfer/vault/plan/files.ts'
import type { VaultNote } from '../../../transfer/vault/plan/note.ts'
import type { Original } from '../../../transfer/vault/plan/originals.ts'
import { withPropertyLinks } from '../../../transfer/vault/plan/property-links.ts'
import { api } from '../../data/api.ts'
import { isRetryable, Refused, request, retryDelayOf, Unreachable } from '../../data/request.ts'
import type { FileDigest } from './digests.ts'
import { type Imported, stateOf } from './earlier-import.ts'
import { bytesOf } from './folder.ts'
import type { NewNote, NoteHead } from './plan.ts'
import type { TablePreview } from './preview.ts'
import type { FolderToImport, NewFile, Remarks } from './read-folder.ts'
import type { Progress } from './run.ts'
import type { NewTable } from './tables.ts'
import { textsOf } from './texts.ts'

/** The request to create a note. */
export interface SentNote {
  readonly path: string
  readonly state: string
  readonly title: string
  readonly content: string
  readonly original: Original
  readonly alias: string | null
  readonly aliases: readonly string[] | undefined
  readonly tags: readonly string[]
  readonly properties: object
  readonly files: readonly string[]
  readonly created_at_ms: number
  readonly updated_at_ms: number
}

export interface SentFile {
  readonly path: string
  readonly state: string
  readonly file_name: string
  readonly created_at_ms: number
}

interface Refusal {
  readonly path: string
  readonly error: string
}

interface UndoResult {
  readonly notes: number
  readonly files: number
  readonly structures: number
  readonly tags: number
  readonly properties: number
  readonly kept: readonly Refusal[]
  readonly after: number | null
}

/** The maximum number of paths per request. */
const MAX_PATHS = 1_000

/** Statuses that reject a single note or file; any other one ends the import. */
const CONTENT_STATUSES: ReadonlySet<number> = new Set([400, 413])

export const isContentError = (error: unknown): error is Refused =>
  error instanceof Refused && CONTENT_STATUSES.has(error.status)

/** Whether the caller may import notes but not create tables. */
const isForbidden = (error: unknown): boolean => error instanceof Refused && error.status === 403

/** The requests of one import, which are retried while the server is unreachable or busy. Other errors are thrown. */
export class ImportCalls {
  constructor(
    private readonly folder: string,
    private readonly signal: AbortSignal,
    private readonly onWait: (isWaiting: boolean) => void,
  ) {}

  async #patiently<Result>(act: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        this.signal.throwIfAborted()
        const result = await act()
        this.onWait(false)
        return result
      } catch (error) {
        if (!(error instanceof Unreachable || isRetryable(error))) throw error
        this.onWait(true)
        await new Promise((resolve) => setTimeout(resolve, retryDelayOf(error)))
      }
    }
  }

  /** The notes and files of an earlier import, and the names of all notes. */
  imported(): Promise<{ now_ms: number; files: Imported[]; notes: NoteHead[] }> {
    const query = new URLSearchParams({ folder: this.folder })
    return this.#patiently(() => request('GET', `/app/api/import?${query}`, { isFresh: true }))
  }

  /** When and from where the folder was imported before under another name; null if it was not. */
  async earlier(files: readonly FileDigest[]): Promise<string | null> {
    if (files.length === 0) return null
    const body = { folder: this.folder, files }
    const { earlier } = await this.#patiently(() =>
      request<{ earlier: string | null }>('POST', '/app/api/import/recognize', { body }),
    )
    return earlier
  }

  /** The IDs of the existing or future notes and files of these paths. */
  async ids(paths: readonly string[]): Promise<Map<string, string>> {
    const known = new Map<string, string>()
    for (let from = 0; from < paths.length; from += MAX_PATHS) {
      const some = paths.slice(from, from + MAX_PATHS)
      const body = { folder: this.folder, paths: some }
      const { ids } = await this.#patiently(() =>
        request<{ ids: string[] }>('POST', '/app/api/import/ids', { body }),
      )
      for (const [at, path] of some.entries()) known.set(path, ids[at] ?? '')
    }
    return known
  }

  /** Creates notes and returns the rejected ones. */
  async notes(notes: readonly SentNote[]): Promise<readonly Refusal[]> {
    try {
      const body = { folder: this.folder, notes }
      const { refused } = await this.#patiently(() =>
        request<{ refused: Refusal[] }>('POST', '/app/api/import/notes', { body }),
      )
      return refused
    } catch (error) {
      if (!isContentError(error)) throw error
      const [only] = notes
      if (only && notes.length === 1) return [{ path: only.path, error: error.message }]
    }
    // The whole batch was rejected because of one note: sent one by one, the faulty one gets its own error.
    const refused: Refusal[] = []
    for (const note of notes) refused.push(...(await this.notes([note])))
    return refused
  }

  /** Stores a file, unless an earlier request whose response was lost has stored it. */
  async file(file: SentFile, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const query = new URLSearchParams({
      ...file,
      folder: this.folder,
      created_at_ms: String(file.created_at_ms),
    })
    try {
      await this.#patiently(() =>
        request('POST', `/app/api/import/files?${query}`, { body: new Blob([bytes]) }),
      )
    } catch (error) {
      if (!(error instanceof Refused && error.code === 'name_taken')) throw error
    }
  }

  /** The columns that a database would get, and its first rows. */
  previewTable(path: string, text: string): Promise<TablePreview> {
    const body = { path, text }
    return this.#patiently(() => request('POST', '/app/api/import/tables/preview', { body }))
  }

  /** Creates a table with its rows, unless an earlier request whose response was lost has. */
  async table({ file: { path }, state, text, mark }: NewTable): Promise<void> {
    const body = { folder: this.folder, path, state, text, mark }
    await this.#patiently(() => request('POST', '/app/api/import/tables', { body }))
  }

  /** Removes some of the objects that the import created; `after` continues after the last response. */
  undo(since_ms: number, after?: number) {
    const body = { folder: this.folder, since_ms, ...(after !== undefined && { after }) }
    return this.#patiently(() => request<UndoResult>('POST', '/app/api/import/undo', { body }))
  }

  properties = async () =>
    (await this.#patiently(() => api.get('/v1/properties', { isFresh: true }))).properties

  async defineProperty(body: { key: string; type: Property['type']; label?: string }): Promise<void> {
    try {
      await this.#patiently(() => api.post('/v1/properties', { body }))
    } catch (error) {
      if (!(error instanceof Refused && error.code === 'name_taken')) throw error
    }
  }
}

export type Property = Awaited<ReturnType<ImportCalls['properties']>>[number]

/** Limits of a batch of notes. The last note may exceed the number of characters. */
const BATCH_NOTES = 50
const BATCH_CHARACTERS = 400_000

/** A note with the text of its file. */
interface NoteWithText {
  readonly note: VaultNote
  readonly whole: string
}

interface Sending {
  readonly calls: ImportCalls
  readonly signal: AbortSignal
  readonly remarks: Remarks
  readonly foldersAsTags: boolean
  /** The time of the import. */
  readonly now: number
}

/**
 * Sends a folder in batches of notes: first the files to which the notes of a batch link, then the notes. Tables come
 * last, because their rows link to notes.
 */
export class FolderSender {
  #notes = 0
  #files = 0
  #links = 0
  #tables = 0
  /** The number of processed notes, files and tables, including rejected ones. */
  #done = 0
  readonly #unsent: Map<FolderFile, NewFile>

  constructor(
    private readonly folder: FolderToImport,
    private readonly options: Sending,
    private readonly report: (change: Partial<Progress>) => void,
  ) {
    this.#unsent = new Map(folder.files)
  }

  async send(): Promise<void> {
    let batch: NoteWithText[] = []
    let characters = 0
    for await (const { item, text } of textsOf(this.folder.notes)) {
      const note = this.#read(item.note, text)
      if (!note) continue
      batch.push(note)
      characters += note.whole.length
      if (batch.length < BATCH_NOTES && characters < BATCH_CHARACTERS) continue
      await this.#sendBatch(batch)
      batch = []
      characters = 0
    }
    if (batch.length > 0) await this.#sendBatch(batch)
    for (const file of this.#unsent.keys()) await this.#store(file)
    for (const table of this.folder.tables) await this.#createTable(table)
  }

  async #createTable(table: NewTable): Promise<void> {
    this.options.signal.throwIfAborted()
    try {
      await this.options.calls.table(table)
      this.#tables += 1
    } catch (error) {
      if (!isContentError(error) && !isForbidden(error)) throw error
      this.options.remarks.refuse(table.file.path, error)
    }
    this.#tell(1)
  }

  #read(note: VaultNote, text: () => { readonly text: string }): NoteWithText | undefined {
    this.options.signal.throwIfAborted()
    try {
      return { note, whole: text().text }
    } catch (error) {
      this.options.remarks.refuse(note.file.path, error)
      this.#tell(1)
      return undefined
    }
  }

  async #sendBatch(batch: readonly NoteWithText[]): Promise<void> {
    const planned = await this.#planAndStore(batch)
    const refused = await this.options.calls.notes(planned.map(({ note, made }) => this.#sent(note, made)))
    const isRefused = new Set(refused.map(({ path }) => path))
    for (const { path, error } of refused) this.options.remarks.refused.push({ place: path, what: error })
    for (const { note, made } of planned) {
      if (isRefused.has(note.file.path)) continue
      this.#notes += 1
      this.#links += made.original.links.length
      for (const what of made.remarks) this.options.remarks.change(note.file.path, what)
    }
    this.#tell(planned.length)
  }

  /** Plans notes and stores the files they link to. Plans again if a file could not be stored, so that nothing links to it. */
  async #planAndStore(batch: readonly NoteWithText[]) {
    for (;;) {
      const planned = batch.map(({ note, whole }) => ({
        note,
        made: this.folder.plan.newNote(note, whole, this.options.foldersAsTags),
      }))
      const files = planned.flatMap(({ made }) => made.files).filter((file) => this.#unsent.has(file))
      let areStored = true
      for (const file of files) areStored = (await this.#store(file)) && areStored
      if (areStored) return planned
    }
  }

  /** Returns whether the file is stored. */
  async #store(file: FolderFile): Promise<boolean> {
    const added = this.#unsent.get(file)
    if (!added) return true
    this.options.signal.throwIfAborted()
    this.#unsent.delete(file)
    try {
      const created_at_ms = Math.min(Math.max(file.modifiedAt, 0), this.options.now)
      const sent = { path: file.path, state: stateOf(file), file_name: added.fileName, created_at_ms }
      await this.options.calls.file(sent, await bytesOf(added.file))
      this.#files += 1
      return true
    } catch (error) {
      this.options.signal.throwIfAborted()
      if (error instanceof Refused && !isContentError(error)) throw error
      this.options.remarks.refuse(file.path, error)
      this.folder.plan.dropFile(file)
      return false
    } finally {
      this.#tell(1)
    }
  }

  #sent(note: VaultNote, { title, alias, aliases, content, original, tags, files }: NewNote): SentNote {
    const { plan, properties } = this.folder
    const values = withPropertyLinks(plan, note, properties.valuesOf(note.properties))
    return {
      path: note.file.path,
      state: note.digest,
      title,
      content,
      original,
      alias,
      aliases,
      tags,
      properties: Object.fromEntries(Array.from(values, ([{ key }, value]) => [key, value])),
      files: files.flatMap((file) => this.folder.plan.idOf(file) ?? []),
      created_at_ms: note.createdAt,
      updated_at_ms: note.updatedAt,
    }
  }

  #tell(more: number): void {
    this.#done += more
    const { notes, files, tables } = this.folder
    const share = this.#done / (notes.length + files.size + tables.length)
    const counts = { notes: this.#notes, files: this.#files, links: this.#links, tables: this.#tables }
    this.report({ share, ...counts })
  }
}
