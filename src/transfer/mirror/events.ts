import { type AppContext, wholeWorkspace } from '../../context.ts'
import type { RecordChange, RecordData, RecordState } from '../../lib/record-data.ts'
import type { MirroredChange } from '../../log/append-mirrored.ts'
import { changePayload } from '../../log/message.ts'
import { type Copy, instantOf } from '../../objects/copy.ts'
import type { StoredRecord } from '../../objects/records.ts'
import { dataOf, findRecord } from '../../records/rows/store.ts'
import { definitionOf, findStructureById } from '../../records/structures/store.ts'
import type { Stage } from './stage.ts'

/*
 * The feed contains the values that each change of a record replaced, and the current state of the record. Reverting
 * the changes one by one gives the record after each change, as a subscription would have sent it.
 */

interface Version {
  readonly entry: MirroredChange
  readonly before: RecordState | null
  readonly after: RecordState
}

/** Stores an event for every staged change of a record, in order, in the caller's transaction. */
export function addEvents(copy: Copy<Stage>): void {
  const { tx, stage } = copy
  const workspaceId: string = tx.sql.scalar('SELECT id FROM workspaces WHERE pk = ?', copy.workspacePk)
  const entries = [...stage.entries()].filter(({ kind }) => kind === 'record' || kind === 'structure')
  const structures = structuresOf(copy, entries)
  const ofRecords = entries.filter(({ kind }) => kind === 'record')
  const versions = new Map<MirroredChange, Version>()
  for (const [id, ofRecord] of Map.groupBy(ofRecords, (entry) => String(entry.id)))
    for (const version of versionsOf(copy, id, ofRecord)) versions.set(version.entry, version)
  for (const entry of ofRecords) {
    const version = versions.get(entry)
    const structure = structures.get(entry)
    const change = version && changeOf(version)
    if (!change || !structure) continue
    const event = { id: tx.newId(), type: `record.${change.kind}` }
    const head = { ...event, occurredAt: instantOf(entry.at), workspaceId, structure, source: SOURCE }
    tx.sql.run(
      'INSERT INTO mirror_events (id, type, record, body) VALUES (?, ?, ?, ?)',
      event.id,
      event.type,
      change.after.id,
      JSON.stringify(changePayload(head, change)),
    )
  }
}

interface NamedStructure {
  readonly id: string
  readonly name: string
}

/**
 * The structure of each entry, with its name at that time; none for a deleted structure, which has no subscriptions.
 */
function structuresOf(
  copy: Copy<Stage>,
  entries: readonly MirroredChange[],
): Map<MirroredChange, NamedStructure> {
  const names = new Map<string, string | undefined>()
  const structures = new Map<MirroredChange, NamedStructure>()
  for (const entry of entries.toReversed()) {
    const id = entry.structure_id ?? ''
    if (!names.has(id)) names.set(id, structureIn(copy, id)?.name)
    const name = names.get(id)
    if (name === undefined) continue
    structures.set(entry, { id, name })
    const isRenamed = entry.kind === 'structure' && entry.changed.includes('name')
    if (isRenamed) names.set(id, String(entry.previous.name))
  }
  return structures
}

/** A structure as it will be in the copy. */
function structureIn(
  { tx, workspacePk, stage }: Copy<Stage>,
  id: string,
): { readonly name: string; readonly fields: readonly { readonly key: string }[] } | undefined {
  const staged = stage.objectJson('structure', id)
  if (staged !== undefined) return staged === null ? undefined : JSON.parse(staged)
  const row = findStructureById(tx, wholeWorkspace(workspacePk), id)
  return row && { name: row.name, fields: definitionOf(row).fields }
}

const SOURCE = { surface: 'api', keyId: null } as const

const KINDS = { created: 'created', restored: 'created', updated: 'updated', deleted: 'deleted' } as const

/** Undefined for changes without an event: imports, and updates of omitted fields only. */
function changeOf({ entry, before, after }: Version): RecordChange | undefined {
  if (entry.op === 'purged') return undefined
  if (entry.op === 'created' && after.createdAt !== instantOf(entry.at)) return undefined
  if (entry.op === 'updated' && entry.changed.length === 0) return undefined
  return { kind: KINDS[entry.op], before, after, changed: entry.changed }
}

