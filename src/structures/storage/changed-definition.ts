import type { Db } from '../../db/database.ts'
import type { Reader } from '../../db/reader.ts'
import { type RowPlace, SMALL_ROWS } from '../../db/row-table-names.ts'
import type { WorkerClient, WorkerTask } from '../../db/worker/client.ts'
import { completing } from '../../db/writes/requester.ts'
import { refused } from '../../refusal.ts'
import { hasTable } from '../../search/tables.ts'
import { definitionOf, type FieldDefinition, findDefinitionTexts, type UniqueSet } from '../store.ts'
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
import {
  ensureOwnTable,
  hasSmallShape,
  makeOwnTable,
  placeNow,
  type Shape,
  setOwnTable,
} from './live-rows.ts'
import { addColumns, changeUniqueSets, collisionOf, dropRowTable, uniqueTable } from './row-table-schema.ts'

/*
 * What becomes of the tables of rows where a definition changes. A unique index over many rows is filled in steps before it is
 * enforced (`row-table-schema.ts`). Until then it records which rows collide; if any do, it is never enforced.
 */

/** To be called for a new structure, and for one whose rows were dropped. */
export function startRows(reader: Reader, pk: number, shape: Shape): void {
  if (!hasSmallShape(shape)) makeOwnTable(reader, pk, shape)
}

/** Adds the new fields of a structure that may have rows, and changes its unique sets; refuses while live rows collide. */
export function changeRows(reader: Reader, place: RowPlace, before: Shape, after: Shape): void {
  const { pk } = place
  if (placeNow(reader, place).ownTable === 0) {
    if (hasSmallShape(after)) {
      refuseCollisions(reader, place, before, after)
      return
    }
    makeOwnTable(reader, pk, before)
  }
  const isNew = ({ column }: FieldDefinition) => !before.fields.some((old) => old.column === column)
  const added = after.fields.filter(isNew)
  addColumns(reader, pk, added)
  const newColumns = new Set(added.map(({ column }) => column))
  changeUniqueSets(reader, pk, { before: before.uniqueSets, after: after.uniqueSets, newColumns })
}

function refuseCollisions(reader: Reader, place: RowPlace, before: Shape, after: Shape): void {
  const nameOf = (set: Shape['uniqueSets'][number]) => uniqueTable(place.pk, set).name
  const had = new Set(before.uniqueSets.map(nameOf))
  for (const set of after.uniqueSets) {
    const sentence = had.has(nameOf(set)) ? undefined : collisionOf(reader, place, set)
    if (sentence !== undefined) throw refused(sentence)
  }
}

/** Removes all live rows of a structure; they stay in `records`. */
export function dropRows(reader: Reader, pk: number): void {
  dropRowTable(reader, pk)
  reader.sql.run(`DELETE FROM ${SMALL_ROWS} WHERE structure = ?`, pk)
  setOwnTable(reader, pk, 0)
}

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
