import type { Db } from '../../db/database.ts'
import type { WorkerClient, WorkerTask } from '../../db/worker/client.ts'
import { completing } from '../../db/writes/requester.ts'
import { hasTable } from '../../search/tables.ts'
import { definitionOf, findDefinitionTexts, type UniqueSet } from '../store.ts'
import {
  collisionTable,
  dropIndexTable,
  fillIndex,
  type IndexTable,
  isIntact,
  listUnfinishedUnique,
  oneAtATime,
  startFilling,
} from './index-table.ts'
import { uniqueTable } from './row-table-schema.ts'
import { ensureOwnTable } from './small-structures.ts'

/*
 * A unique index over many rows is filled in steps before it is enforced (`row-table-schema.ts`). Until then it records
 * which rows collide; if any do, it is never enforced.
 */

/** Creates the index, empty; returns false where there is nothing to fill. */
export const uniqueStart: WorkerTask<IndexTable, boolean> = {
  name: 'structures.startUnique',
  isBackground: true,
  run: (reader, table) => {
    const isUnfinished = hasTable(reader, collisionTable(table))
    const texts = findDefinitionTexts(reader, table.structurePk)
    if (!texts || (isIntact(reader, table) && !isUnfinished)) return false
    // An earlier attempt was interrupted.
    dropIndexTable(reader, table)
    ensureOwnTable(reader, table.structurePk, definitionOf(texts))
    startFilling(reader, table)
    return true
  },
}

/** Removes the unique indexes, of one structure or of all, that are not enforced yet. */
export const uniqueDrop: WorkerTask<{ structurePk?: number }, void> = {
  name: 'structures.dropUnique',
  isBackground: true,
  run: (reader, { structurePk }) => {
    for (const name of listUnfinishedUnique(reader, structurePk)) dropIndexTable(reader, { name })
  },
}

/**
 * Fills unique indexes for the sets in steps, then runs `use`, which enforces them or refuses; those that are then
 * not enforced are removed.
 */
export const withUniqueIndexes = <T>(
  { worker }: { readonly worker: WorkerClient },
  structurePk: number,
  sets: readonly UniqueSet[],
  use: () => Promise<T>,
): Promise<T> =>
  oneAtATime(worker, async () => {
    try {
      for (const table of sets.map((set) => uniqueTable(structurePk, set)))
        if (await worker.write(uniqueStart, table)) await fillIndex(worker, table)
      return await use()
    } finally {
      await completing(() => worker.write(uniqueDrop, { structurePk }))
    }
  })

/** Removes what an interrupted process left behind. */
export const removeUnfinishedUnique = ({
  worker,
  db,
}: {
  readonly worker: WorkerClient
  readonly db: Db
}): Promise<void> =>
  oneAtATime(worker, async () => {
    if (listUnfinishedUnique(db).length > 0) await worker.write(uniqueDrop, {})
  })
