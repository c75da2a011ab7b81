import { Refusal } from '../lib/refusal.ts'
import { fold } from '../lib/text.ts'
import { type ChangeAuthor, systemAuthor } from '../log/log.ts'
import type { Reader } from '../storage/reader.ts'
import type { ChangeKind } from '../storage/schema/changes.ts'
import type { Tx } from '../storage/writes/transaction.ts'

/** The state of a remote that a copy is brought to. */
export interface RemoteState {
  /** The objects of a kind in order; `json` is null for a deleted one. */
  objects(
    kind: ChangeKind,
  ): Iterable<{ readonly id: string; readonly structureId: string | null; readonly json: string | null }>
  /** The objects that exist on the remote. */
  present<Shown>(kind: ChangeKind): Iterable<Shown>
  /** The ids of the deleted objects. */
  gone(kind: ChangeKind): Iterable<string>
  /** All names that objects of a kind had while the remote was read. */
  namesOf(kind: ChangeKind): readonly { readonly name: string; readonly id: string }[]
  /** The bytes of a file in parts, or the text of its pages, numbered from 0. */
  contentsOf<Value>(content: 'part' | 'page', id: string): Iterable<[number: number, value: Value]>
  /** The files of notes that were restored from the trash. */
  noteFiles(): readonly { readonly note: string; readonly file: string }[]
}

/** One transaction that brings the copy to a later state of the remote. */
export class Copy<State extends RemoteState = RemoteState> {
  /** Writes of this author are not logged: the log has the changes of the remote instead. */
  readonly author: ChangeAuthor
  #names: Names | undefined

  constructor(
    readonly tx: Tx,
    readonly workspacePk: number,
    readonly stage: State,
    /** Whether the copy is empty, so that no lookups are needed. */
    readonly isFresh: boolean,
  ) {
    this.author = { ...systemAuthor(workspacePk), isCopying: true }
  }

  /** The names of tags and properties, available once these are written. */
  get names(): Names {
    this.#names ??= new Names(this.tx, this.workspacePk, this.stage)
    return this.#names
  }
}

/** Parses a timestamp as returned by the API. */
export const instantOf = (timestamp: string): number => Date.parse(timestamp)

export const instantsOf = (shown: { readonly created_at: string; readonly updated_at: string }) => ({
  createdAt: instantOf(shown.created_at),
  updatedAt: instantOf(shown.updated_at),
})

/*
 * The remote names tags and properties by their current names. If the objects were not all read at one moment, a tag
 * that was renamed meanwhile has two names in them.
 */

/** A name that is ambiguous because it moved to another object during the reading; the remote must be read again. */
const ambiguous = (kind: NamedKind, name: string) =>
  new Refusal('stale', `The ${kind} "${name}" was renamed while it was read.`)

export type NamedKind = 'tag' | 'property'

const CURRENT: Record<NamedKind, string> = {
  tag: 'SELECT id, id AS pk, name FROM tags WHERE workspace = ?',
  property: 'SELECT id, pk, key AS name FROM properties WHERE workspace = ?',
}

const AMBIGUOUS = -1

/** The pks of tags and properties in the copy, by name. */
class Names {
  readonly #pks: Record<NamedKind, ReadonlyMap<string, number>>

  constructor(reader: Reader, workspace: number, stage: RemoteState) {
    const namesOf = (kind: NamedKind) => pksByName(reader, workspace, stage, kind)
    this.#pks = { tag: namesOf('tag'), property: namesOf('property') }
  }

  /** Undefined for an object that was deleted since. */
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

function pksByName(
  reader: Reader,
  workspace: number,
  stage: RemoteState,
  kind: NamedKind,
): Map<string, number> {
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
