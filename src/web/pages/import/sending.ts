import { api } from '../../data/api.ts'
import { Away, isPutOff, Refused, request, retryDelayOf } from '../../data/request.ts'
import type { Imported } from './earlier.ts'
import type { NoteHead } from './note-names.ts'

/** What the server reads of a note that it makes. */
export interface SentNote {
  readonly path: string
  readonly state: string
  readonly title: string
  readonly content: string
  readonly alias: string | null
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

/** The server takes this many paths at once. */
const PATHS = 1_000

/** Refusals of what was sent; any other one ends the import. */
const OF_CONTENT: ReadonlySet<number> = new Set([400, 413])

export const isOfContent = (error: unknown): error is Refused =>
  error instanceof Refused && OF_CONTENT.has(error.status)

/** The calls of one import. Each waits while the server is away or busy; a refusal is the caller's. */
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
        if (!(error instanceof Away || isPutOff(error))) throw error
        this.onWait(true)
        await new Promise((resolve) => setTimeout(resolve, retryDelayOf(error)))
      }
    }
  }

  /** What an earlier import made, and the names of all notes. */
  imported(): Promise<{ files: Imported[]; notes: NoteHead[] }> {
    const query = new URLSearchParams({ folder: this.folder })
    return this.#patiently(() => request('GET', `/app/api/import?${query}`, { isFresh: true }))
  }

  /** The ids of the notes and files that are, or will be, made of these paths. */
  async ids(paths: readonly string[]): Promise<Map<string, string>> {
    const known = new Map<string, string>()
    for (let from = 0; from < paths.length; from += PATHS) {
      const some = paths.slice(from, from + PATHS)
      const body = { folder: this.folder, paths: some }
      const { ids } = await this.#patiently(() =>
        request<{ ids: string[] }>('POST', '/app/api/import/ids', { body }),
      )
      for (const [at, path] of some.entries()) known.set(path, ids[at] ?? '')
    }
    return known
  }

  /** Makes notes; returns those that are refused. */
  async notes(notes: readonly SentNote[]): Promise<readonly Refusal[]> {
    try {
      const body = { folder: this.folder, notes }
      const { refused } = await this.#patiently(() =>
        request<{ refused: Refusal[] }>('POST', '/app/api/import/notes', { body }),
      )
      return refused
    } catch (error) {
      if (!isOfContent(error)) throw error
      const [only] = notes
      if (only && notes.length === 1) return [{ path: only.path, error: error.message }]
    }
    // One of them is not even read: each by itself says which.
    const refused: Refusal[] = []
    for (const note of notes) refused.push(...(await this.notes([note])))
    return refused
  }

  /** Stores a file, unless an earlier call, whose response was lost, has stored it. */
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
