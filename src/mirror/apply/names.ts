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
  tag: 'SELECT id, name FROM tags WHERE workspace = ? AND is_removed = 0',
  property: 'SELECT pk AS id, key AS name FROM properties WHERE workspace = ? AND is_removed = 0',
}

/** The pks of tags and properties in the copy, by their names. */
export class Names {
  readonly #pks: Record<Kind, Map<string, number>>

  constructor(reader: Reader, workspace: number, stage: Stage) {
    this.#pks = {
      tag: namesOf(reader, workspace, stage, 'tag'),
      property: namesOf(reader, workspace, stage, 'property'),
    }
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

const AMBIGUOUS = -1

function namesOf(reader: Reader, workspace: number, stage: Stage, kind: Kind): Map<string, number> {
  const pks = new Map<string, number>()
  for (const { id, name } of reader.sql.all<{ id: number; name: string }>(CURRENT[kind], workspace))
    pks.set(fold(name), id)
  for (const { name, id } of stage.namesOf(kind)) {
    const pk = kind === 'tag' ? Number(id) : propertyPk(reader, id)
    const known = pks.get(fold(name))
    if (pk !== undefined) pks.set(fold(name), known === undefined || known === pk ? pk : AMBIGUOUS)
  }
  return pks
}

const propertyPk = ({ sql }: Reader, id: string): number | undefined =>
  sql.get<{ pk: number }>('SELECT pk FROM properties WHERE id = ? AND is_removed = 0', id)?.pk
