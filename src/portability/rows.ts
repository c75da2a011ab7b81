import type { Reader } from '../db/reader.ts'
import { liveRows, placeOf } from '../db/row-table-names.ts'
import { loadRecords, type RecordRow } from '../records/store.ts'

const CHUNK_ROWS = 1_000

/** The rows of a structure, with or without deleted ones, in the order of their creation, in chunks. */
export function* rowsOf(reader: Reader, structure: number, hasDeleted: boolean): Generator<RecordRow[]> {
  const live = liveRows(placeOf(reader, structure))
  const deleted = `SELECT pk FROM records WHERE structure = ${structure} AND deleted_at IS NOT NULL`
  const all = hasDeleted ? `(SELECT pk FROM ${live} UNION ALL ${deleted})` : live
  const select = `SELECT pk FROM ${all} WHERE pk > ? ORDER BY pk LIMIT ${CHUNK_ROWS}`
  for (let last = 0; ; ) {
    const pks = reader.sql.column<number>(select, last)
    if (pks.length === 0) return
    last = pks.at(-1) ?? last
    yield loadRecords(reader, pks)
  }
}