/** The record before and after each of its changes. */
function versionsOf(copy: Copy<Stage>, id: string, entries: readonly MirroredChange[]): Version[] {
  const { tx, stage } = copy
  const json = stage.objectJson('record', id)
  const final = json ? (JSON.parse(json) as StoredRecord) : undefined
  const deleted = stage.deletedRecord(id) as StoredRecord | undefined
  const row = findRecord(tx, id)
  const known = row && { createdAt: row.createdAt, updatedAt: row.updatedAt, data: dataOf(row) }
  const last = final ?? deleted
  const end = last?.data ?? known?.data
  if (!end) return []
  const order = structureIn(copy, entries[0]?.structure_id ?? '')?.fields.map(({ key }) => key) ?? []
  const data = dataAfterEach(entries, end, order)
  const createdAt = last ? instantOf(last.created_at) : (known?.createdAt ?? 0)
  let before: RecordState | null = known ? { id, ...known, deletedAt: null } : null
  return entries.map((entry, at) => {
    const isLast = at === entries.length - 1
    const instant = isLast && last ? instantOf(last.updated_at) : nextInstant(entry, before, createdAt)
    const isDeleted = entry.op === 'deleted'
    const state = {
      id,
      data: data[at] ?? end,
      createdAt,
      updatedAt: instant,
      deletedAt: isDeleted ? instant : null,
    }
    const version = {
      entry,
      before: entry.op === 'updated' ? withPrevious(before, state, entry, order) : before,
      after: state,
    }
    before = state
    return version
  })
}

const nextInstant = ({ op, at }: MirroredChange, before: RecordState | null, createdAt: number): number =>
  op === 'created' ? createdAt : Math.max(instantOf(at), (before?.updatedAt ?? 0) + 1)

/** Reverts the changes, beginning with the last one. */
function dataAfterEach(
  entries: readonly MirroredChange[],
  end: RecordData,
  order: readonly string[],
): RecordData[] {
  const versions: RecordData[] = []
  let data = end
  for (const entry of entries.toReversed()) {
    versions.unshift(data)
    if (entry.op === 'updated') data = revertChange(data, entry, order)
  }
  return versions
}

/** The data before an update, with keys in the order of the fields. */
function revertChange(
  after: RecordData,
  { changed, previous }: MirroredChange,
  order: readonly string[],
): RecordData {
  const data: RecordData = {}
  for (const key of order) {
    const value = changed.includes(key) ? previous[key] : Object.hasOwn(after, key) ? after[key] : undefined
    if (value !== undefined && value !== null) data[key] = value as RecordData[string]
  }
  return data
}

const withPrevious = (
  before: RecordState | null,
  after: RecordState,
  entry: MirroredChange,
  order: readonly string[],
): RecordState => ({ ...(before ?? after), data: revertChange(after.data, entry, order) })

/** An event in the format in which it is posted. */
export interface MirrorEvent {
  readonly pk: number
  readonly id: string
  readonly type: string
  readonly record: string
  readonly body: string
}

/** Posts an event; resolves to false without a response, so that the event must be posted again. */
export type PostEvent = (event: MirrorEvent) => Promise<boolean>

const RETRY_MS = 1_000

/**
 * Posts the stored events in order, each until it gets a response, and then deletes it. If the process is killed just
 * after a post, that event is posted again.
 */
export class Forwarding {
  #isRunning = false
  /** Cancels a pending retry, before which nothing is posted. */
  #stopRetry: (() => void) | undefined
  /** The last event with a response: it is not posted again even if its deletion failed. */
  #posted: number | undefined

  constructor(
    private readonly ctx: AppContext,
    private readonly post: PostEvent,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => this.#stopRetry?.())
  }

  notify(): void {
    if (this.#isRunning || this.#stopRetry || this.signal.aborted) return
    this.#isRunning = true
    this.#postAll().catch((error) => {
      this.ctx.log.warn('events cannot be posted', { error: String(error) })
      this.#tryLater()
    })
  }

  async #postAll(): Promise<void> {
    for (let event = this.#next(); event; event = this.#next()) {
      if (this.signal.aborted) return
      const { pk } = event
      if (pk !== this.#posted && !(await this.post(event))) return this.#tryLater()
      this.#posted = pk
      await this.ctx.db.write(({ sql }): void => {
        sql.run('DELETE FROM mirror_events WHERE pk = ?', pk)
      })
    }
    this.#isRunning = false
  }

  #tryLater(): void {
    this.#isRunning = false
    if (this.signal.aborted) return
    this.#stopRetry = this.ctx.clock.after(RETRY_MS, () => {
      this.#stopRetry = undefined
      this.notify()
    })
  }

  #next(): MirrorEvent | undefined {
    return this.ctx.db.sql.get<MirrorEvent>(
      'SELECT pk, id, type, record, body FROM mirror_events ORDER BY pk LIMIT 1',
    )
  }
}

/** Deletes the events of a mirror that no longer forwards them, so that they are not posted later. */
export const forgetEvents = ({ db }: Pick<AppContext, 'db'>): Promise<void> =>
  db.write(({ sql }): void => {
    sql.run('DELETE FROM mirror_events')
  })
