import { wholeWorkspace } from '../../../context.ts'
import { defineJob, enqueue } from '../../../kernel/jobs.ts'
import { changedKeys, type RecordData } from '../../../lib/record-data.ts'
import { notifyAfterCommit } from '../../../log/log.ts'
import { liveRows } from '../../../storage/row-table-names.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import { withFormulas } from '../formulas.ts'
import {
  definitionOf,
  type FieldDefinition,
  findStructureByPk,
  type StructureRow,
  updateStructure,
} from '../store.ts'
import { countChange, updateLiveRow } from './live-rows.ts'
import { markForTextIndex } from './text-index.ts'

/** The last row that is done. Each row is written once, with all of its formulas. */
interface Progress {
  readonly after: number
}

const ROWS_AT_ONCE = 100
/** In characters; a longer single row is computed alone. */
const LENGTH_AT_ONCE = 262_144

interface StoredRow {
  readonly pk: number
  readonly data: string
  readonly updatedAt: number
}

/**
 * Computes the formulas of the existing rows of a structure after an expression was added or changed. Rows keep
 * `updated_at`, and there are no events and no history, because nobody changed the rows.
 */
export const formulaComputation = defineJob<number, Progress>('structure.formulas', (tx, pk, { after }) => {
  const structure = findOf(tx, pk)
  if (!structure) return 'done'
  const last = computeSome(tx, structure, after)
  countChange(tx, pk, 0)
  notifyAfterCommit(tx, structure.id)
  if (last !== undefined) return { after: last }
  const fields = definitionOf(structure).fields.map(({ computing: _, ...field }): FieldDefinition => field)
  updateStructure(tx, pk, { fields: JSON.stringify(fields) })
  return 'done'
})

function findOf(tx: Tx, pk: number): StructureRow | undefined {
  const [workspace] = tx.sql.column<number>('SELECT workspace FROM structures WHERE pk = ?', pk)
  return workspace === undefined ? undefined : findStructureByPk(tx, wholeWorkspace(workspace), pk)
}

/** Returns the pk of the last row of the step; undefined once there are no more. */
function computeSome(tx: Tx, structure: StructureRow, after: number): number | undefined {
  const pks = tx.sql.column<number>(
    `SELECT pk FROM ${liveRows(structure)} WHERE pk > ? ORDER BY pk LIMIT ${ROWS_AT_ONCE}`,
    after,
  )
  let length = 0
  let last: number | undefined
  for (const pk of pks) {
    if (length > LENGTH_AT_ONCE) break
    const row = tx.sql.get<StoredRow>(
      'SELECT pk, data, updated_at AS updatedAt FROM records WHERE pk = ?',
      pk,
    )
    if (row) length += computeRow(tx, structure, row)
    last = pk
  }
  return last
}

/** Returns the length of the row, before or after, whichever is greater. */
function computeRow(tx: Tx, structure: StructureRow, { pk, data: text, updatedAt }: StoredRow): number {
  const definition = definitionOf(structure)
  const before = JSON.parse(text) as RecordData
  const data = definition.formulas.length === 0 ? before : withFormulas(definition, before)
  const changed = new Set(changedKeys(before, data))
  // A column whose result has another type now is new, and still empty.
  const fields = definition.fields.filter(({ key, computing }) => computing || changed.has(key))
  const written = JSON.stringify(data)
  tx.sql.run('UPDATE records SET data = ? WHERE pk = ?', written, pk)
  updateLiveRow(tx, structure, definition, fields, { pk, data, updatedAt })
  if (structure.indexedTo !== null) markForTextIndex(tx, structure, pk)
  return Math.max(text.length, written.length)
}

/** Must be called after a change that made formulas `computing`; computes all of them from the first row. */
export function enqueueFormulas(
  tx: Tx,
  { pk, fields: before }: Pick<StructureRow, 'pk' | 'fields'>,
  after: readonly FieldDefinition[],
): void {
  if (JSON.stringify(after) !== before) enqueue(tx, formulaComputation, pk, { after: 0 })
}
