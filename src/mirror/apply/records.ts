import type { RecordData } from '../../changes/record-data.ts'
import { rowTable } from '../../db/row-table-names.ts'
import * as store from '../../records/store.ts'
import { countChange, deleteLiveRow, insertLiveRow } from '../../structures/storage/row-table-writes.ts'
import { markForTextIndex } from '../../structures/storage/text-index.ts'
import {
  type Definition,
  definitionOf,
  findStructureById,
  findStructureByPk,
  type StructureRow,
} from '../../structures/store.ts'
import type { RemoteObject } from '../remote-objects.ts'
import { type CopyTransaction, instantsOf, type Timestamps } from './copy-transaction.ts'

interface RemoteRecord extends RemoteObject, Timestamps {
  readonly id: string
  readonly data: RecordData
}

/**
 * Takes the rows that change or go out of their row tables, so that no two of them collide while values move between
 * them, and deletes those that are gone.
 */
export function takeOutRecords({ tx, workspacePk, stage, isFresh }: CopyTransaction): void {
  if (isFresh) return
  const structures = new Map<number, StructureRow | undefined>()
  const taken = new Map<number, number>()
  for (const { id, json } of stage.objects('record')) {
    const row = store.findRecord(tx, id)
    if (!row) continue
    if (!structures.has(row.structure))
      structures.set(row.structure, findStructureByPk(tx, workspacePk, row.structure))
    const structure = structures.get(row.structure)
    // The rows of a structure that is being deleted go with it.
    if (!structure) continue
    deleteLiveRow(tx, structure.pk, row.pk)
    markForTextIndex(tx, structure, row.pk)
    if (json === null) tx.sql.run('DELETE FROM records WHERE pk = ?', row.pk)
    taken.set(structure.pk, (taken.get(structure.pk) ?? 0) + 1)
  }
  for (const [pk, count] of taken) countChange(tx, pk, -count)
}

/** Writes the rows that were taken out, and new ones; returns the ids of their structures. */
export function applyRecords(copy: CopyTransaction): void {
  const { tx, workspacePk, stage, isFresh } = copy
  const targets = new Map<string, Target | undefined>()
  for (const { structureId, json } of stage.objects('record')) {
    if (json === null || structureId === null) continue
    if (!targets.has(structureId)) {
      const structure = findStructureById(tx, workspacePk, structureId)
      targets.set(structureId, structure && new Target(copy, structure))
    }
    targets.get(structureId)?.write(JSON.parse(json) as RemoteRecord, isFresh)
  }
  for (const target of targets.values()) target?.count()
}

/** A structure whose rows are written. */
class Target {
  readonly #definition: Definition
  /** Rows that were in the copy before, and new ones. */
  #kept = 0
  #added = 0
  #isOrdered = true
  #lastCreatedAt: number
  #lastId: string

  constructor(
    private readonly copy: CopyTransaction,
    private readonly structure: StructureRow,
  ) {
    this.#definition = definitionOf(structure)
    this.#lastCreatedAt = structure.lastCreatedAt ?? Number.NEGATIVE_INFINITY
    this.#lastId = structure.lastId ?? ''
  }

  write(record: RemoteRecord, isNew: boolean): void {
    const { tx } = this.copy
    const { pk: structure } = this.structure
    const { id, data } = record
    const { createdAt, updatedAt } = instantsOf(record)
    const row = { id, structure, data: JSON.stringify(data), createdAt, updatedAt, deletedAt: null }
    const known = isNew
      ? undefined
      : tx.sql.get<{ pk: number }>('SELECT pk FROM records WHERE id = ?', id)?.pk
    const pk = known ?? store.insertRecord(tx, row)
    if (known !== undefined) {
      store.updateRecord(tx, { ...row, pk })
      markForTextIndex(tx, this.structure, pk)
    }
    insertLiveRow(tx, structure, this.#definition, { pk, data, createdAt, updatedAt })
    if (known === undefined) this.#noteNew(createdAt, id)
    else this.#kept += 1
  }

  #noteNew(createdAt: number, id: string): void {
    this.#added += 1
    if (createdAt < this.#lastCreatedAt || id <= this.#lastId) this.#isOrdered = false
    this.#lastCreatedAt = Math.max(createdAt, this.#lastCreatedAt)
    if (id > this.#lastId) this.#lastId = id
  }

  /** Brings the counters of the structure up to date. */
  count(): void {
    const { tx } = this.copy
    const { pk } = this.structure
    if (this.#kept > 0) countChange(tx, pk, this.#kept)
    if (this.#added === 0) return
    tx.sql.run(
      `UPDATE structure_stats SET live = live + ?, changes = changes + 1, in_order = in_order AND ?,
         last_created_at = ?, last_id = ? WHERE structure = ?`,
      this.#added,
      this.#isOrdered ? 1 : 0,
      this.#lastCreatedAt,
      this.#lastId,
      pk,
    )
  }
}

/** The ids of the live rows of the workspace, structure by structure. */
export function* listRecordIds(
  { sql }: Pick<CopyTransaction['tx'], 'sql'>,
  structures: readonly StructureRow[],
): Generator<{ id: string; structureId: string }> {
  for (const { pk, id: structureId } of structures) {
    for (let last = 0; ; ) {
      const rows = sql.rows<[pk: number, id: string]>(
        `SELECT pk, (SELECT id FROM records r WHERE r.pk = rows.pk) FROM ${rowTable(pk)} AS rows
         WHERE pk > ? ORDER BY pk LIMIT 1000`,
        last,
      )
      for (const [, id] of rows) yield { id, structureId }
      if (rows.length < 1_000) break
      last = rows.at(-1)?.[0] ?? last
    }
  }
}
