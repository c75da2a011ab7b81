import type { ChangeKind } from '../../changes/entries.ts'
import { type ChangeAuthor, systemAuthor } from '../../changes/log.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import type { RemoteObject } from '../remote-objects.ts'
import type { Stage } from '../stage.ts'

/** One transaction that brings the copy to a later state of the remote. */
export interface CopyTransaction {
  readonly tx: Tx
  readonly workspacePk: number
  readonly stage: Stage
  readonly author: ChangeAuthor
  /** Whether the copy is empty, so that nothing needs to be looked for. */
  readonly isFresh: boolean
}

/** Writes of this author are not logged: the log has the changes of the remote instead. */
export const copyingAuthor = (workspacePk: number): ChangeAuthor => ({
  ...systemAuthor(workspacePk),
  isCopying: true,
})

/** The staged objects of a kind that exist on the remote. */
export function* present<Shape extends RemoteObject>(
  { stage }: CopyTransaction,
  kind: ChangeKind,
): Generator<Shape> {
  for (const { json } of stage.objects(kind)) if (json !== null) yield JSON.parse(json) as Shape
}

/** The ids of the staged objects of a kind that are gone on the remote. */
export function* gone({ stage }: CopyTransaction, kind: ChangeKind): Generator<string> {
  for (const { id, json } of stage.objects(kind)) if (json === null) yield id
}

export interface Timestamps {
  readonly created_at: string
  readonly updated_at: string
}

/** Of a timestamp as the API returns it. */
export const instantOf = (timestamp: string): number => Date.parse(timestamp)

export const instantsOf = ({ created_at, updated_at }: Timestamps) => ({
  createdAt: instantOf(created_at),
  updatedAt: instantOf(updated_at),
})

export const flagOf = (value: boolean): 0 | 1 => (value ? 1 : 0)

/** A name that no object can have, so that two objects of which one takes the other's name never collide. */
export const placeholderOf = (id: string | number): string => `\0${id}`
