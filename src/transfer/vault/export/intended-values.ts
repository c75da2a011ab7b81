import { otherFrontMatter, splitFrontMatter } from '../../front-matter.ts'
import { fieldOfKey } from '../plan/note.ts'

export interface ListEdit {
  readonly field: 'tags' | 'aliases'
  readonly wordsOf: (value: unknown) => readonly string[]
  readonly isKept: (word: string) => boolean
  readonly added: readonly string[]
}

type FrontMatter = Readonly<Record<string, unknown>>

/** The front matter as an import reads it; undefined if it is not read. */
export const readFront = (front: string): FrontMatter | undefined =>
  front === '' ? {} : (splitFrontMatter(front, 'lossless').frontMatter ?? otherFrontMatter(front)?.fields)

/** The edits of front matter, by which its new text is checked. */
export class IntendedValues {
  /** The intended value of each edited key; undefined for a removed one. */
  readonly #values = new Map<string, unknown>()
  readonly #lists: ListEdit[] = []

  constructor(private readonly front: string) {}

  set(name: string, value: unknown): void {
    this.#values.set(name, value)
  }

  editList(edit: ListEdit): void {
    this.#lists.push(edit)
  }

  /** Whether an import reads the edited values in the text, and all others as before. */
  areReadIn(text: string): boolean {
    const before = readFront(this.front)
    const now = readFront(text)
    if (!before || !now) return false
    const isOther = (name: string) =>
      !this.#values.has(name) && !this.#lists.some(({ field }) => fieldOfKey(name) === field)
    const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(isOther)
    return (
      names.every((name) => isEqual(before[name], now[name])) &&
      [...this.#values].every(([name, value]) => isEqual(now[name], value)) &&
      this.#lists.every((edit) => isListIn(edit, before, now))
    )
  }
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Whether the list has the words that it had and keeps, and those that are added. */
function isListIn(
  { field, wordsOf, isKept, added }: ListEdit,
  before: FrontMatter,
  now: FrontMatter,
): boolean {
  const wordsIn = (front: FrontMatter) =>
    Object.entries(front)
      .flatMap(([name, value]) => (fieldOfKey(name) === field ? wordsOf(value) : []))
      .flatMap((word) => word.trim() || [])
  const wanted = [...wordsIn(before).filter(isKept), ...added.map((word) => word.trim())]
  return isEqual([...new Set(wordsIn(now))].sort(), [...new Set(wanted)].sort())
}
