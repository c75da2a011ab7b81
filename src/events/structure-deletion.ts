import type { Static } from '@sinclair/typebox'
import type { Caller } from '../context.ts'
import { applicationEndpoints } from '../http/endpoints.ts'
import { write } from '../kernel/operation.ts'
import { refused } from '../lib/refusal.ts'
import { logChange, notifyAfterCommit } from '../log/log.ts'
import { removeStructure } from '../records/structures/deletion.ts'
import { StructureDeleted, StructureName } from '../records/structures/schema.ts'
import { changedStructure } from '../records/structures/service.ts'
import { getStructure, type StructureRow } from '../records/structures/store.ts'
import { deleteRowViewsOf } from '../records/views/service.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { removeSourcesOf } from './sources/deletion.ts'
import { removeWebhooksOf } from './webhooks/deletion.ts'

/**
 * Deletes a structure with its views, subscriptions and sources after the user repeated its name; jobs then remove its
 * rows.
 */
export const structureDeletion = write({
  name: 'events.deleteStructure',
  covers: 'structures',
  run: (tx, caller, { id, body: { name } }: { id: string; body: Static<typeof StructureName> }) => {
    const structure = getStructure(tx, caller, id, 'change')
    if (structure.name !== name)
      throw refused(`The name of this structure is "${structure.name}"; repeat it exactly.`)
    deleteStructure(tx, caller, structure)
    return { deleted: true, id: structure.id }
  },
})

/** Deletes a structure with its views, subscriptions and sources; joins the caller's transaction. */
export function deleteStructure(tx: Tx, caller: Caller, { pk, id }: Pick<StructureRow, 'pk' | 'id'>): void {
  removeWebhooksOf(tx, pk)
  removeSourcesOf(tx, pk)
  deleteRowViewsOf(tx, caller, pk)
  removeStructure(tx, pk)
  logChange(tx, caller, changedStructure(id), 'deleted')
  notifyAfterCommit(tx, id)
}

/** Endpoints for the application only. */
export const structureDeletionRoutes = () =>
  applicationEndpoints('structures').delete(
    '/structures/:id',
    ({ exchange, params, body }) => exchange.call(structureDeletion, { ...params, body }),
    { access: 'session-write', body: StructureName, response: StructureDeleted },
  )
