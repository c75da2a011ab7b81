import type { Tx } from '../db/writes/transaction.ts'
import { type ChangeKind, type ChangeOperation, differenceText, hexOf, keyOf, kindNumber } from './entries.ts'
import { type ActorRow, actorPk, lastChange } from './log.ts'

/** A change of another database, as it is written into the log of its copy. */
export interface MirroredChange {
  /** Changes in a row with the same name belong to one transaction. */
  readonly transaction: string
  readonly at: number
  readonly kind: ChangeKind
  readonly operation: ChangeOperation
  readonly id: string | number
  readonly structureId: string | null
  readonly changed: readonly string[]
  readonly previous: Readonly<Record<string, unknown>>
  readonly actor: ActorRow
}

const INSERT = `INSERT INTO changes (key, position, at, actor, kind, object, structure, detail)
  VALUES (?, ?, ?, ?, ?, unhex(?, '-'), unhex(?, '-'), ?)`

/** Appends changes to the log of a workspace as another database made them, with its authors and times. */
export function appendMirrored(tx: Tx, workspace: number, changes: Iterable<MirroredChange>): void {
  const actors = new Map<string, number>()
  let number = lastChange(tx, workspace)
  let first = 0
  let transaction: string | undefined
  for (const change of changes) {
    number += 1
    if (change.transaction !== transaction) first = number
    transaction = change.transaction
    const { kind, operation, changed, previous, structureId } = change
    const actorText = JSON.stringify(change.actor)
    const actor = actors.get(actorText) ?? actorPk(tx, change.actor)
    actors.set(actorText, actor)
    tx.sql.run(
      INSERT,
      keyOf(workspace, number),
      number - first,
      change.at,
      actor,
      kindNumber(kind, operation),
      hexOf(change.id),
      structureId,
      operation === 'updated' ? differenceText({ changed, previous }) : null,
    )
  }
}
