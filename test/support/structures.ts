import { commandCaller } from '../../src/cli/open-database.ts'
import { structureDeletion } from '../../src/events/structure-deletion.ts'
import { settle } from '../../src/kernel/job-steps.ts'
import { rowIndexRemoval, rowRemoval } from '../../src/records/structures/deletion.ts'
import { getStructure } from '../../src/records/structures/store.ts'
import type { TestService } from './service.ts'

/** Deletes a structure of the first workspace as the command line does, and leaves its rows to jobs. */
export async function markDeleted({ ctx }: TestService, nameOrId: string): Promise<number> {
  const caller = commandCaller({ pk: 1, id: '' })
  const { pk, id, name } = getStructure(ctx.db, caller, nameOrId, 'change')
  await ctx.kernel.callAs(caller, structureDeletion, { id, body: { name } })
  return pk
}

/** The same; returns after its rows are gone. */
export async function deleteStructure(service: TestService, nameOrId: string): Promise<void> {
  const pk = await markDeleted(service, nameOrId)
  for (const job of [rowIndexRemoval, rowRemoval]) await settle(service.ctx, job, pk)
}
