import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../../context.ts'
import { checkAbility } from '../../../kernel/caller.ts'
import { write } from '../../../kernel/operation.ts'
import { changedKeys } from '../../../lib/record-data.ts'
import { atPlace, fail, notFound, refused } from '../../../lib/refusal.ts'
import { checkCursor, findPosition } from '../../../log/cursors.ts'
import { parseDifference } from '../../../log/difference.ts'
import { expectedInstant, refuseStale } from '../../../log/if-unchanged.ts'
import { type Change, changesOfObject, eachChange, selectOfObject } from '../../../log/read.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import { clearLiveValues } from '../../structures/storage/live-rows.ts'
import { findStructureByPk } from '../../structures/store.ts'
import { isLive, readRecord } from '../one-record.ts'
import { recordResponse } from '../present.ts'
import type { PatchBody, RevertBody } from '../schema.ts'
import type { RecordRow } from '../store.ts'
import * as store from '../store.ts'
import {
  checkedChanges,
  heldMembers,
  membersIn,
  mergedData,
  refuseBrokenReferences,
  refuseMissing,
  writableData,
} from './field-values.ts'
import {
  deleteRow,
  type RowWriter,
  RowWriters,
  refuseDuplicate,
  refuseFull,
  refuseImmutable,
  restoreRow,
  updateRow,
} from './row-writer.ts'

/** A record of the caller's workspace, with the writer of its structure. */
function get(writers: RowWriters, id: string, is: 'live' | 'deleted'): { row: RecordRow; writer: RowWriter } {
  const row = store.findRecord(writers.tx, id)
  const writer = row && writers.find(row.structure)
  if (writer) checkAbility(writers.caller.rights, writer.structure, 'change')
  if (!writer || (row.deletedAt === null) !== (is === 'live'))
    throw notFound(is === 'live' ? 'record' : 'deleted record')
  return { row, writer }
}

/** Refuses callers who may not change rows of the row's structure, whether the row is live or deleted. */
function checkChanger(tx: Tx, caller: Caller, id: string): void {
  const row = store.findRecordHead(tx, id)
  const structure = row && findStructureByPk(tx, caller, row.structure)
  if (!structure) throw notFound('record')
  checkAbility(caller.rights, structure, 'change')
}

/**
 * Clears the unique values that `changeLive` will replace with those in `data` later in the transaction. Rows can then
 * exchange values.
 */
export function releaseUnique(writers: RowWriters, id: string, data: Record<string, unknown>): void {
  const { row, writer } = get(writers, id, 'live')
  const { tx, structure, definition } = writer
  const before = store.dataOf(row)
  const changes = checkedChanges(definition, writableData(definition, data))
  const changed = changedKeys(before, mergedData(definition, before, changes))
  const unique = [...new Set(definition.uniqueSets.flat())].filter(({ key }) => changed.includes(key))
  clearLiveValues(tx, structure, unique, row.pk)
}

/**
 * Merges values into a live row; `expected` is its required `updated_at`. `checkReferences` may defer the reference
 * check.
 */
export function changeLive(
  writers: RowWriters,
  id: string,
  data: Record<string, unknown>,
  expected?: number,
  checkReferences = refuseBrokenReferences,
): RecordRow {
  const { tx, caller } = writers
  const { row, writer } = get(writers, id, 'live')
  refuseStale('record', expected, row.updatedAt)
  refuseImmutable(writer.structure)
  const changes = checkedChanges(writer.definition, data)
  const { definition } = writer
  checkReferences(tx, caller, definition, changes, membersIn(definition, row))
  return updateRow(writer, row, changes)
}

/** The same with values that a row had before: those of formulas are computed again. */
export function revertTo(
  writers: RowWriters,
  id: string,
  data: Record<string, unknown>,
  checkReferences = refuseBrokenReferences,
): RecordRow {
  const { definition } = get(writers, id, 'live').writer
  const held = heldMembers(definition, data)
  const check: typeof refuseBrokenReferences = (tx, caller, of, changes, found) =>
    checkReferences(tx, caller, of, changes, found ? found.union(held) : held)
  return changeLive(writers, id, writableData(definition, data), undefined, check)
}

