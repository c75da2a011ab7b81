import { fold } from '../../../lib/text.ts'
import { namesIn, targetKey, targetText } from '../../../notes/links/syntax.ts'

/** A note by what links find it. */
export interface NoteHead {
  readonly id: string
  readonly title: string
  readonly alias: string | null
  readonly created_at_ms: number
}

const isOlder = (one: NoteHead, other: NoteHead): boolean =>
  one.created_at_ms === other.created_at_ms ? one.id < other.id : one.created_at_ms < other.created_at_ms

/**
 * Finds the note that the target of a link means, as the server does: by its id, else its alias, else its title; of several
 * with one title the oldest.
 */
export class NoteNames {
  readonly #byId = new Map<string, NoteHead>()
  readonly #byAlias = new Map<string, NoteHead>()
  readonly #byTitle = new Map<string, NoteHead>()

  constructor(notes: readonly NoteHead[]) {
    for (const note of notes) this.add(note)
  }

  add(note: NoteHead): void {
    this.#byId.set(note.id, note)
    if (note.alias !== null) this.#byAlias.set(fold(note.alias), note)
    const title = fold(note.title)
    const known = this.#byTitle.get(title)
    if (!known || isOlder(note, known)) this.#byTitle.set(title, note)
  }

  withId(id: string): NoteHead | undefined {
    return this.#byId.get(id)
  }

  find(target: string): NoteHead | undefined {
    const key = targetKey(target)
    const parts = namesIn(targetText(key)).slice(1)
    for (const name of [key, ...parts.map((part) => part.trim())]) {
      const found = this.#named(name)
      if (found) return found
    }
    return undefined
  }

  /** A title may begin or end with blanks: the key then holds it after a line break. */
  #named(key: string): NoteHead | undefined {
    const [trimmed = '', whole = ''] = key.split('\n')
    return (
      (whole === '' ? undefined : this.#byTitle.get(whole)) ??
      this.#byId.get(trimmed) ??
      this.#byAlias.get(trimmed) ??
      this.#byTitle.get(trimmed)
    )
  }
}
