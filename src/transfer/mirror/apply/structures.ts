import type { Static } from '@sinclair/typebox'
import { wholeWorkspace } from '../../../context.ts'
import { removeSourcesOf } from '../../../events/sources/deletion.ts'
import { removeWebhooksOf } from '../../../events/webhooks/deletion.ts'
import type { RecordData } from '../../../lib/record-data.ts'
import { placeholderOf } from '../../../log/objects/objects.ts'
import { columnsShown } from '../../../log/objects/statements.ts'
import type { RecordObject } from '../../../records/rows/schema.ts'
import { findRecord, putRecords, type RecordRow } from '../../../records/rows/store.ts'
import { freeRowIds, removeStructure } from '../../../records/structures/deletion.ts'
import { type FieldInput, fieldDefinitions, lostFields } from '../../../records/structures/fields.ts'
import { changeRows, dropRows, startRows } from '../../../records/structures/storage/changed-definition.ts'
import { countChange, deleteLiveRow } from '../../../records/structures/storage/live-rows.ts'
import { markForTextIndex } from '../../../records/structures/storage/text-index.ts'
import {
  type Definition,
  definitionOf,
  findStructureById,
  findStructureByPk,
  insertStructure,
  type StructureRow,
  uniqueSetsOf,
  updateStructure,
} from '../../../records/structures/store.ts'
import { structures as table } from '../../../storage/schema/structures.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import { type CopyTransaction, instantsOf, type Restorer } from './copy-transaction.ts'

export type StoredRecord = Static<typeof RecordObject> & { readonly data: RecordData }

interface PendingRecord {
  readonly record: StoredRecord
  readonly structureId: string
}

const ROWS_AT_ONCE = 200

/** The records of one transaction. */
export class Records implements Restorer<StoredRecord> {
  readonly kind = 'record'
  /**
   * Structures before the transaction by pk, within it by id. Undefined while a structure is being deleted together
   * with its rows.
   */
  readonly #structures = new Map<number | string, StructureRow | undefined>()
  /** The pending records, all of one structure. */
  readonly #pending: PendingRecord[] = []

  remove(copy: CopyTransaction, ids: Iterable<string>): void {
    for (const id of ids) {
      const pk = this.#takeOut(copy, id)
      if (pk !== undefined) copy.tx.sql.run('DELETE FROM records WHERE pk = ?', pk)
    }
  }

  /** Rows leave the row tables while values move between them, so that no two rows collide. */
  setAside(copy: CopyTransaction, id: string): void {
    this.#takeOut(copy, id)
  }

  #takeOut({ tx, workspacePk }: CopyTransaction, id: string): number | undefined {
    const row = findRecord(tx, id)
    const structure =
      row &&
      this.#structure(row.structure, () => findStructureByPk(tx, wholeWorkspace(workspacePk), row.structure))
    if (!row || !structure) return undefined
    // In a writable mirror it may be deleted.
    if (row.deletedAt !== null) return row.pk
    deleteLiveRow(tx, structure, row.pk)
    markForTextIndex(tx, structure, row.pk)
    countChange(tx, structure.pk, -1)
    return row.pk
  }

  write(copy: CopyTransaction, record: StoredRecord, structureId: string): void {
    const [first] = this.#pending
    if (this.#pending.length === ROWS_AT_ONCE || (first && first.structureId !== structureId))
      this.finish(copy)
    this.#pending.push({ record, structureId })
  }

  /** Writes the pending records, which are of one structure. */
  finish({ tx, workspacePk, isFresh }: CopyTransaction): void {
    const pending = this.#pending.splice(0)
    const [first] = pending
    if (!first) return
    const structure = this.#structure(first.structureId, () =>
      findStructureById(tx, wholeWorkspace(workspacePk), first.structureId),
    )
    if (!structure) return
    const known = isFresh ? undefined : knownRecords(tx, pending)
    const records = pending.map(({ record }) => {
      const { id, data } = record
      return { id, data, ...instantsOf(record), deletedAt: null, known: known?.get(id) }
    })
    putRecords(tx, structure, records)
  }

  #structure(key: number | string, find: () => StructureRow | undefined): StructureRow | undefined {
    const known = this.#structures.get(key)
    if (known || this.#structures.has(key)) return known
    const found = find()
    this.#structures.set(key, found)
    return found
  }
}

/** The records of the copy, by id. */
function knownRecords(
  tx: Tx,
  pending: readonly PendingRecord[],
): Map<string, Pick<RecordRow, 'pk' | 'createdAt'>> {
  const ids = pending.map(({ record }) => record.id)
  freeRowIds(tx, ids)
  const known = tx.sql.all<Pick<RecordRow, 'id' | 'pk' | 'createdAt'>>(
    'SELECT id, pk, created_at AS createdAt FROM records WHERE id IN (SELECT value FROM json_each(?))',
    JSON.stringify(ids),
  )
  return new Map(known.map(({ id, ...row }) => [id, row]))
}

interface Structure {
  readonly id: string
  readonly fields: FieldInput[]
  readonly unique_together: readonly (readonly string[])[]
}

/** The column values of a structure without these attributes. */
const ABSENT: Partial<StructureRow> = { icon: null, color: null }

/**
 * The rows of removed structures are deleted later (`records/structures/deletion.ts`). Rows that change must not be in
 * the row tables meanwhile, because they may violate new unique constraints.
 */
export const structures: Restorer<Structure> = {
  kind: 'structure',
  remove: ({ tx, workspacePk }, ids) => {
    for (const id of ids) {
      const structure = findStructureById(tx, wholeWorkspace(workspacePk), id)
      if (!structure) continue
      removeWebhooksOf(tx, structure.pk)
      removeSourcesOf(tx, structure.pk)
      removeStructure(tx, structure.pk)
    }
  },
  setAside: ({ tx }, id) => {
    const name = 'UPDATE structures SET name_fold = ? WHERE id = ?'
    tx.sql.run(name, placeholderOf(id), id)
  },
  write: ({ tx, workspacePk: workspace }, structure) => {
    const { id, unique_together } = structure
    const known = findStructureById(tx, wholeWorkspace(workspace), id)
    // Record fields may refer to structures that come later.
    const fields = fieldDefinitions(
      // Without a format, a known field would keep its own.
      structure.fields.map((field) => ({ format: null, ...field })),
      known ? definitionOf(known).fields : [],
      (named) => named,
    )
    const definition = { fields, uniqueSets: uniqueSetsOf(fields, unique_together) }
    const shown = columnsShown(table, structure) as Omit<StructureRow, 'fields'>
    const columns = { ...ABSENT, ...shown, fields: JSON.stringify(fields) }
    if (known) {
      changeTable(tx, known, definition)
      updateStructure(tx, known.pk, columns)
    } else {
      const pk = insertStructure(tx, { ...columns, id, workspace } as never)
      startRows(tx, pk, definition)
    }
  },
}

/** Fields disappear only while the remote has no rows; then the copy has none either. */
function changeTable(
  tx: Tx,
  structure: StructureRow,
  after: Pick<Definition, 'fields' | 'uniqueSets'>,
): void {
  const before = definitionOf(structure)
  if (lostFields(before.fields, after.fields).length === 0) {
    changeRows(tx, structure, before, after)
    return
  }
  if (structure.live > 0) throw new Error(`the structure ${structure.id} lost a field while it has rows`)
  dropRows(tx, structure.pk)
  startRows(tx, structure.pk, after)
}