export function deleteLive(writers: RowWriters, id: string): void {
  const { row, writer } = get(writers, id, 'live')
  deleteRow(writer, row)
}

/** Restores a deleted row under its id, with the checks of a new row. */
export function restoreDeleted(writers: RowWriters, id: string): RecordRow {
  const { tx, caller } = writers
  const { row, writer } = get(writers, id, 'deleted')
  const { definition, structure } = writer
  const changes = checkedChanges(definition, writableData(definition, store.dataOf(row)))
  const data = mergedData(definition, {}, changes)
  refuseMissing(definition, data)
  refuseDuplicate(writer, definition.uniqueSets, data)
  refuseFull(structure)
  const restored = restoreRow(writer, row, data)
  // Checked last, because the row may refer to itself.
  refuseBrokenReferences(tx, caller, definition, changes, heldMembers(definition, data))
  return restored
}

const noSuchChange = () => notFound('change of this record')

/** Reverts a live row to its state just after the change at cursor `to`. */
function revertLive(tx: Tx, caller: Caller, id: string, to: string): RecordRow {
  const { workspacePk } = caller
  if (!isLive(tx, caller, id)) throw notFound('record')
  const number = findPosition(tx, workspacePk, to) ?? fail(noSuchChange())
  const [change] = changesOfObject(tx, workspacePk, id, { after: number - 1, before: number + 1, limit: 1 })
  if (!change) throw noSuchChange()
  if (change.operation === 'deleted')
    throw refused(
      '"to" names the deletion of the record; name a change after which it was there.',
      atPlace('to'),
    )
  const values: Record<string, unknown> = {}
  const later = selectOfObject(workspacePk, id, { after: number, limit: Number.MAX_SAFE_INTEGER })
  for (const change of eachChange(tx, later)) revertChange(values, change)
  return revertTo(new RowWriters(tx, caller), id, values)
}

/** Collects the values to restore; of several old values, the oldest wins. */
export function revertChange(values: Record<string, unknown>, { operation, detail }: Change): void {
  if (operation === 'updated' && detail !== null) Object.assign(values, parseDifference(detail).previous)
}

type RecordPatch = Static<typeof PatchBody>

interface PatchInput {
  readonly id: string
  readonly body: RecordPatch
}

/** Merges values into a live row; null removes one. Checks only the sent values. */
export const patchRecord = write({
  name: 'records.patch',
  covers: 'structures',
  object: readRecord,
  run: (tx, caller, { id, body: { data, if_unchanged } }: PatchInput) =>
    recordResponse(changeLive(new RowWriters(tx, caller), id, data, expectedInstant(if_unchanged))),
  check: (tx, caller, { id, body }) => {
    expectedInstant(body.if_unchanged)
    if (caller.rights) checkChanger(tx, caller, id)
  },
})

export const deleteRecord = write({
  name: 'records.delete',
  covers: 'structures',
  object: readRecord,
  run: (tx, caller, { id }: { id: string }) => {
    deleteLive(new RowWriters(tx, caller), id)
    return { deleted: true, id }
  },
})

/** Restores a deleted row, even if rows are immutable. */
export const restoreRecord = write({
  name: 'records.restore',
  covers: 'structures',
  run: (tx, caller, { id }: { id: string }) => recordResponse(restoreDeleted(new RowWriters(tx, caller), id)),
})

export const revertRecord = write({
  name: 'records.revert',
  covers: 'structures',
  run: (tx, caller, { id, body: { to } }: { id: string; body: Static<typeof RevertBody> }) => {
    checkCursor(to, 'to')
    return recordResponse(revertLive(tx, caller, id, to))
  },
})
