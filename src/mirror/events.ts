import type { RecordChange } from '../changes/bus.ts'
import type { RecordData, RecordState } from '../changes/record-data.ts'
import { changePayload } from '../delivery/payload.ts'
import { dataOf, findRecord } from '../records/store.ts'
import { findStructureById } from '../structures/store.ts'
import { type CopyTransaction, instantOf } from './apply/copy-transaction.ts'
import type { StagedEntry } from './stage.ts'

/*
 * The feed says what each change of a record replaced, and how the record is now. Going back from there gives the
 * record after each change, as a subscription would have sent it.
 */

/** How a remote record is staged. */
interface StagedRecord {
  readonly id: string
  readonly data: RecordData
  readonly created_at: string
  readonly updated_at: string
}

interface Version {
  readonly entry: StagedEntry
  readonly before: RecordState | null
  readonly after: RecordState
}

/** Stores an event for every staged change of a record, in order, in the caller's transaction. */
export function addEvents(copy: CopyTransaction, workspaceId: string): void {
  const { tx, stage } = copy
  const entries = new Map<string, StagedEntry[]>()
  const renames: StagedEntry[] = []
  const all: StagedEntry[] = []
  for (const entry of stage.entries()) {
    if (entry.kind === 'structure' && entry.changed.includes('name')) renames.push(entry)
    if (entry.kind === 'record')
      entries.set(String(entry.id), [...(entries.get(String(entry.id)) ?? []), entry])
    if (entry.kind === 'record' || entry.kind === 'structure') all.push(entry)
  }
  const versions = new Map<StagedEntry, Version>()
  for (const [id, ofRecord] of entries)
    for (const version of versionsOf(copy, id, ofRecord)) versions.set(version.entry, version)
  const names = new StructureNames(copy, renames)
  for (const entry of all) {
    if (entry.kind === 'structure') names.pass(entry)
    const version = versions.get(entry)
    const structure = version && names.structureOf(entry)
    const change = structure && changeOf(version, structure)
    if (!change) continue
    const event = { id: tx.newId(), type: `record.${change.kind}` }
    const head = { ...event, occurredAt: instantOf(entry.at), workspaceId, structure, source: change.source }
    tx.sql.run(
      'INSERT INTO mirror_events (id, type, record, body) VALUES (?, ?, ?, ?)',
      event.id,
      event.type,
      change.after.id,
      changePayload(head, change),
    )
  }
}

const KINDS = { created: 'created', restored: 'created', updated: 'updated', deleted: 'deleted' } as const

/** Undefined for what is no event: the import of a record, and an update of omitted fields alone. */
function changeOf(
  { entry, before, after }: Version,
  structure: { id: string; name: string },
): RecordChange | undefined {
  if (entry.op === 'purged') return undefined
  if (entry.op === 'created' && after.createdAt !== instantOf(entry.at)) return undefined
  if (entry.op === 'updated' && entry.changed.length === 0) return undefined
  return {
    kind: KINDS[entry.op],
    workspacePk: 0,
    structure: { pk: 0, ...structure },
    before,
    after,
    changed: entry.changed,
    source: { surface: 'api', keyId: null },
  }
}

/** The record before and after each of its changes. */
function versionsOf(copy: CopyTransaction, id: string, entries: readonly StagedEntry[]): Version[] {
  const { tx, stage } = copy
  const json = stage.objectJson('record', id)
  const final = json ? (JSON.parse(json) as StagedRecord) : undefined
  const deleted = stage.deletedRecord(id) as StagedRecord | undefined
  const row = findRecord(tx, id)
  const known = row && { createdAt: row.createdAt, updatedAt: row.updatedAt, data: dataOf(row) }
  const last = final ?? deleted
  const end = last?.data ?? known?.data
  if (!end) return []
  const order = fieldOrder(copy, entries[0]?.structure_id ?? '')
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

const nextInstant = ({ op, at }: StagedEntry, before: RecordState | null, createdAt: number): number =>
  op === 'created' ? createdAt : Math.max(instantOf(at), (before?.updatedAt ?? 0) + 1)

/** Going back from the last one. */
function dataAfterEach(
  entries: readonly StagedEntry[],
  end: RecordData,
  order: readonly string[],
): RecordData[] {
  const versions: RecordData[] = []
  let data = end
  for (const entry of entries.toReversed()) {
    versions.unshift(data)
    if (entry.op === 'updated') data = takeBack(data, entry, order)
  }
  return versions
}

/** The data before an update, its keys in the order of the fields. */
function takeBack(
  after: RecordData,
  { changed, previous }: StagedEntry,
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
  entry: StagedEntry,
  order: readonly string[],
): RecordState => ({ ...(before ?? after), data: takeBack(after.data, entry, order) })

/** The keys of a structure's fields, as they will be in the copy. */
function fieldOrder({ tx, workspacePk, stage }: CopyTransaction, structureId: string): string[] {
  const staged = stage.objectJson('structure', structureId)
  const fields = staged
    ? (JSON.parse(staged) as { fields: { key: string }[] }).fields
    : (JSON.parse(findStructureById(tx, workspacePk, structureId)?.fields ?? '[]') as { key: string }[])
  return fields.map(({ key }) => key)
}

/** The names that structures had at each change. */
class StructureNames {
  readonly #names = new Map<string, string | undefined>()
  /** What they were called before each of the renames that are still ahead. */
  readonly #ahead = new Map<string, string[]>()

  constructor(
    private readonly copy: CopyTransaction,
    renames: readonly StagedEntry[],
  ) {
    for (const { id, previous } of renames)
      this.#ahead.set(String(id), [...(this.#ahead.get(String(id)) ?? []), String(previous.name)])
  }

  pass({ id, changed }: StagedEntry): void {
    if (changed.includes('name')) this.#ahead.get(String(id))?.shift()
  }

  /** Undefined for a structure that is gone: its subscriptions are too. */
  structureOf({ structure_id }: StagedEntry): { id: string; name: string } | undefined {
    const id = structure_id ?? ''
    if (!this.#names.has(id)) this.#names.set(id, this.#current(id))
    const current = this.#names.get(id)
    return current === undefined ? undefined : { id, name: this.#ahead.get(id)?.[0] ?? current }
  }

  #current(id: string): string | undefined {
    const { tx, workspacePk, stage } = this.copy
    const staged = stage.objectJson('structure', id)
    if (staged === null) return undefined
    if (staged !== undefined) return (JSON.parse(staged) as { name: string }).name
    return findStructureById(tx, workspacePk, id)?.name
  }
}
