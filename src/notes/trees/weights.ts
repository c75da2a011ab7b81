import type { CheckedTree, ValueTest } from '../../filter/tree-check.ts'
import { fieldSource, type Scope, type TagsLeaf, type ValueLeaf } from './leaves.ts'
import { columnCondition, isColumnTest } from './value-tests.ts'

/** So few notes are looked at one by one, whatever else is asked of them. */
export const FEW = 2_000

/** What evaluating a tree comes to. */
export interface Weight {
  /** How many entries of indexes are read. */
  readonly rows: number
  /** How many notes can match at most. */
  readonly most: number
}

/** Weighs trees of one state of the database, each node once; cheap, as nothing is counted beyond a few thousand. */
export class Scales {
  readonly #known = new Map<CheckedTree, Weight>()
  readonly #scope: Scope
  readonly #notes: number
  readonly #few: number

  constructor(scope: Scope, notes: number, few: number) {
    this.#scope = scope
    this.#notes = notes
    this.#few = few
  }

  weigh(tree: CheckedTree): Weight {
    const known = this.#known.get(tree)
    if (known) return known
    const weight = this.#weighNode(tree)
    this.#known.set(tree, weight)
    return weight
  }

  /** The most selective first. */
  lightestFirst(children: readonly CheckedTree[]): CheckedTree[] {
    return children.toSorted((left, right) => this.weigh(left).most - this.weigh(right).most)
  }

  #weighNode(tree: CheckedTree): Weight {
    if (tree.kind === 'tags') return this.#weighTags(tree)
    return tree.kind === 'value' ? this.#weighValue(tree) : this.#weighGroup(tree)
  }

  #weighGroup({ match, children }: Extract<CheckedTree, { kind: 'group' }>): Weight {
    const weights = children.map((child) => this.weigh(child))
    const rows = sumOf(weights, 'rows')
    if (match === 'any') return { rows, most: Math.min(this.#notes, sumOf(weights, 'most')) }
    if (match === 'none') return { rows, most: this.#notes }
    const [first] = weights.toSorted((left, right) => left.most - right.most)
    const most = first?.most ?? this.#notes
    return { rows: first && most <= this.#few ? first.rows + most * weights.length : rows, most }
  }

  #weighTags({ tagIds }: TagsLeaf): Weight {
    const { sql } = this.#scope.reader
    const counts = tagIds.map((id) => sql.scalar<number>('SELECT note_count FROM tags WHERE id = ?', id))
    const rows = counts.reduce((sum, count) => sum + count, 0)
    return { rows, most: Math.min(this.#notes, rows) }
  }

  #weighValue(leaf: ValueLeaf): Weight {
    const few = this.#countFew(leaf)
    const rows = few ?? this.#notes
    return { rows, most: leaf.isNegated ? this.#notes : rows }
  }

  /** How many entries of an index the leaf reads; undefined when they are more than few. */
  #countFew({ target, test }: ValueLeaf): number | undefined {
    const { reader, today } = this.#scope
    const { text, values } =
      'field' in target
        ? fieldSource(
            this.#scope,
            target.field,
            target.field === 'title' && test.by === 'text' ? PRESENT : test,
          )
        : ofProperty(target.property, test, today)
    const count = reader.sql.scalar<number>(
      `SELECT count(*) FROM (SELECT 1 ${text} LIMIT ?)`,
      ...values,
      this.#few + 1,
    )
    return count > this.#few ? undefined : count
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

const sumOf = (weights: readonly Weight[], of: keyof Weight) =>
  weights.reduce((sum, weight) => sum + weight[of], 0)
