import type { Reader } from '../../db/reader.ts'
import { fold } from '../../lib/text.ts'
import { Refusal } from '../../refusal.ts'
import type { Stage } from '../stage.ts'

/*
 * The remote names tags and properties by their current names. Where the objects were not all read at one moment, a tag
 * that was renamed meanwhile has two names in them.
 */

/** A name could mean two tags or properties, because names moved between them while the remote was read: it must be read again. */
const ambiguous = (kind: Kind, name: string) =>
  new Refusal('stale', `The ${kind} "${name}" was renamed while it was read.`)

type Kind = 'tag' | 'property'

const CURRENT: Record<Kind, string> = {
  tag: 'SELECT id, id AS pk, name FROM tags WHERE workspace = ? AND is_removed = 0',
  property: 'SELECT id, pk, key AS name FROM properties WHERE workspace = ? AND is_removed = 0',
}

const AMBIGUOUS = -1

/** The pks of tags and properties in the copy, by their names. */
export class Names {
  readonly #pks: Record<Kind, ReadonlyMap<string, number>>

  constructor(reader: Reader, workspace: number, stage: Stage) {
    const namesOf = (kind: Kind) => pksByName(reader, workspace, stage, kind)
    this.#pks = { tag: namesOf('tag'), property: namesOf('property') }
  }

  /** Undefined for one that was deleted since. */
  find(kind: Kind, name: string): number | undefined {
    const pk = this.#pks[kind].get(fold(name))
    if (pk === AMBIGUOUS) throw ambiguous(kind, name)
    return pk
  }

  findAll(kind: Kind, names: readonly string[]): number[] {
    return names.map((name) => this.find(kind, name)).filter((pk) => pk !== undefined)
  }
}

function pksByName({ sql }: Reader, workspace: number, stage: Stage, kind: Kind): Map<string, number> {
  const current = sql.all<{ id: number | string; pk: number; name: string }>(CURRENT[kind], workspace)
  const byId = new Map(current.map(({ id, pk }) => [String(id), pk]))
  const byName = new Map(current.map(({ name, pk }) => [fold(name), pk]))
  for (const { name, id } of stage.namesOf(kind)) {
    const pk = byId.get(id)
    const known = byName.get(fold(name)) ?? pk
    if (pk !== undefined) byName.set(fold(name), known === pk ? pk : AMBIGUOUS)
  }
  return byName
}
