import {
  buildAutoIndex,
  dropAutoIndex,
  listAutoIndexes,
  unusedIndexRemoval,
} from '../../src/records/structures/storage/auto-index.ts'
import { fillTextIndex, TEXT_INDEX } from '../../src/records/structures/storage/text-index.ts'
import { runJobs, runRecurring } from './jobs.ts'
import type { TestService } from './service.ts'

/*
 * The indexes of structures, built and dropped at chosen moments: a server builds them for frequent reads of large
 * tables. The column of a field is named by its number, and a pair of columns with a comma.
 */

const structurePk = ({ ctx }: TestService, id: string) =>
  ctx.db.sql.scalar<number>('SELECT pk FROM structures WHERE id = ?', id)

export async function buildIndexes(service: TestService, structure: string, ...columns: string[]) {
  for (const column of columns)
    await buildAutoIndex(service.ctx, { structurePk: structurePk(service, structure), column })
}

export async function dropIndexes(service: TestService, structure: string): Promise<void> {
  const pk = structurePk(service, structure)
  for (const column of listAutoIndexes(service.ctx.db, pk))
    await service.ctx.db.write((tx): void => dropAutoIndex(tx, { structurePk: pk, column }))
}

/** Creates the text index of a structure; jobs or `fillTextIndexPart` fill it. */
export const buildTextIndex = (service: TestService, structure: string): Promise<void> =>
  buildIndexes(service, structure, TEXT_INDEX)

/** Adds at most this many rows to the text index; returns whether rows are left. */
export const fillTextIndexPart = (service: TestService, structure: string, maxRows: number) =>
  service.ctx.db.write((tx): boolean => fillTextIndex(tx, structurePk(service, structure), maxRows))

export async function fillWholeTextIndex(service: TestService, structure: string): Promise<void> {
  while (await fillTextIndexPart(service, structure, 500));
}

/** The indexes of all structures, by their columns. */
export const indexesOf = ({ ctx }: TestService) =>
  ctx.db.sql.column<string>('SELECT "column" FROM auto_indexes ORDER BY "column"')

/** Drops the indexes that no read has used for 30 days, as a server does every day. */
export async function removeUnusedIndexes({ ctx }: TestService): Promise<void> {
  await runRecurring(ctx, [unusedIndexRemoval])
  await runJobs(ctx)
}
