import type { Static } from '@sinclair/typebox'
import type { ServerEvent } from '../../clients/types/connection.ts'
import { readCa, readKey, readSecret } from '../../config.ts'
import { secretError } from '../../events/delivery/verify-signature.ts'
import { systemClock } from '../../lib/clock.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { createIdSource } from '../../lib/ids.ts'
import { changedKeys, type RecordData, valueIn } from '../../lib/record-data.ts'
import { newSecret } from '../../log/message.ts'
import type { RecordObject } from '../../records/rows/schema.ts'
import { checkedBaseUrl, type Input, textFlag, WrongUsage } from '../command.ts'
import type { Io } from '../io.ts'
import { LAST_MESSAGES_MS } from '../run-until-signal.ts'
import { fetchWorkspaceId, recordExists, watchEvents } from './client.ts'
import { createForwarder, eventPayload, type Forwarder, outcomeText } from './forward.ts'

type Settings = ReturnType<typeof readSettings>

/** The forwarder that the flags request, with a new secret unless one is given. */
export function readForwarder(input: Input, io: Io): Forwarder | undefined {
  const url = textFlag(input, 'forward')
  const given = readSecret(io.env, input.flags)
  const fault = given === undefined ? undefined : secretError(given)
  if (fault !== undefined) throw new WrongUsage(fault)
  if (url === undefined) return undefined
  const secret = given ?? newSecret()
  const forwarder = createForwarder(url, secret, systemClock)
  if (given === undefined) io.err(`The signing secret of this run is ${secret}\n`)
  return forwarder
}

function readSettings(input: Input, io: Io) {
  const url = checkedBaseUrl(textFlag(input, 'url') ?? '')
  const key = readKey(io.env, input.flags)
  const isPrinting = input.flags.print === true
  if (key === undefined) throw new WrongUsage('"listen" needs --key <key>, or DAYBOOK_KEY.')
  if (!/^[\x21-\x7e]+$/.test(key)) throw new WrongUsage('--key must be an API key, such as dbk_….')
  const forwarder = readForwarder(input, io)
  if (!forwarder && !isPrinting) throw new WrongUsage('"listen" needs --forward <url>, --print or both.')
  const ca = readCa(io.env, input.flags)
  return { daybook: { url, key, ca }, structure: textFlag(input, 'structure') ?? '', forwarder, isPrinting }
}

/** Watches one structure and delivers its changes one by one, in the order in which they were seen. */
class Listener {
  readonly #detector = new ChangeDetector()
  readonly #newId = createIdSource()
  #structure: string
  #delivered: Promise<void> = Promise.resolve()

  constructor(
    private readonly settings: Settings,
    private readonly workspaceId: string,
    private readonly io: Io,
    private readonly signal: AbortSignal,
  ) {
    this.#structure = settings.structure
  }

  /** Names the structure as the user did until the first answer, then by its id, which a rename does not change. */
  watchQuery(): object {
    return { structure: this.#structure, sort: 'updated_at', limit: PAGE_LIMIT, changes: true }
  }

  /** Handles one event of the stream. Its changes are delivered later, so that the stream is read without a pause. */
  handle({ event, data }: ServerEvent): void {
    if (event === 'answer') this.#handleAnswer(JSON.parse(data) as WatchAnswer)
    if (event !== 'problem') return
    const { error } = JSON.parse(data) as { error: string }
    this.io.err(`Problem: ${error}\n`)
  }

  /** Resolves when every change seen so far has been delivered. */
  finish(): Promise<void> {
    return this.#delivered
  }

  #handleAnswer(answer: WatchAnswer): void {
    this.#structure = answer.structure.id
    const found = this.#detector.detect(answer)
    if (found.mayHaveMissed) {
      this.io.err(
        `At least ${PAGE_LIMIT} rows changed at once; any beyond the newest ${PAGE_LIMIT} were missed.\n`,
      )
    }
    this.#delivered = this.#delivered
      .then(() => this.#deliverAll(found, answer))
      .catch((error: unknown) => this.#reportFailure(error))
  }

  async #deliverAll({ changes, removed }: PageChanges, answer: WatchAnswer): Promise<void> {
    for (const change of changes) await this.#deliver(change, answer)
    for (const record of removed) {
      if (this.signal.aborted || (await this.#exists(record, answer))) continue
      await this.#deliver(this.#detector.deletionOf(record, systemClock.now()), answer)
    }
  }

  #reportFailure(error: unknown): void {
    if (!this.signal.aborted) this.io.err(`A change could not be delivered: ${(error as Error).message}\n`)
  }

  /** A row that left the page may only have been pushed out of it. */
  #exists({ id: recordId }: ApiRecord, { structure }: WatchAnswer): Promise<boolean> {
    const options = { clock: systemClock, signal: this.signal }
    return recordExists(this.settings.daybook, { structureId: structure.id, recordId }, options)
  }

  async #deliver(change: Change, { structure }: WatchAnswer): Promise<void> {
    if (this.signal.aborted) return
    const id = this.#newId(systemClock.now())
    const body = JSON.stringify(eventPayload(change, { id, workspaceId: this.workspaceId, structure }))
    if (this.settings.isPrinting) this.io.out(`${body}\n`)
    const outcome = await this.settings.forwarder?.send({ id, type: change.type, body })
    if (outcome !== undefined) this.io.err(`${change.type} ${change.record.id}: ${outcomeText(outcome)}\n`)
  }
}

