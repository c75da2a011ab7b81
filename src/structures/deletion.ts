import type { AppContext, InWorkspace } from '../context.ts'
import { rowTable } from '../db/row-tables.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { getStructure } from './service.ts'
import { dropRowTable } from './storage/row-table.ts'

/** The write lock is held for a few milliseconds at a time. */
const ROWS_PER_STEP = 1_000

/** All that a deletion needs of the context; the command line has no more. */
type Deletion = Pick<AppContext, 'db' | 'usage'>

/**
 * Deletes a structure, its rows and its subscriptions. It is out of sight, and its name free, with the first
 * transaction; the rest goes in steps, so that a server beside it goes on writing. Answers the id.
 */
export async function deleteStructure(ctx: Deletion, caller: InWorkspace, nameOrId: string): Promise<string> {
  const { pk, id } = await ctx.db.write((tx) => {
    const structure = getStructure(tx, caller, nameOrId)
    tx.sql.run('UPDATE structures SET name_fold = NULL WHERE pk = ?', structure.pk)
    ctx.usage.onStructureDeleted(tx, structure.pk)
    return structure
  })
  await removeHidden(ctx, pk)
  return id
}

/** Finishes deletions that were broken off, say by a crash. */
export async function finishDeletions(ctx: Deletion): Promise<void> {
  for (const pk of ctx.db.sql.column<number>('SELECT pk FROM structures WHERE name_fold IS NULL'))
    await removeHidden(ctx, pk)
}

async function removeHidden({ db, usage }: Deletion, structurePk: number): Promise<void> {
  while ((await db.write((tx) => removeSomeRows(tx, structurePk))) > 0);
  await usage.removeHidden(db)
  await db.write((tx): void => {
    dropRowTable(tx, structurePk)
    tx.sql.run('DELETE FROM structures WHERE pk = ?', structurePk)
  })
}

/**
 * Live rows are found through their own table, deleted ones through their index. Another process may have
 * finished the deletion meanwhile.
 */
function removeSomeRows({ sql }: Tx, structurePk: number): number {
  if (!sql.get('SELECT 1 FROM structures WHERE pk = ?', structurePk)) return 0
  const live = sql.column<number>(`SELECT pk FROM ${rowTable(structurePk)} LIMIT ?`, ROWS_PER_STEP)
  const gone = sql.column<number>(
    'SELECT pk FROM records WHERE structure = ? AND deleted_at IS NOT NULL LIMIT ?',
    structurePk,
    ROWS_PER_STEP - live.length,
  )
  const pks = JSON.stringify([...live, ...gone])
  const among = 'pk IN (SELECT value FROM json_each(?))'
  sql.run(`DELETE FROM ${rowTable(structurePk)} WHERE ${among}`, pks)
  sql.run(`DELETE FROM records WHERE ${among}`, pks)
  return live.length + gone.length
}
