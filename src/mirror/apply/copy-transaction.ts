import type { ChangeKind } from '../../changes/entries.ts'
import { type ChangeAuthor, systemAuthor } from '../../changes/log.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import type { Stage } from '../stage.ts'
import { Names } from './names.ts'

/** One transaction that brings the copy to a later state of the remote. */
export class CopyTransaction {
  /** Writes of this author are not logged: the log has the changes of the remote instead. */
  readonly author: ChangeAuthor
  #names: Names | undefined

  constructor(
    readonly tx: Tx,
    readonly workspacePk: number,
    readonly stage: Stage,
    /** Whether the copy is empty, so that nothing needs to be looked for. */
    readonly isFresh: boolean,
  ) {
    this.author = { ...systemAuthor(workspacePk), isCopying: true }
  }

  /** Of the tags and properties, once those are written. */
  get names(): Names {
    this.#names ??= new Names(this.tx, this.workspacePk, this.stage)
    return this.#names
  }
}

/** How the objects of a kind come into the copy, each in the form in which responses show it. */
export interface Restorer<Shown = never> {
  readonly kind: ChangeKind
  /** Deletes the objects that are gone on the remote, and of these those that the copy has. */
  remove(copy: CopyTransaction, ids: Iterable<string>): void
  /** Takes from an object, before any is written, what only one may have. */
  setAside?(copy: CopyTransaction, id: string): void
  /** Leaves out what refers to an object that is gone. */
  write(copy: CopyTransaction, object: Shown, structureId: string | null): void
  /** Called when all objects of the kind are written. */
  finish?(copy: CopyTransaction): void
}

/** Of a timestamp as the API returns it. */
export const instantOf = (timestamp: string): number => Date.parse(timestamp)

export const instantsOf = (shown: { readonly created_at: string; readonly updated_at: string }) => ({
  createdAt: instantOf(shown.created_at),
  updatedAt: instantOf(shown.updated_at),
})
