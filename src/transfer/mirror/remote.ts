import type { Daybook } from '../../clients/types/connection.ts'
import { type RemoteDaybook, remoteDaybook } from '../../clients/types/remote.ts'
import type { Access } from '../../kernel/caller.ts'
import type { Clock } from '../../lib/clock.ts'
import { isId } from '../../lib/ids.ts'
import { isObject, type JsonObject } from '../../lib/json.ts'
import { refused } from '../../lib/refusal.ts'
import { ACCEPTED, streamOf } from '../../lib/response-stream.ts'
import { API_VERSION } from '../../lib/version.ts'
import {
  checkObject,
  completedObject,
  type RemoteChange,
  type RemoteObject,
  receivedChange,
  receivedLine,
  receivedObject,
  type SnapshotObject,
} from './remote-objects.ts'
import { linesIn, pagesIn, ResponseTooLarge, wholeText } from './response-bytes.ts'
import { CHARS_PER_REQUEST, isTextPart, TextRequests } from './text-requests.ts'
import { Unknown } from './unknown.ts'

/** A failure that may be temporary. */
export class RemoteUnreachable extends Error {}

/** The bytes of a file do not match its size: not every connection reports that it ended early. */
export class WrongSize extends RemoteUnreachable {}

/** The remote no longer has the changes after the cursor: the workspace must be copied again. */
export class CursorExpired extends Error {}

/** The remote refused a request with this `status`. */
export class RemoteRefusal extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence)
  }
}

/** A page of the feed, read from one state of the database. */
export interface ChangePage {
  readonly changes: readonly RemoteChange[]
  readonly unknown: Unknown
  readonly cursor: string
  readonly has_more: boolean
}

/** The remote workspace. */
export interface RemoteWorkspace {
  readonly id: string
  readonly name: string
  readonly created_at: string
}

/** A change of a record, as in its history. */
export type RecordVersion = Pick<RemoteChange, 'cursor' | 'at' | 'op' | 'changed' | 'previous'>

const SNAPSHOT = '/v1/changes/snapshot'
/** A response must deliver more bytes, or its end, within this time. */
const SLOWEST_MS = 60_000
const SLOWEST_BYTES = 65_536
/** A response that is held in memory must be complete within this time. */
const DEADLINE_MS = 600_000
const CHANGES_PER_PAGE = 1_000
/** This many of the longest objects fit into one response. */
const FEW_CHANGES = 8

interface RemoteOptions extends RemoteDaybook {
  readonly clock: Clock
  readonly signal: AbortSignal
}

interface Sent {
  readonly method?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The remote daybook, through its public API. */
export class Remote {
  readonly url: string
  readonly #client: Daybook
  #isOfThisVersion = true
  /** Requests an attribute that older remotes do not have: `edited_at` of notes. */
  #edited: { readonly edited?: 'true' } = {}

  constructor(private readonly options: RemoteOptions) {
    this.url = options.url
    this.#client = remoteDaybook(options, { decompress: false })
  }

