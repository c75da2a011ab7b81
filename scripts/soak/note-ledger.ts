import type { Findings } from './findings.ts'

/** What a note holds; its title is its own. */
export interface NoteState {
  title: string
  content: string
  tags: string[]
  isTrashed: boolean
}

export type KnownNote = NoteState & { id: string }

/** Of a trashed note, the list tells the title alone. */
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

/** What was acknowledged about notes, and what was asked for and never answered. */
export class NoteLedger {
  readonly #notes = new Map<string, NoteState>()
  /** By id: what the note holds if the last change was made after all. */
  readonly #doubtful = new Map<string, NoteState>()
  /** By title. */
  readonly #doubtfulNew = new Map<string, NoteState>()

  acknowledge(note: KnownNote): void {
    this.#notes.set(note.id, stateOf(note))
  }

  /** Nothing may be asked of the note after this. */
  doubt(id: string, after: NoteState): void {
    this.#doubtful.set(id, stateOf(after))
  }

  doubtNew(after: NoteState): void {
    this.#doubtfulNew.set(after.title, after)
  }

  /** Holds all notes of the database, trashed ones too, against what was acknowledged. */
  compare(found: readonly KnownNote[], findings: Findings): void {
    const notes = new Map(found.map((note) => [note.id, note]))
    for (const [id, wanted] of this.#notes) {
      const note = notes.get(id)
      notes.delete(id)
      const maybe = this.#doubtful.get(id)
      const isGood = note && (isSame(stateOf(note), wanted) || (maybe && isSame(stateOf(note), maybe)))
      if (!isGood) findings.add('notes', `${id} is ${shown(note)}, not ${shown(wanted)} nor ${shown(maybe)}`)
    }
    for (const note of notes.values()) {
      const maybe = this.#doubtfulNew.get(note.title)
      this.#doubtfulNew.delete(note.title)
      if (!maybe || !isSame(stateOf(note), maybe))
        findings.add('notes', `${note.id} is ${shown(note)}, which nobody wrote`)
    }
  }
}
