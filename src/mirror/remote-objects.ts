import { CHANGE_KINDS, CHANGE_OPERATIONS, type ChangeKind, type ChangeOperation } from '../changes/entries.ts'
import { refused } from '../refusal.ts'

/** An object as the remote's API returns it. */
export interface RemoteObject {
  readonly id: string | number
  readonly [attribute: string]: unknown
}

/** A change as the remote's feed returns it, with the current state of its object. */
export interface RemoteChange {
  readonly cursor: string
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
  readonly object: RemoteObject | null
}

/** A line of the remote's snapshot that holds an object. */
export interface SnapshotObject {
  readonly kind: ChangeKind
  readonly structure_id: string | null
  readonly object: RemoteObject
}

/** A kind of object that this program does not know comes from a remote of a newer version. */
export function checkedKind(kind: unknown): ChangeKind {
  const known = CHANGE_KINDS.find((one) => one === kind)
  if (known) return known
  throw refused(
    `The remote has objects of the kind "${kind}", which this daybook does not know; upgrade this daybook.`,
  )
}

/** A change of the feed; refuses one that only a newer program understands. */
export function checkedChange(change: RemoteChange): RemoteChange {
  checkedKind(change.kind)
  if (CHANGE_OPERATIONS.includes(change.op)) return change
  throw refused(
    `The remote logs the operation "${change.op}", which this daybook does not know; upgrade this daybook.`,
  )
}
