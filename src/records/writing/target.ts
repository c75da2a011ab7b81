import type { RecordChange } from '../../changes/record-change.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { subscriptionsOf } from '../../delivery/outbox/match.ts'
import { type Outlet, publishChange } from '../../delivery/outbox/publish.ts'
import { Refusal } from '../../refusal.ts'
import { type Definition, definitionOf } from '../../structures/definition.ts'
import type { StructureRow } from '../../structures/store.ts'
import { countLive } from '../store.ts'

/** A structure whose rows a transaction writes, and on whose behalf. */
export interface Target {
  readonly tx: Tx
  readonly outlet: Outlet
  readonly caller: Caller
  readonly structure: StructureRow
  readonly definition: Definition
}

export const targetOf = (
  { bus }: Pick<AppContext, 'bus'>,
  tx: Tx,
  caller: Caller,
  structure: StructureRow,
): Target => {
  const definition = definitionOf(structure)
  const subscriptions = subscriptionsOf(tx, structure, definition.byKey)
  const outlet = { tx, bus, workspaceId: caller.workspaceId, subscriptions }
  return { tx, outlet, caller, structure, definition }
}

/** Moves the count of live rows, in storage and in the row at hand. */
export function moveLive({ tx, structure }: Target, step: number): void {
  countLive(tx, structure.pk, step)
  structure.live += step
}

/** Hands a change of a row of this structure to the subscriptions and to whoever listens. */
export function publish(
  { outlet, caller, structure }: Target,
  change: Pick<RecordChange, 'kind' | 'before' | 'after'>,
  changed: readonly string[] = [],
): void {
  publishChange(outlet, {
    ...change,
    changed,
    workspacePk: caller.workspacePk,
    structure: { pk: structure.pk, id: structure.id, name: structure.name },
    source: { surface: caller.surface, keyId: caller.keyId },
  })
}

export function refuseImmutable({ immutable, name }: StructureRow): void {
  if (immutable === 0) return
  throw new Refusal(
    'immutable',
    `The rows of "${name}" are immutable: they can be written and deleted, never edited. Write a new row, or switch "immutable" off.`,
  )
}

export function refuseFull({ maxRows, live, name }: StructureRow): void {
  if (maxRows === null || live < maxRows) return
  throw new Refusal(
    'max_rows_reached',
    `"${name}" holds ${live} of at most ${maxRows} rows; delete a row or raise "max_rows".`,
  )
}
