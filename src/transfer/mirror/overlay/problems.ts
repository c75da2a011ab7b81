import { wholeWorkspace } from '../../../context.ts'
import { changedKeys, type RecordData, valueIn } from '../../../lib/record-data.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { fold } from '../../../lib/text.ts'
import { findByAlias } from '../../../notes/store.ts'
import { findRecordId } from '../../../records/rows/store.ts'
import {
  checkedChanges,
  mergedData,
  refuseMissing,
  writableData,
} from '../../../records/rows/writing/field-values.ts'
import { duplicate, refuseFull } from '../../../records/rows/writing/row-writer.ts'
import { findHolders } from '../../../records/structures/storage/live-rows.ts'
import { definitionOf, findStructureById, type StructureRow } from '../../../records/structures/store.ts'
import type { Reader } from '../../../storage/reader.ts'
import type { OverlayRow } from './store.ts'

/** A locally changed note or record, and the state to be reapplied. */
export interface ReappliedChange {
  readonly row: OverlayRow
  readonly json: string
}

/**
 * Why local changes conflict with the remote state: it has taken a unique value or an alias, or the structure has
 * changed. Objects without a problem can be reapplied together.
 */
export function findProblems(
  reader: Reader,
  workspacePk: number,
  reapplied: readonly ReappliedChange[],
): Map<OverlayRow, string> {
  const problems = new Map<OverlayRow, string>()
  for (let found = -1; found !== problems.size; ) {
    found = problems.size
    const free = reapplied.filter(({ row }) => !problems.has(row))
    const ids = new Set(free.map(({ row }) => row.id))
    const added = new Map<string, number>()
    for (const { row, json } of free) {
      const find = row.kind === 'note' ? problemOfNote : problemOfRecord
      const problem = find(reader, workspacePk, { row, json, ids, added })
      if (problem !== undefined) problems.set(row, problem)
    }
  }
  return problems
}

interface LocalChangeSet extends ReappliedChange {
  /** The objects that can be reapplied together. */
  readonly ids: ReadonlySet<string>
  /** The number of rows added to each structure, by its id. */
  readonly added: Map<string, number>
}

function problemOfNote(
  reader: Reader,
  workspacePk: number,
  { json, ids }: LocalChangeSet,
): string | undefined {
  const { alias, aliases = [] } = JSON.parse(json) as { alias: string | null; aliases?: string[] }
  for (const name of alias === null ? aliases : [alias, ...aliases]) {
    const holder = findByAlias(reader, workspacePk, fold(name))
    if (holder && !ids.has(holder.id))
      return `The alias "${name}" belongs to the note "${holder.title}" (${holder.id}) of the remote.`
  }
  return undefined
}

function problemOfRecord(reader: Reader, workspacePk: number, wanted: LocalChangeSet): string | undefined {
  const { row } = wanted
  const structure = findStructureById(reader, wholeWorkspace(workspacePk), row.structure ?? '')
  if (!structure) return 'The remote deleted its structure.'
  try {
    refuseUnfit(structure, wanted)
    refuseDuplicates(reader, structure, wanted)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

const dataOf = (json: string | null): RecordData =>
  json === null ? {} : (JSON.parse(json) as { data: RecordData }).data

/** Values that are unchanged from the remote may violate the rules. */
function refuseUnfit(structure: StructureRow, { row, json, added }: LocalChangeSet): void {
  const definition = definitionOf(structure)
  const data = writableData(definition, dataOf(json))
  const changed = changedKeys(writableData(definition, dataOf(row.base)), data)
  checkedChanges(definition, Object.fromEntries(changed.map((key) => [key, valueIn(data, key) ?? null])))
  if (row.remote !== null) return
  refuseMissing(definition, data)
  const earlier = added.get(structure.id) ?? 0
  added.set(structure.id, earlier + 1)
  refuseFull({ ...structure, live: structure.live + earlier })
}

function refuseDuplicates(reader: Reader, structure: StructureRow, { row, json, ids }: LocalChangeSet): void {
  const definition = definitionOf(structure)
  const data = mergedData(definition, dataOf(json), [])
  for (const { set, pk } of findHolders(reader, structure, definition, data)) {
    const holder = findRecordId(reader, pk) ?? ''
    if (holder !== row.id && !ids.has(holder)) throw duplicate(set, `the record ${holder} of the remote`)
  }
}
