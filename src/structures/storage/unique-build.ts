import type { AppContext } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import { completing } from '../../db/writes/requester.ts'
import { hasTable } from '../../search/tables.ts'
import { definitionOf, findDefinitionTexts, type UniqueSet } from '../store.ts'
import {
  changedTable,
  collisionTable,
  dropIndexTable,
  type FillState,
  type FillStep,
  fillInSteps,
  fillSome,
  finishFilling,
  type IndexTable,
  isIntact,
  listUnfinishedUnique,
  sortRows,
  startFilling,
} from './index-table.ts'
import { uniqueTable } from './row-table-schema.ts'

/*
 * A unique index over many rows is filled in steps before it is enforced (`row-table-schema.ts`). Until then it records
 * which rows collide; if any do, it is never enforced.
 */

export interface UniquePlace {
  readonly structurePk: number
  /** The keys of the fields. */
  readonly keys: readonly string[]
}

/** Undefined when the structure or a field was deleted in the meantime. */
function findTable(reader: Reader, { structurePk, keys }: UniquePlace): IndexTable | undefined {
  const texts = findDefinitionTexts(reader, structurePk)
  const byKey = texts && definitionOf(texts).byKey
  const set = keys.flatMap((key) => byKey?.get(key) ?? [])
  return set.length === keys.length ? uniqueTable(structurePk, set) : undefined
}

const isFilling = (reader: Reader, table: IndexTable) => hasTable(reader, changedTable(table))
const isUnfinished = (reader: Reader, table: IndexTable) => hasTable(reader, collisionTable(table))

/** Creates the index, empty; returns false where there is nothing to fill. */
export const uniqueStart: WorkerTask<UniquePlace, boolean> = {
  name: 'structures.startUnique',
  isBackground: true,
  run: (reader, place) => {
    const table = findTable(reader, place)
    if (!table || (isIntact(reader, table) && !isUnfinished(reader, table))) return false
    // An earlier attempt was interrupted.
    dropIndexTable(reader, table)
    startFilling(reader, table)
    return true
  },
}

export const uniqueSort: WorkerTask<UniquePlace, string | undefined> = {
  name: 'structures.sortForUnique',
  isBackground: true,
  isPreparation: true,
  run: (reader, place) => {
    const table = findTable(reader, place)
    return table && isFilling(reader, table) ? sortRows(reader, table) : undefined
  },
}

/** One step of filling, from a position; ends at the first collision. */
export const uniqueFill: WorkerTask<UniquePlace & FillStep, FillState> = {
  name: 'structures.fillUnique',
  isBackground: true,
  run: (reader, { from, maxRows, ...place }) => {
    const table = findTable(reader, place)
    if (!table || !isFilling(reader, table)) return 'done'
    const state = fillSome(reader, table, { from, maxRows })
    if (state === 'lost') return state
    const collides = reader.sql.get(`SELECT 1 FROM ${collisionTable(table)} LIMIT 1`) !== undefined
    if (state !== 'done' && !collides) return state
    finishFilling(reader, table)
    return 'done'
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

/** `done` settles when what was started last is done. */
const newLast = (): { done: Promise<unknown> } => ({ done: Promise.resolve() })

function oneAtATime<T>({ state }: AppContext['worker'], run: () => Promise<T>): Promise<T> {
  const last = state.of(newLast)
  const done = last.done.then(run, run)
  last.done = done
  return done
}

/**
 * Fills unique indexes for the sets in steps, then runs `use`, which enforces them or refuses; those that are then
 * not enforced are removed. One structure at a time.
 */
export const withUniqueIndexes = <T>(
  { worker }: Pick<AppContext, 'worker'>,
  structurePk: number,
  sets: readonly UniqueSet[],
  use: () => Promise<T>,
): Promise<T> =>
  oneAtATime(worker, async () => {
    try {
      for (const set of sets) await fill(worker, { structurePk, keys: set.map(({ key }) => key) })
      return await use()
    } finally {
      await completing(() => worker.write(uniqueDrop, { structurePk }))
    }
  })

/** Removes what an interrupted process left behind. */
export const removeUnfinishedUnique = ({ worker, db }: Pick<AppContext, 'worker' | 'db'>): Promise<void> =>
  oneAtATime(worker, async () => {
    if (listUnfinishedUnique(db).length > 0) await worker.write(uniqueDrop, {})
  })

async function fill(worker: AppContext['worker'], place: UniquePlace): Promise<void> {
  if (await worker.write(uniqueStart, place)) await fillInSteps(worker, uniqueSort, uniqueFill, place)
}
