import type { Static } from '@sinclair/typebox'
import type { AppContext, InWorkspace } from '../context.ts'
import { applicationEndpoints } from '../http/endpoints.ts'
import { settle } from '../kernel/job-steps.ts'
import { write } from '../kernel/operation.ts'
import { refused } from '../lib/refusal.ts'
import { type ChangeAuthor, logChange, notifyAfterCommit } from '../log/log.ts'
import { removeStructure, rowIndexRemoval, rowRemoval } from '../records/structures/deletion.ts'
import { StructureDeleted, StructureName } from '../records/structures/schema.ts'
import { changedStructure } from '../records/structures/service.ts'
import { getStructure, type StructureRow } from '../records/structures/store.ts'
import { deleteRowViewsOf } from '../records/views/service.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { removeSourcesOf } from './sources/deletion.ts'
import { removeWebhooksOf } from './webhooks/deletion.ts'

/* Deletes a structure together with its rows, views, subscriptions and sources. */

function remove(tx: Tx, caller: ChangeAuthor, structure: StructureRow): void {
  removeWebhooksOf(tx, structure.pk)
  removeSourcesOf(tx, structure.pk)
  deleteRowViewsOf(tx, caller, structure.pk)
  removeStructure(tx, structure.pk)
  logChange(tx, caller, changedStructure(structure.id), 'deleted')
  notifyAfterCommit(tx, structure.id)
}

/** Deletes a structure, its rows and its subscriptions; returns its id after everything is gone. */
export async function deleteStructure(
  ctx: Pick<AppContext, 'db'> & Partial<Pick<AppContext, 'worker'>>,
  caller: ChangeAuthor & InWorkspace,
  nameOrId: string,
): Promise<string> {
  const { pk, id } = await ctx.db.write((tx) => {
    const structure = getStructure(tx, caller, nameOrId, 'change')
    remove(tx, caller, structure)
    return structure
  })
  await settle(ctx, rowIndexRemoval, pk)
  await settle(ctx, rowRemoval, pk)
  return id
}

/** Deletes a structure after the user repeated its name; jobs then remove its rows. */
export const structureDeletion = write({
  name: 'events.deleteStructure',
  covers: 'structures',
  run: (tx, caller, { id, body: { name } }: { id: string; body: Static<typeof StructureName> }) => {
    const structure = getStructure(tx, caller, id, 'change')
    if (structure.name !== name)
      throw refused(`The name of this structure is "${structure.name}"; repeat it exactly.`)
    remove(tx, caller, structure)
    return { deleted: true, id: structure.id }
  },
})

/** Endpoints for the application only. */
export const structureDeletionRoutes = () =>
  applicationEndpoints('structures').delete(
    '/structures/:id',
    ({ exchange, params, body }) => exchange.call(structureDeletion, { ...params, body }),
    { access: 'session-write', body: StructureName, response: StructureDeleted },
  )