async function listenUntil(signal: AbortSignal, settings: Settings, io: Io): Promise<void> {
  const { daybook, structure } = settings
  const listener = new Listener(settings, await fetchWorkspaceId(daybook, signal), io, signal)
  let greeting: string | undefined = `Listening to "${structure}" of ${daybook.url}.\n`
  const onBreak = (sentence: string) => {
    io.err(`${sentence} Reconnecting.\n`)
    greeting ??= 'Listening again.\n'
  }
  const query = () => listener.watchQuery()
  try {
    for await (const event of watchEvents({ daybook, query, clock: systemClock, signal, onBreak })) {
      listener.handle(event)
      if (greeting !== undefined) io.err(greeting)
      greeting = undefined
    }
  } finally {
    await listener.finish()
  }
}

/** Delivers the changes of a structure until the process is asked to end. */
export async function listen(input: Input, io: Io): Promise<number> {
  const settings = readSettings(input, io)
  const stop = new AbortController()
  stop.signal.addEventListener('abort', () => settings.forwarder?.close())
  void io.untilSignal().then(() => stop.abort())
  try {
    await listenUntil(stop.signal, settings, io)
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    stop.abort()
    io.endWithin(LAST_MESSAGES_MS)
  }
  return 0
}

/** A record as the API returns it. */
type ApiRecord = Static<typeof RecordObject> & { readonly data: RecordData }

/** The data of an `answer` event of a watch stream. */
export interface WatchAnswer {
  readonly structure: { readonly id: string; readonly name: string }
  readonly records: readonly ApiRecord[]
  readonly has_more: boolean
  readonly changes?: {
    readonly created: readonly ApiRecord[]
    readonly updated: readonly ApiRecord[]
    readonly removed: readonly string[]
  }
}

/** A change of one record, as far as it can be derived from a watch. */
export interface Change {
  readonly type: 'record.created' | 'record.updated' | 'record.deleted'
  readonly record: ApiRecord
  readonly changed: readonly string[]
  readonly previous: Readonly<Record<string, unknown>>
}

/** The changes of one `answer`. */
interface PageChanges {
  /** Created and updated records, oldest change first. */
  readonly changes: readonly Change[]
  /** Records that left the page, in their last known state: deleted, or pushed out by newer ones. */
  readonly removed: readonly ApiRecord[]
  /** The whole page changed, so further changed rows may have been pushed out of it unseen. */
  readonly mayHaveMissed: boolean
}

const PAGE_LIMIT = 500
const MAX_KNOWN_RECORDS = 20_000

function differences(before: ApiRecord, { data }: ApiRecord): Pick<Change, 'changed' | 'previous'> {
  const changed = changedKeys(before.data, data)
  const previous = changed.map((key) => [key, valueIn(before.data, key) ?? null])
  return { changed, previous: Object.fromEntries(previous) }
}

/** Compares two pages, for an `answer` that does not list its changes. */
function comparePages(before: readonly ApiRecord[], records: readonly ApiRecord[]) {
  const old = new Map(before.map((record) => [record.id, record]))
  const ids = new Set(records.map(({ id }) => id))
  return {
    created: records.filter(({ id }) => !old.has(id)),
    updated: records.filter(({ id, updated_at }) => (old.get(id)?.updated_at ?? updated_at) !== updated_at),
    removed: before.filter(({ id }) => !ids.has(id)).map(({ id }) => id),
  }
}

/** Derives changes from successive answers of a watch that is sorted by `updated_at`, newest first. */
class ChangeDetector {
  #page: WatchAnswer | undefined
  /** The last state of each record, deleted ones included, the least recently seen first. */
  readonly #known = new Map<string, ApiRecord>()

  /** The first answer is the starting point and contains no changes. */
  detect(answer: WatchAnswer): PageChanges {
    const before = this.#page
    this.#page = answer
    const moves = before && (answer.changes ?? comparePages(before.records, answer.records))
    const arrived = [...(moves?.created ?? []), ...(moves?.updated ?? [])].sort(byUpdate)
    const removed = (moves?.removed ?? []).flatMap((id) => this.#known.get(id) ?? [])
    const changes = before ? arrived.flatMap((record) => this.#changeTo(record, before) ?? []) : []
    for (const record of answer.records) this.#save(record)
    return { changes, removed, mayHaveMissed: answer.has_more && changes.length >= PAGE_LIMIT }
  }

  /** The deletion of a record that left the page and no longer exists. Like any change it advances `updated_at`. */
  deletionOf(record: ApiRecord, nowMs: number): Change {
    const instant = isoTimestamp(Math.max(nowMs, Date.parse(record.updated_at) + 1))
    const deleted = { ...record, updated_at: instant, deleted_at: instant }
    this.#save(deleted)
    return { type: 'record.deleted', record: deleted, changed: [], previous: {} }
  }

  /** Undefined for a row that only moved up because others left the page. */
  #changeTo(record: ApiRecord, before: WatchAnswer): Change | undefined {
    // Rows last changed at or before this instant may have been beyond the previous page, unseen.
    const horizon = before.has_more ? (before.records.at(-1)?.updated_at ?? '') : ''
    const known = this.#known.get(record.id)
    if (record.updated_at <= horizon || known?.updated_at === record.updated_at) return undefined
    if (known?.deleted_at === null) return { type: 'record.updated', record, ...differences(known, record) }
    const isNew = known !== undefined || record.created_at > horizon
    return { type: isNew ? 'record.created' : 'record.updated', record, changed: [], previous: {} }
  }

  #save(record: ApiRecord): void {
    this.#known.delete(record.id)
    this.#known.set(record.id, record)
    if (this.#known.size <= MAX_KNOWN_RECORDS) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
  }
}

/** Records of one instant are ordered by id, which grows with time. */
const updateKey = ({ updated_at, id }: ApiRecord) => updated_at + id

const byUpdate = (left: ApiRecord, right: ApiRecord): number => (updateKey(left) < updateKey(right) ? -1 : 1)
