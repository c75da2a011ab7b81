import type { CheckedTree, ValueTest } from '../../filter/tree/check.ts'
import { columnCondition, fieldSource, isColumnTest, type Scope, type ValueCondition } from './conditions.ts'

/** Up to this many notes are tested one by one, whatever the remaining conditions are. */
export const CANDIDATE_LIMIT = 2_000

/** How many notes can match the trees of one query, each counted once and never beyond the candidate limit. */
export class Selectivity {
  readonly #known = new Map<CheckedTree, number>()
  readonly #scope: Scope
  readonly #notes: number
  readonly #candidateLimit: number

  constructor(scope: Scope, notes: number, candidateLimit: number) {
    this.#scope = scope
    this.#notes = notes
    this.#candidateLimit = candidateLimit
  }

  mostSelectiveFirst(children: readonly CheckedTree[]): readonly CheckedTree[] {
    if (children.length < 2) return children
    return children.toSorted((left, right) => this.#maxMatches(left) - this.#maxMatches(right))
  }

  #maxMatches(tree: CheckedTree): number {
    const known = this.#known.get(tree)
    if (known !== undefined) return known
    const most = Math.min(this.#notes, this.#countMatches(tree))
    this.#known.set(tree, most)
    return most
  }

  #countMatches(tree: CheckedTree): number {
    if (tree.kind === 'value') return tree.isNegated ? this.#notes : this.#countEntries(tree)
    if (tree.kind === 'tags') return sumOf(tree.tagIds.map((id) => this.#countTagged(id)))
    const ofChildren = tree.children.map((child) => this.#maxMatches(child))
    if (tree.match === 'any') return sumOf(ofChildren)
    return tree.match === 'none' ? this.#notes : Math.min(this.#notes, ...ofChildren)
  }

  #countTagged(tag: number): number {
    return this.#scope.reader.sql.scalar('SELECT note_count FROM tags WHERE id = ?', tag)
  }

  /** How many index entries the condition reads. */
  #countEntries({ target, test }: ValueCondition): number {
    const { reader, today } = this.#scope
    const isTextInTitle = 'field' in target && target.field === 'title' && test.by === 'text'
    const { text, values } =
      'field' in target
        ? fieldSource(this.#scope, target.field, isTextInTitle ? PRESENT : test)
        : ofProperty(target.property, test, today)
    const count = reader.sql.scalar<number>(
      `SELECT count(*) FROM (SELECT 1 ${text} LIMIT ?)`,
      ...values,
      this.#candidateLimit + 1,
    )
    return count > this.#candidateLimit ? this.#notes : count
  }
}

const PRESENT: ValueTest = { by: 'presence' }

function ofProperty(property: number, test: ValueTest, today: string) {
  const condition = columnCondition(isColumnTest(test) ? test : { by: 'presence' }, 'value', today)
  return {
    text: `FROM note_properties WHERE property = ? AND ${condition.text}`,
    values: [property, ...condition.values],
  }
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)
