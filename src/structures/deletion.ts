import { type ChangeAuthor, logChange } from '../changes/log.ts'
import type { AppContext, Caller, InWorkspace } from '../context.ts'
import { liveRows, placeOf } from '../db/row-table-names.ts'
import { inSteps } from '../db/writes/chunks.ts'
import { completing } from '../db/writes/requester.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { refused } from '../refusal.ts'
import { changedStructure } from './service.ts'
import { autoIndexDrop, listAutoIndexes } from './storage/auto-index.ts'
import { dropRows } from './storage/changed-definition.ts'
import { deleteLiveRows } from './storage/live-rows.ts'
import { dropRowIndex, listRowIndexes } from './storage/row-index.ts'
import { dropTextIndex } from './storage/text-index.ts'
import { getStructure, type StructureRow } from './store.ts'

const ROWS_PER_STEP = 500

/** All that a deletion needs of the context; the command line has no worker. */
type Deletion = Pick<AppContext, 'db' | 'features'> & Partial<Pick<AppContext, 'worker'>>

/**
 * Deletes a structure, its rows and its subscriptions; returns its id. The first transaction hides it and frees its
 * name; the rest is deleted in chunks, so that other writes need not wait.
 */
export async function deleteStructure(
  ctx: Deletion,
  caller: ChangeAuthor & InWorkspace,
  nameOrId: string,
): Promise<string> {
  const { pk, id } = await ctx.db.write((tx) =>
    hide(ctx, tx, caller, getStructure(tx, caller, nameOrId, 'change')),
  )
  await completing(() => removeHidden(ctx, pk))
  return id
}

/**
 * Deletes a structure for a person who repeated its name. Returns once it is hidden; the rest is deleted afterwards, and
 * after a failure by maintenance.
 */
export async function deleteStructureNamed(
  ctx: AppContext,
  caller: Caller,
  id: string,
  name: string,
): Promise<string> {
  const structure = await ctx.db.write((tx) => {
    const named = getStructure(tx, caller, id, 'change')
    if (named.name !== name)
      throw refused(`The name of this structure is "${named.name}"; repeat it exactly.`)
    return hide(ctx, tx, caller, named)
  })
  ctx.bus.wake(structure.id)
  completing(() => removeHidden(ctx, structure.pk)).catch((error) =>
    ctx.log.warn('a structure is not yet wholly deleted', { error: String(error) }),
  )
  return structure.id
}

function hide(ctx: Deletion, tx: Tx, caller: ChangeAuthor, structure: StructureRow): StructureRow {
  tx.sql.run('UPDATE structures SET name_fold = NULL WHERE pk = ?', structure.pk)
  ctx.features.onStructureDeleted(tx, caller, structure.pk)
  logChange(tx, caller, changedStructure(structure.id), 'deleted')
  return structure
}

/** Finishes deletions that were interrupted, for example by a crash. */
export async function finishDeletions(ctx: Deletion): Promise<void> {
  for (const pk of ctx.db.sql.column<number>('SELECT pk FROM structures WHERE name_fold IS NULL'))
    await removeHidden(ctx, pk)
}

async function removeHidden(ctx: Deletion, structurePk: number): Promise<void> {
  const { db, features } = ctx
  await dropIndexes(ctx, structurePk)
  await inSteps(db, (tx) => removeSomeRows(tx, structurePk) > 0)
  await features.removeHidden(db)
  await db.write((tx): void => {
    dropRows(tx, structurePk)
    tx.sql.run('DELETE FROM structures WHERE pk = ?', structurePk)
  })
}

/**
 * Drops indexes before the rows, which are then removed several times faster, one per transaction. An index can only be
 * dropped as a whole, which takes some tens of milliseconds for a million rows, so a worker drops the automatic ones.
 */
async function dropIndexes({ db, worker }: Deletion, structurePk: number): Promise<void> {
  if (worker)
    for (const column of listAutoIndexes(db, structurePk))
      await worker.write(autoIndexDrop, { structurePk, column })
  await db.write((tx): void => dropTextIndex(tx, structurePk))
  await inSteps(db, (tx) => {
    const [name] = listRowIndexes(tx, structurePk)
    if (name !== undefined) dropRowIndex(tx, name)
    return name !== undefined
  })
}

/**
 * Returns how many rows were removed. Live rows are found through their row table, deleted ones through an index.
 * Another process may have finished the deletion in the meantime.
 */
function removeSomeRows(tx: Tx, structurePk: number): number {
  const { sql } = tx
  if (!sql.get('SELECT 1 FROM structures WHERE pk = ?', structurePk)) return 0
  const place = placeOf(tx, structurePk)
  const live = sql.column<number>(`SELECT pk FROM ${liveRows(place)} LIMIT ?`, ROWS_PER_STEP)
  const deleted = sql.column<number>(
    'SELECT pk FROM records WHERE structure = ? AND deleted_at IS NOT NULL LIMIT ?',
    structurePk,
    ROWS_PER_STEP - live.length,
  )
  deleteLiveRows(tx, place, live)
  const pks = JSON.stringify([...live, ...deleted])
  sql.run('DELETE FROM records WHERE pk IN (SELECT value FROM json_each(?))', pks)
  return live.length + deleted.length
}
