import type { Reader } from '../../db/reader.ts'
import { fold } from '../../lib/text.ts'

interface NamedParts {
  readonly tags: readonly string[]
  readonly properties: Readonly<Record<string, unknown>>
}

const TAGS = 'SELECT id, name FROM tags WHERE workspace = ? AND is_removed = 0'
const PROPERTIES = 'SELECT pk AS id, key AS name FROM properties WHERE workspace = ? AND is_removed = 0'

interface Named {
  readonly id: number
  readonly name: string
}

/**
 * Notes name their tags and properties: what was changed here takes the names that these have after a change of the
 * remote, and loses those that it deleted.
 */
export class Renamed {
  readonly #tags: ReadonlyMap<string, number>
  readonly #properties: ReadonlyMap<string, number>

  /** The names before the change. */
  constructor(
    private readonly reader: Reader,
    private readonly workspace: number,
  ) {
    const idsOf = (select: string) =>
      new Map(reader.sql.all<Named>(select, workspace).map(({ id, name }) => [fold(name), id]))
    this.#tags = idsOf(TAGS)
    this.#properties = idsOf(PROPERTIES)
  }

  /** `localTags` are the names of tags that the remote need not have, by id. */
  now(json: string, localTags: ReadonlyMap<number, string>): string {
    const note = JSON.parse(json) as NamedParts
    const namesOf = (select: string) =>
      new Map(this.reader.sql.all<Named>(select, this.workspace).map(({ id, name }) => [id, name]))
    const [tags, keys] = [namesOf(TAGS), namesOf(PROPERTIES)]
    const tagNow = (name: string) => {
      const id = this.#tags.get(fold(name))
      return id === undefined ? undefined : (tags.get(id) ?? localTags.get(id))
    }
    return JSON.stringify({
      ...note,
      tags: note.tags.map(tagNow).filter((name) => name !== undefined),
      properties: Object.fromEntries(
        Object.entries(note.properties).flatMap(([key, value]) => {
          const known = keys.get(this.#properties.get(fold(key)) ?? 0)
          return known === undefined ? [] : [[known, value]]
        }),
      ),
    })
  }
}
