import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { findFile } from '../../files/store.ts'
import type { FieldType } from '../../filter/record/operators.ts'
import { type Refusal, refused } from '../../refusal.ts'
import type { FieldDefinition } from '../../structures/definition.ts'
import { findStructureByPk } from '../../structures/store.ts'
import { findRecord } from '../store.ts'
import type { FieldChanges } from './values.ts'

type Exists = (reader: Reader, workspace: number, id: string, field: FieldDefinition) => boolean

const noteExists: Exists = ({ sql }, workspace, id) =>
  sql.get('SELECT 1 FROM notes WHERE id = ? AND workspace = ? AND deleted_at IS NULL', id, workspace) !==
  undefined

const recordExists: Exists = (reader, workspace, id, { structure }) => {
  const row = findRecord(reader, id)
  const holder = row?.deletedAt === null ? findStructureByPk(reader, workspace, row.structure) : undefined
  return holder !== undefined && (structure === null || holder.id === structure)
}

const fileExists: Exists = (reader, workspace, id) => findFile(reader, workspace, id) !== undefined

/** How each kind of reference is looked up. */
const LOOKUPS: Partial<Record<FieldType, Exists>> = {
  note: noteExists,
  record: recordExists,
  file: fileExists,
}

/**
 * Refuses a reference to what is not in the workspace, trashed or deleted now (contract, section 5). `found`
 * remembers, within one write, what was looked up already.
 */
export function refuseDeadReferences(
  reader: Reader,
  { workspacePk }: Caller,
  changes: FieldChanges,
  found = new Set<string>(),
): void {
  for (const [field, value] of changes) {
    const exists = LOOKUPS[field.type]
    if (!exists || value === null) continue
    const mark = `${field.column} ${value}`
    if (found.has(mark)) continue
    if (!exists(reader, workspacePk, String(value), field)) throw dead(field, String(value))
    found.add(mark)
  }
}

function dead({ key, type, structure }: FieldDefinition, id: string): Refusal {
  const kind = type === 'record' && structure !== null ? 'live record of its structure' : type
  return refused(`The field "${key}" names ${id}, and there is no such ${kind} in this workspace.`)
}
