import type { AppContext, InWorkspace } from '../context.ts'
import type { Db } from '../db/database.ts'
import { rowTable } from '../db/row-tables.ts'
import { inChunks } from '../db/writes/chunks.ts'
import { forSomeMilliseconds } from '../db/writes/time-slice.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { getStructure } from './service.ts'
import { dropIndexTriggers, dropNextIndexTable } from './storage/index-table.ts'
import { dropRowTable } from './storage/row-table.ts'
import { dropTextIndex } from './storage/text-index.ts'

const ROWS_PER_STEP = 500

/** All that a deletion needs of the context; the command line has no more. */
type Deletion = Pick<AppContext, 'db' | 'features'>

/**
 * Deletes a structure, its rows and its subscriptions; returns its id. The first transaction hides it and frees its
 * name; the rest is deleted in chunks, so that other writes need not wait.
 */
export async function deleteStructure(ctx: Deletion, caller: InWorkspace, nameOrId: string): Promise<string> {
  const { pk, id } = await ctx.db.write((tx) => {
    const structure = getStructure(tx, caller, nameOrId)
    tx.sql.run('UPDATE structures SET name_fold = NULL WHERE pk = ?', structure.pk)
    ctx.features.onStructureDeleted(tx, structure.pk)
    return structure
  })
  await removeHidden(ctx, pk)
  return id
}

/** Finishes deletions that were interrupted, for example by a crash. */
export async function finishDeletions(ctx: Deletion): Promise<void> {
  for (const pk of ctx.db.sql.column<number>('SELECT pk FROM structures WHERE name_fold IS NULL'))
    await removeHidden(ctx, pk)
}

async function removeHidden({ db, features }: Deletion, structurePk: number): Promise<void> {
  await dropIndexes(db, structurePk)
  await inChunks(db, (tx) => forSomeMilliseconds(() => removeSomeRows(tx, structurePk) > 0))
  await features.removeHidden(db)
  await db.write((tx): void => {
    dropRowTable(tx, structurePk)
    tx.sql.run('DELETE FROM structures WHERE pk = ?', structurePk)
  })
}

/** Before the rows, which are then removed several times faster: one index per transaction. */
async function dropIndexes(db: Db, structurePk: number): Promise<void> {
  await db.write((tx): void => {
    dropTextIndex(tx, structurePk)
    dropIndexTriggers(tx, structurePk)
  })
  await inChunks(db, (tx) => dropNextIndexTable(tx, structurePk))
}

/**
 * Returns how many rows were removed. Live rows are found through their row table, deleted ones through an index.
 * Another process may have finished the deletion in the meantime.
 */
function removeSomeRows({ sql }: Tx, structurePk: number): number {
  if (!sql.get('SELECT 1 FROM structures WHERE pk = ?', structurePk)) return 0
  const live = sql.column<number>(`SELECT pk FROM ${rowTable(structurePk)} LIMIT ?`, ROWS_PER_STEP)
  const deleted = sql.column<number>(
    'SELECT pk FROM records WHERE structure = ? AND deleted_at IS NOT NULL LIMIT ?',
    structurePk,
    ROWS_PER_STEP - live.length,
  )
  const pks = JSON.stringify([...live, ...deleted])
  const isListed = 'pk IN (SELECT value FROM json_each(?))'
  sql.run(`DELETE FROM ${rowTable(structurePk)} WHERE ${isListed}`, pks)
  sql.run(`DELETE FROM records WHERE ${isListed}`, pks)
  return live.length + deleted.length
}
