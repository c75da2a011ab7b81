import type { InWorkspace } from '../context.ts'
import { hides, may } from '../kernel/caller.ts'
import { type Change, detailOf } from '../log/read.ts'
import { recordJson } from '../records/rows/present.ts'
import { findLiveRecords, type RecordRow, recordBytes } from '../records/rows/store.ts'
import { findStructureById } from '../records/structures/store.ts'
import type { Reader } from '../storage/reader.ts'
import type { ChangeKind } from '../storage/schema/changes.ts'
import type { ObjectReader } from './kind.ts'
import { KINDS, type ObjectKind } from './kinds.ts'

/** The kinds covered by access to notes. Changes of structures are filtered by their structure. */
const OF_NOTES: readonly ChangeKind[] = [
  'note',
  'tag',
  'property',
  'preset',
  'view',
  'lens',
  'quick_access_item',
]

/** Whether all objects of a kind appear not to exist. */
export const isHiddenKind = ({ rights }: InWorkspace, kind: ChangeKind): boolean =>
  (hides(rights, 'notes') && OF_NOTES.includes(kind)) || (hides(rights, 'files') && kind === 'file')

/** The primary keys and ids of the objects of a kind that a reader can see, in order, after a key. */
export function listVisible(
  { sql }: Reader,
  workspacePk: number,
  kind: ObjectKind,
  after = 0,
  limit = -1,
): [pk: number, id: string | number][] {
  const { table, pkColumn = 'pk', isVisible = 'TRUE' } = KINDS[kind]
  return sql.rows(
    `SELECT ${pkColumn}, id FROM ${table} WHERE workspace = ? AND ${pkColumn} > ? AND ${isVisible}
     ORDER BY ${pkColumn} LIMIT ?`,
    workspacePk,
    after,
    limit,
  )
}

const labelIn = (
  { sql }: Reader,
  { workspacePk }: InWorkspace,
  kind: ObjectKind,
  id: string | number,
): string | undefined => {
  const { table, label = 'NULL' } = KINDS[kind]
  const text = `SELECT ${label} AS label FROM ${table} WHERE id = ? AND workspace = ?`
  return sql.get<{ label: string }>(text, id, workspacePk)?.label
}

/** The value of the record's label field. */
function labelOfRecord({ sql }: Reader, { workspacePk }: InWorkspace, { id, structureId }: Change) {
  const field = sql.get<{ label: string | null }>(
    'SELECT label_field AS label FROM structures WHERE id = ? AND workspace = ?',
    structureId,
    workspacePk,
  )?.label
  if (!field) return null
  const text = 'SELECT data ->> ? AS label FROM records WHERE id = ?'
  return sql.get<{ label: string | number | null }>(text, field, id)?.label
}

/** The log stores the names of deleted objects of these kinds. */
const KEPT: readonly ChangeKind[] = ['tag', 'property', 'quick_access_item']

function labelOfLost(reader: Reader, caller: InWorkspace, { kind, operation, number }: Change) {
  if (!KEPT.includes(kind) || operation !== 'deleted') return null
  const kept: { name?: string; note_id?: string } = JSON.parse(
    detailOf(reader, caller.workspacePk, number) ?? '{}',
  )
  return kept.note_id === undefined ? kept.name : labelIn(reader, caller, 'note', kept.note_id)
}

/** The current label of a changed object: its title, the value of its label field, or its name; null without any. */
export function labelOf(reader: Reader, caller: InWorkspace, change: Change): string | null {
  const { kind, id } = change
  const label =
    kind === 'record'
      ? labelOfRecord(reader, caller, change)
      : (labelIn(reader, caller, kind, id) ?? labelOfLost(reader, caller, change))
  return label === null || label === undefined ? null : String(label)
}

const MAX_BYTES_AT_ONCE = 16_777_216

/** The current state of objects as JSON text; each is read once. */
export class CurrentObjects {
  readonly #known = new Map<string, string>()
  readonly #records = new Map<string, RecordRow | undefined>()
  /** Whether a structure still exists and its rows may be read, by id. */
  readonly #structures = new Map<string, boolean>()

  constructor(
    private readonly reader: Reader,
    private readonly caller: ObjectReader,
  ) {}

  /** Reads live records in one batch for `jsonOf`; very long records are left to individual reads. */
  loadRecords(ids: readonly string[]): void {
    if (recordBytes(this.reader, ids) > MAX_BYTES_AT_ONCE) return
    const found = findLiveRecords(this.reader, ids)
    for (const id of ids) this.#records.set(id, undefined)
    for (const row of found) this.#records.set(row.id, row)
  }

  /** `null` if it is purged, trashed or deleted. */
  jsonOf(kind: ChangeKind, id: string | number, structureId: string | null): string {
    const name = `${kind} ${id}`
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const json = this.#jsonOf(kind, String(id), structureId)
    this.#known.set(name, json)
    return json
  }

  #jsonOf(kind: ChangeKind, id: string, structureId: string | null): string {
    if (isHiddenKind(this.caller, kind)) return 'null'
    if (kind === 'record') return this.#record(id, structureId)
    return JSON.stringify(KINDS[kind].find(this.reader, this.caller, id) ?? null)
  }

  /** The rows of a structure count as deleted as soon as its deletion begins. */
  #record(id: string, structureId: string | null): string {
    if (structureId === null || !this.#hasStructure(structureId)) return 'null'
    const row = this.#records.has(id) ? this.#records.get(id) : findLiveRecords(this.reader, [id])[0]
    return row ? recordJson(row) : 'null'
  }

  #hasStructure(id: string): boolean {
    const known = this.#structures.get(id)
    if (known !== undefined) return known
    const exists =
      may(this.caller.rights, id, 'read') && findStructureById(this.reader, this.caller, id) !== undefined
    this.#structures.set(id, exists)
    return exists
  }
}
