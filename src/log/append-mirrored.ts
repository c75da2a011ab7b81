import type { ChangeKind, ChangeOperation } from '../storage/schema/changes.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { differenceText } from './difference.ts'
import { actorPk, hexOf, keyOf, kindNumber, lastChange } from './log.ts'

/** A change of another database, as returned by its feed and as logged in its copy. */
export interface MirroredChange {
  /** Consecutive changes with the same name belong to one transaction. */
  readonly transaction: string
  readonly at: string
  readonly kind: ChangeKind
  readonly op: ChangeOperation
  readonly id: string | number
  readonly structure_id: string | null
  readonly changed: readonly string[]
  readonly previous: Readonly<Record<string, unknown>>
  readonly actor: {
    readonly surface: string
    readonly user_id: string | null
    readonly key_id: string | null
    readonly name: string | null
  }
}

const INSERT = `INSERT INTO changes (key, position, at, actor, kind, object, structure, detail)
  VALUES (?, ?, ?, ?, ?, unhex(?, '-'), unhex(?, '-'), ?)`

/** Appends changes of another database to the log of a workspace, with their original authors and times. */
export function appendMirrored(tx: Tx, workspace: number, changes: Iterable<MirroredChange>): void {
  const actors = new Map<string, number>()
  let number = lastChange(tx, workspace)
  let first = 0
  let transaction: string | undefined
  for (const change of changes) {
    number += 1
    if (change.transaction !== transaction) first = number
    transaction = change.transaction
    const { kind, op, changed, previous } = change
    const { user_id: userId, key_id: keyId, ...others } = change.actor
    const actorText = JSON.stringify(change.actor)
    const actor = actors.get(actorText) ?? actorPk(tx, { ...others, userId, keyId })
    actors.set(actorText, actor)
    tx.sql.run(
      INSERT,
      keyOf(workspace, number),
      number - first,
      Date.parse(change.at),
      actor,
      kindNumber(kind, op),
      hexOf(change.id),
      change.structure_id,
      op === 'updated' ? differenceText({ changed, previous }) : null,
    )
  }
}