  /** Refuses a remote whose API this program does not know; returns its workspace. */
  async connect(): Promise<RemoteWorkspace> {
    const document = (await this.#json('/openapi.json')) as {
      info?: { version?: unknown }
      paths?: Record<string, { get?: { parameters?: { name?: unknown }[] } }>
    } | null
    const version = String(document?.info?.version ?? '')
    checkVersion(this.url, version)
    this.#isOfThisVersion = version === API_VERSION
    if (document?.paths?.[SNAPSHOT] === undefined)
      throw refused(`${this.url} has no change feed, which a mirror needs; upgrade the remote.`)
    const { parameters } = document.paths[SNAPSHOT]?.get ?? {}
    this.#edited = parameters?.some(({ name }) => name === 'edited') ? { edited: 'true' } : {}
    const isWorkspace = ({ workspace }: JsonObject) =>
      isObject(workspace) && hasTexts(workspace, ['id', 'name', 'created_at'])
    return (await this.#answer<{ workspace: RemoteWorkspace }>('/v1/workspace', isWorkspace)).workspace
  }

  /** The access of the key; undefined for the whole workspace. */
  async access(): Promise<Access | undefined> {
    const isCaller = ({ access }: JsonObject) => access === undefined || isObject(access)
    return (await this.#answer<{ access?: Access }>('/v1/me', isCaller)).access
  }

  async structures(): Promise<RemoteObject[]> {
    const structures = await this.#list<RemoteObject>('/v1/records/structures', 'structures')
    const received = structures.flatMap(
      (object) => receivedObject({ kind: 'structure', structure_id: null, object }, new Unknown()) ?? [],
    )
    return received.map(({ object }) => completedObject('structure', object))
  }

  /** The changes after a cursor; without any, waits up to some seconds for one. */
  async changes(after: string, waitSeconds = 0): Promise<ChangePage> {
    try {
      return await this.#page(after, CHANGES_PER_PAGE, waitSeconds)
    } catch (error) {
      // One transaction may have changed hundreds of very long notes.
      if (error instanceof ResponseTooLarge) return this.#page(after, FEW_CHANGES, 0)
      throw error
    }
  }

  async #page(after: string, limit: number, waitSeconds: number): Promise<ChangePage> {
    const query = new URLSearchParams({
      after,
      limit: String(limit),
      include: 'objects',
      ...this.#edited,
      ...(waitSeconds > 0 && { wait: String(waitSeconds) }),
    })
    const page = await this.#answer<Omit<ChangePage, 'unknown'>>(`/v1/changes?${query}`, isChangePage)
    // The request would be repeated forever.
    if (page.has_more && page.cursor === after) throw notADaybook(this.url)
    const unknown = new Unknown()
    const changes = page.changes.flatMap(
      (change) => receivedChange(change, unknown, this.#isOfThisVersion) ?? [],
    )
    return { ...page, changes, unknown }
  }

  /**
   * The cursor of the snapshot, then its objects and the unknown parts of them. Throws RemoteUnreachable if it ends early.
   */
  async *snapshot(): AsyncGenerator<SnapshotObject | Unknown | { readonly cursor: string }> {
    let isComplete = false
    for await (const line of linesIn(
      this.#bytes(`${SNAPSHOT}?${new URLSearchParams(this.#edited)}`),
      SNAPSHOT,
    )) {
      const value = this.#parsed(line)
      if (!isObject(value)) throw notADaybook(this.url)
      if (value.end === true) isComplete = true
      else if (typeof value.cursor === 'string') yield { cursor: value.cursor }
      else if (isObject(value.object)) yield* receivedLine(value as unknown as SnapshotObject)
      else throw notADaybook(this.url)
    }
    if (!isComplete) throw new RemoteUnreachable('The snapshot ended early.')
  }

  /** The bytes of a file in chunks. Throws WrongSize if their number differs from the size. */
  async *fileContent({
    id,
    size,
  }: {
    readonly id: string
    readonly size: number
  }): AsyncGenerator<Uint8Array> {
    let bytes = 0
    for await (const chunk of this.#bytes(`/v1/files/${id}/content`)) {
      bytes += chunk.byteLength
      if (bytes > size) throw new WrongSize(`The file ${id} has ${size} bytes, but more arrived.`)
      yield chunk
    }
    if (bytes < size) throw new WrongSize(`The file ${id} has ${size} bytes, but only ${bytes} arrived.`)
  }

  /** The text of a file, page by page. */
  async *fileText(id: string, pages: number): AsyncGenerator<string> {
    const count = new TextRequests(id)
    for (let first = 1; first <= pages; ) {
      const part = await this.#fileText(id, first, pages)
      count.add(part.text)
      const texts = pagesIn(part, first)
      // A page may contain text that looks like the beginning of another page. Read alone it is unambiguous.
      if (!texts) count.addMistakable()
      const found = texts ?? [pagesIn(await this.#fileText(id, first, first), first)?.[0] ?? '']
      yield* found
      first += found.length
    }
  }

  #fileText(id: string, first: number, last: number): Promise<{ pages: string; text: string }> {
    const query = new URLSearchParams({ pages: `${first}-${last}`, max_chars: String(CHARS_PER_REQUEST) })
    return this.#answer(`/v1/files/${id}/text?${query}`, isTextPart)
  }

  async filesOfNote(id: string): Promise<readonly RemoteObject[]> {
    const files = await this.#list<RemoteObject>(`/v1/notes/${id}/files`, 'files')
    if (files.every(hasId)) return files
    throw notADaybook(this.url)
  }

  /** A live or recently deleted record; undefined for any other. */
  async findRecord(id: string, structureId: string): Promise<RemoteObject | undefined> {
    const query = new URLSearchParams({ structure: structureId, deleted: 'true', limit: '500' })
    const records = await this.#list<RemoteObject>(`/v1/records?${query}`, 'records')
    for (const record of records) checkObject('record', structureId, record)
    const deleted = records.find((record) => record.id === id)
    if (deleted) return completedObject('record', deleted)
    try {
      const isOne = ({ record }: JsonObject) => isObject(record)
      const { record } = await this.#answer<{ record: RemoteObject }>(`/v1/records/${id}`, isOne)
      checkObject('record', structureId, record)
      return completedObject('record', record)
    } catch (error) {
      if (error instanceof RemoteRefusal && error.status === 404) return undefined
      throw error
    }
  }

  /** The last versions of a record, newest first. */
  historyOf = (id: string) => this.#list<RecordVersion>(`/v1/records/${id}/history?limit=200`, 'versions')

  /**
   * Writes changes in one transaction, unless an earlier request already did. The remote refuses all or none. `body` is
   * JSON text.
   */
  async apply(body: string, idempotencyKey: string): Promise<{ readonly transaction: string | null }> {
    const headers = { 'Idempotency-Key': idempotencyKey }
    const path = '/v1/changes/apply'
    const text = await this.#text(path, { method: 'POST', body, headers })
    const response = this.#parsed(text)
    if (isObject(response) && isList(response.applied)) return response as { transaction: string | null }
    throw notADaybook(this.url)
  }

  /** Restores a deleted note or record; undefined if it was deleted permanently. */
  async restore(kind: 'note' | 'record', id: string): Promise<RemoteObject | undefined> {
    const path = kind === 'note' ? `/v1/notes/${id}/restore` : `/v1/records/${id}/restore`
    try {
      const response = this.#parsed(await this.#text(path, { method: 'POST' }))
      const restored = isObject(response) ? response[kind] : undefined
      if (isObject(restored) && hasTexts(restored, ['id', 'updated_at'])) return restored as RemoteObject
    } catch (error) {
      if (error instanceof RemoteRefusal && error.status === 404) return undefined
      throw error
    }
    throw notADaybook(this.url)
  }

  /** A proxy or a sign-in page may respond in place of the remote. */
  async #answer<Shape>(path: string, isShaped: (body: JsonObject) => boolean): Promise<Shape> {
    const body = await this.#json(path)
    if (isObject(body) && isShaped(body)) return body as Shape
    throw notADaybook(this.url)
  }

  /** The list that is a member of a response. */
  async #list<Item>(path: string, member: string): Promise<Item[]> {
    const body = await this.#answer<Record<string, Item[]>>(path, (found) => isList(found[member]))
    return body[member] ?? []
  }

  async #json(path: string): Promise<unknown> {
    return this.#parsed(await this.#text(path))
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw notADaybook(this.url)
    }
  }

