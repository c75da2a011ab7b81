import type { Static } from '@sinclair/typebox'
import type { RecordData } from '../../changes/record-data.ts'
import { wholeWorkspace } from '../../context.ts'
import { structures as table } from '../../db/schema/structures.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { placeholderOf } from '../../objects/objects.ts'
import { columnsShown } from '../../objects/statements.ts'
import type { RecordObject } from '../../records/schema.ts'
import { findRecord, insertRecord, type RecordRow, updateRecord } from '../../records/store.ts'
import { markSourcesRemovedOf } from '../../sources/deletion.ts'
import { type FieldInput, fieldDefinitions, lostFields } from '../../structures/fields.ts'
import { changeRows, dropRows, startRows } from '../../structures/storage/changed-definition.ts'
import { deleteLiveRow, insertLiveRow } from '../../structures/storage/live-rows.ts'
import { markForTextIndex } from '../../structures/storage/text-index.ts'
import {
  type Definition,
  definitionOf,
  findStructureById,
  findStructureByPk,
  insertStructure,
  type StructureRow,
  uniqueSetsOf,
  updateStructure,
} from '../../structures/store.ts'
import { markWebhooksRemovedOf } from '../../webhooks/deletion.ts'
import { type CopyTransaction, instantsOf, type Restorer } from './copy-transaction.ts'

export type StoredRecord = Static<typeof RecordObject> & { readonly data: RecordData }

/** How the number of rows of a structure changes, and whether its rows stay in the order of their creation. */
interface Counter {
  live: number
  isOrdered: 0 | 1
  lastCreatedAt: number | null
  lastId: string | null
}

/** The records of one transaction. */
export class Records implements Restorer<StoredRecord> {
  readonly kind = 'record'
  /** Before the transaction by pk, in it by id; undefined while it is being deleted, when its rows go with it. */
  readonly #structures = new Map<number | string, StructureRow | undefined>()
  readonly #counters = new Map<number, Counter>()

  remove(copy: CopyTransaction, ids: Iterable<string>): void {
    for (const id of ids) {
      const pk = this.#takeOut(copy, id)
      if (pk !== undefined) copy.tx.sql.run('DELETE FROM records WHERE pk = ?', pk)
    }
  }

  /** No two rows collide while values move between them: they are not in the row tables meanwhile. */
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
    this.#counter(structure).live -= 1
    return row.pk
  }

  write({ tx, workspacePk, isFresh }: CopyTransaction, record: StoredRecord, structureId: string): void {
    const structure = this.#structure(structureId, () =>
      findStructureById(tx, wholeWorkspace(workspacePk), structureId),
    )
    if (!structure) return
    const { id, data } = record
    const { createdAt, updatedAt } = instantsOf(record)
    const row = {
      id,
      structure: structure.pk,
      data: JSON.stringify(data),
      createdAt,
      updatedAt,
      deletedAt: null,
    }
    const known = isFresh
      ? undefined
      : tx.sql.get<Pick<RecordRow, 'pk' | 'createdAt'>>(
          'SELECT pk, created_at AS createdAt FROM records WHERE id = ?',
          id,
        )
    const pk = known?.pk ?? insertRecord(tx, row)
    if (known) updateRecord(tx, { ...row, pk })
    markForTextIndex(tx, structure, pk)
    insertLiveRow(tx, structure, definitionOf(structure), { pk, data, createdAt, updatedAt })
    const counter = this.#counter(structure)
    counter.live += 1
    if (!known) countNew(counter, createdAt, id)
    else if (known.createdAt !== createdAt) {
      // It was created in a writable mirror, and comes back from the remote.
      tx.sql.run('UPDATE records SET created_at = ? WHERE pk = ?', createdAt, pk)
      counter.isOrdered = 0
    }
  }

  finish({ tx }: CopyTransaction): void {
    for (const [structure, { live, isOrdered, lastCreatedAt, lastId }] of this.#counters)
      tx.sql.run(
        `UPDATE structure_stats SET live = live + ?, changes = changes + 1, in_order = in_order AND ?,
           last_created_at = ?, last_id = ? WHERE structure = ?`,
        live,
        isOrdered,
        lastCreatedAt,
        lastId,
        structure,
      )
  }

  #structure(key: number | string, find: () => StructureRow | undefined): StructureRow | undefined {
    const known = this.#structures.get(key)
    if (known || this.#structures.has(key)) return known
    const found = find()
    this.#structures.set(key, found)
    return found
  }

  #counter({ pk, lastCreatedAt, lastId }: StructureRow): Counter {
    const known = this.#counters.get(pk)
    if (known) return known
    const counter: Counter = { live: 0, isOrdered: 1, lastCreatedAt, lastId }
    this.#counters.set(pk, counter)
    return counter
  }
}

function countNew(counter: Counter, createdAt: number, id: string): void {
  const { lastCreatedAt, lastId } = counter
  const isLater = (lastCreatedAt ?? createdAt) <= createdAt
  const isNext = lastId === null || lastId < id
  if (!isLater || !isNext) counter.isOrdered = 0
  if (isLater) counter.lastCreatedAt = createdAt
  if (isNext) counter.lastId = id
}

interface Structure {
  readonly id: string
  readonly fields: FieldInput[]
  readonly unique_together: readonly (readonly string[])[]
}

/**
 * Removed structures are hidden at once; their rows are deleted afterwards, in chunks (`structures/deletion.ts`). The rows
 * that change must not be in the row tables meanwhile: they may collide with what becomes unique.
 */
export const structures: Restorer<Structure> = {
  kind: 'structure',
  remove: ({ tx, workspacePk }, ids) => {
    for (const id of ids) {
      const structure = findStructureById(tx, wholeWorkspace(workspacePk), id)
      if (!structure) continue
      tx.sql.run('UPDATE structures SET name_fold = NULL WHERE pk = ?', structure.pk)
      markWebhooksRemovedOf(tx, structure.pk)
      markSourcesRemovedOf(tx, structure.pk)
    }
  },
  setAside: ({ tx }, id) => {
    const name = 'UPDATE structures SET name_fold = ? WHERE id = ? AND name_fold IS NOT NULL'
    tx.sql.run(name, placeholderOf(id), id)
  },
  write: ({ tx, workspacePk: workspace }, structure) => {
    const { id, unique_together } = structure
    const known = findStructureById(tx, wholeWorkspace(workspace), id)
    // The structures that record fields name may come later.
    const fields = fieldDefinitions(
      structure.fields,
      known ? definitionOf(known).fields : [],
      (named) => named,
    )
    const definition = { fields, uniqueSets: uniqueSetsOf(fields, unique_together) }
    const shown = columnsShown(table, structure) as Omit<StructureRow, 'fields'>
    const columns = { ...shown, fields: JSON.stringify(fields) }
    if (known) {
      changeTable(tx, known, definition)
      updateStructure(tx, known.pk, columns)
    } else {
      const pk = insertStructure(tx, { ...columns, id, workspace } as never)
      startRows(tx, pk, definition)
    }
  },
}

/** Fields are lost only while the remote has had no row; then the copy has none either. */
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
