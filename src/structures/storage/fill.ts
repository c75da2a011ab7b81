import type { AppContext } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import type { Reader } from '../../db/reader.ts'
import { startIdleWorker } from '../../db/writes/idle-worker.ts'
import { findUnsearched, isFarBehind, listSearched, rowSearchFill, type Searched } from './text-index.ts'

/** A step ends sooner by its time; the number keeps it short where time stands still. */
const ROWS_AT_ONCE = 500

/** So many rows that are not in a search table make a search through it slower by some 30 ms. */
const MANY_UNSEARCHED = 30_000

const findBehind = (reader: Reader): Searched | undefined =>
  listSearched(reader).find((searched) => findUnsearched(reader, searched, 1).length > 0)

/** Whether every search table is up to date. */
export const areFilled = (reader: Reader): boolean => findBehind(reader) === undefined

/** Brings every search table up to date. */
export async function fillRowSearches(db: Db): Promise<void> {
  for (let behind = findBehind(db); behind; behind = findBehind(db)) {
    const { pk: structurePk } = behind
    await db.write((tx): boolean => rowSearchFill.run(tx, { structurePk, mostRows: ROWS_AT_ONCE }))
  }
}

/** Brings search tables up to date in the background, away from the thread of the requests; answers how to stop. */
export const startRowIndexing = (ctx: AppContext): (() => void) =>
  startIdleWorker(ctx, {
    what: 'the indexing of rows',
    isPiledUp: () => listSearched(ctx.db).some((searched) => isFarBehind(ctx.db, searched, MANY_UNSEARCHED)),
    doSome: async () => {
      const behind = findBehind(ctx.db)
      if (!behind) return false
      return ctx.worker.write(rowSearchFill, { structurePk: behind.pk, mostRows: ROWS_AT_ONCE })
    },
  })