  /** The whole response as text. */
  #text = (path: string, sent?: Sent): Promise<string> =>
    wholeText(this.#bytes(path, sent, DEADLINE_MS), path)

  /** The body of a response; it is cancelled if it stalls or exceeds its deadline. */
  async *#bytes(path: string, sent: Sent = {}, deadlineMs?: number): AsyncGenerator<Uint8Array> {
    const { clock } = this.options
    const given = new AbortController()
    const giveUp = () => given.abort()
    const stopDeadline = deadlineMs === undefined ? () => {} : clock.after(deadlineMs, giveUp)
    let stopTimer = clock.after(SLOWEST_MS, giveUp)
    let bytes = 0
    const signal = AbortSignal.any([this.options.signal, given.signal])
    let reader: ReturnType<typeof readerOf>
    try {
      const response = await this.#request(path, signal, sent)
      reader = readerOf(response)
      for (;;) {
        const chunk = await reader?.read().catch(() => this.#throwUnreachable('The connection broke.'))
        if (!chunk || chunk.done) return
        bytes += chunk.value.byteLength
        if (bytes >= SLOWEST_BYTES) {
          bytes = 0
          stopTimer()
          stopTimer = clock.after(SLOWEST_MS, giveUp)
        }
        yield chunk.value
      }
    } finally {
      stopTimer()
      stopDeadline()
      reader?.cancel().catch(() => {})
      // Stops the transfer of unread data.
      given.abort()
    }
  }

  async #request(
    path: string,
    signal: AbortSignal,
    { method = 'GET', headers, ...sent }: Sent,
  ): Promise<Response> {
    const response = await this.#client
      .send(method, path, { ...sent, headers: { ...headers, ...ACCEPTED }, signal })
      .catch((error: Error) =>
        this.#throwUnreachable(
          error instanceof DOMException ? `${this.url} does not answer (timeout).` : error.message,
        ),
      )
    if (response.ok) return response
    throw await failureIn(response, path)
  }

  #throwUnreachable(sentence: string): never {
    this.options.signal.throwIfAborted()
    throw new RemoteUnreachable(sentence)
  }
}

