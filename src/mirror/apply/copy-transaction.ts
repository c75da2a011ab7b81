import type { ChangeKind } from '../../changes/entries.ts'
import { type ChangeAuthor, systemAuthor } from '../../changes/log.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { fold } from '../../lib/text.ts'
import { Refusal } from '../../refusal.ts'
import type { Stage } from '../stage.ts'

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

/*
 * The remote names tags and properties by their current names. Where the objects were not all read at one moment, a tag
 * that was renamed meanwhile has two names in them.
 */

/**
 * A name could mean two tags or properties, because names moved between them while the remote was read: it must be read
 * again.
 */
const ambiguous = (kind: NamedKind, name: string) =>
  new Refusal('stale', `The ${kind} "${name}" was renamed while it was read.`)

export type NamedKind = 'tag' | 'property'

const CURRENT: Record<NamedKind, string> = {
  tag: 'SELECT id, id AS pk, name FROM tags WHERE workspace = ?',
  property: 'SELECT id, pk, key AS name FROM properties WHERE workspace = ?',
}

const AMBIGUOUS = -1

/** The pks of tags and properties in the copy, by their names. */
class Names {
  readonly #pks: Record<NamedKind, ReadonlyMap<string, number>>

  constructor(reader: Reader, workspace: number, stage: Stage) {
    const namesOf = (kind: NamedKind) => pksByName(reader, workspace, stage, kind)
    this.#pks = { tag: namesOf('tag'), property: namesOf('property') }
  }

  /** Undefined for one that was deleted since. */
  find(kind: NamedKind, name: string): number | undefined {
    const pk = this.#pks[kind].get(fold(name))
    if (pk === AMBIGUOUS) throw ambiguous(kind, name)
    return pk
  }

  findAll(kind: NamedKind, names: readonly string[]): number[] {
    return names.map((name) => this.find(kind, name)).filter((pk) => pk !== undefined)
  }
}

/** All tags or properties; the pk of a tag is its id. */
export const listNamed = ({ sql }: Reader, workspace: number, kind: NamedKind) =>
  sql.all<{ id: number | string; pk: number; name: string }>(CURRENT[kind], workspace)

function pksByName(reader: Reader, workspace: number, stage: Stage, kind: NamedKind): Map<string, number> {
  const current = listNamed(reader, workspace, kind)
  const byId = new Map(current.map(({ id, pk }) => [String(id), pk]))
  const byName = new Map(current.map(({ name, pk }) => [fold(name), pk]))
  for (const { name, id } of stage.namesOf(kind)) {
    const pk = byId.get(id)
    const known = byName.get(fold(name)) ?? pk
    if (pk !== undefined) byName.set(fold(name), known === pk ? pk : AMBIGUOUS)
  }
  return byName
}
