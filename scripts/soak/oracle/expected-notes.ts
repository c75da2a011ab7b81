import type { Violations } from '../report.ts'

/** The state of a note; titles are unique. */
export interface NoteState {
  title: string
  content: string
  tags: string[]
  isTrashed: boolean
}

export type KnownNote = NoteState & { id: string }

/** The listed parts of a note; for a trashed note, only the title. */
const visible = ({ title, content, tags, isTrashed }: NoteState) =>
  isTrashed ? { title, isTrashed } : { title, content, tags, isTrashed }

const isSame = (left: NoteState, right: NoteState) => Bun.deepEquals(visible(left), visible(right))
const stateOf = ({ title, content, tags, isTrashed }: NoteState): NoteState => ({
  title,
  content,
  tags,
  isTrashed,
})
const shown = (state: NoteState | undefined) => JSON.stringify(state)?.slice(0, 300)

/** The expected notes: acknowledged writes, and requests with an unknown outcome. */
export class ExpectedNotes {
  readonly #notes = new Map<string, NoteState>()
  /** Keyed by id: the state of the note if its last change was applied. */
  readonly #uncertain = new Map<string, NoteState>()
  /** New notes that may exist, keyed by title. */
  readonly #uncertainNew = new Map<string, NoteState>()

  acknowledge(note: KnownNote): void {
    this.#notes.set(note.id, stateOf(note))
  }

  /** The note must not change after this call. */
  addUncertain(id: string, after: NoteState): void {
    this.#uncertain.set(id, stateOf(after))
  }

  addUncertainNew(after: NoteState): void {
    this.#uncertainNew.set(after.title, after)
  }

  /** Compares all notes of the database, trashed ones included, with the expected ones. */
  compare(found: readonly KnownNote[], violations: Violations): void {
    const notes = new Map(found.map((note) => [note.id, note]))
    for (const [id, expected] of this.#notes) {
      const note = notes.get(id)
      notes.delete(id)
      const maybe = this.#uncertain.get(id)
      const isGood = note && (isSame(stateOf(note), expected) || (maybe && isSame(stateOf(note), maybe)))
      if (!isGood)
        violations.add('notes', `${id} is ${shown(note)}, not ${shown(expected)} nor ${shown(maybe)}`)
    }
    for (const note of notes.values()) {
      const maybe = this.#uncertainNew.get(note.title)
      this.#uncertainNew.delete(note.title)
      if (!maybe || !isSame(stateOf(note), maybe))
        violations.add('notes', `${note.id} is ${shown(note)}, which no actor wrote`)
    }
  }
}