const notADaybook = (url: string) =>
  refused(`${url} does not respond as a daybook server; check the address, and any proxy in front of it.`)

const hasId = ({ id }: JsonObject): boolean => typeof id === 'string' && isId(id)

const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isObject)

const hasTexts = (object: JsonObject, names: readonly string[]): boolean =>
  names.every((name) => typeof object[name] === 'string')

const isChangePage = (page: JsonObject): boolean =>
  isList(page.changes) && typeof page.cursor === 'string' && typeof page.has_more === 'boolean'

const readerOf = (response: Response) => streamOf(response)?.getReader()

/**
 * The error for an unsuccessful response. Only a refusal in the format of daybook describes the remote: a proxy may
 * respond with 404 while the remote restarts.
 */
async function failureIn(response: Response, path: string): Promise<Error> {
  const { status, headers } = response
  if (headers.has('location'))
    return new RemoteRefusal(
      status,
      `The remote answered ${status}, a redirect; use the address of its target.`,
    )
  const body: unknown = await wholeText(streamOf(response) ?? [], path)
    .then(JSON.parse)
    .catch(() => undefined)
  if (!isObject(body) || !hasTexts(body, ['error', 'code']))
    return new RemoteUnreachable(`The remote answered ${status}, but not as a daybook server.`)
  const sentence = String(body.error)
  if (status === 410) return new CursorExpired(sentence)
  return status >= 500 || status === 429
    ? new RemoteUnreachable(sentence)
    : new RemoteRefusal(status, sentence)
}

/** A newer minor version only adds to the API. */
function checkVersion(url: string, version: string): void {
  const [, major] = /^(\d+)\.\d+\.\d+/.exec(version) ?? []
  if (major === undefined) throw notADaybook(url)
  const [own] = API_VERSION.split('.')
  if (major === own) return
  const which = Number(major) > Number(own) ? 'this daybook' : 'the remote'
  throw refused(
    `${url} has version ${version} of the API, and this daybook knows version ${API_VERSION}; upgrade ${which}.`,
  )
}
