import type { CheckedTree, ValueTest } from '../../filter/tree/check.ts'
import { fieldSource, type Scope, type TagsLeaf, type ValueLeaf } from './condition-sql.ts'
import { columnCondition, isColumnTest } from './value-tests.ts'

/** So few notes are looked at one by one, whatever else is asked of them. */
export const FEW = 2_000

/** What evaluating a tree comes to. */
export interface Weight {
  /** How many entries of indexes are read. */
  readonly rows: number
  /** How many notes can match at most. */
  readonly most: number
  /** What judging one note comes to, in entries. */
  readonly each: number
}

/** Looking through so many bytes of text takes as long as reading an entry of an index. */
const BYTES_OF_AN_ENTRY = 200
/** Texts may differ much in length; of more notes than so many, reads are done in the worker however short they are. */
const MEASURED = 10_000

/** Weighs trees of one state of the database, each node once; cheap, as nothing is counted beyond a few thousand. */
export class Scales {
  readonly #known = new Map<CheckedTree, Weight>()
  readonly #textWeights = new Map<number, number>()
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
    const each = sumOf(weights, 'each')
    if (match === 'any') return { rows, each, most: Math.min(this.#notes, sumOf(weights, 'most')) }
    if (match === 'none') return { rows, each, most: this.#notes }
    const [first] = weights.toSorted((left, right) => left.most - right.most)
    const most = first?.most ?? this.#notes
    return { rows: first && most <= this.#few ? first.rows + most * each : rows, each, most }
  }

  #weighTags({ tagIds }: TagsLeaf): Weight {
    const { sql } = this.#scope.reader
    const counts = tagIds.map((id) => sql.scalar<number>('SELECT note_count FROM tags WHERE id = ?', id))
    const rows = counts.reduce((sum, count) => sum + count, 0)
    return { rows, most: Math.min(this.#notes, rows), each: 1 }
  }

  #weighValue(leaf: ValueLeaf): Weight {
    const { target, test, isNegated } = leaf
    const entries = this.#countFew(leaf) ?? this.#notes
    const each = 'property' in target && !isColumnTest(test) ? this.weighText(target.property) : 1
    return { rows: entries * each, most: isNegated ? this.#notes : entries, each }
  }

  /** What looking through one value of a property comes to on average, in entries. */
  weighText(property: number): number {
    const known = this.#textWeights.get(property)
    if (known !== undefined) return known
    const bytes = this.#scope.reader.sql.scalar<number | null>(
      `SELECT avg(bytes) FROM (SELECT octet_length(value) AS bytes FROM note_properties WHERE property = ? LIMIT ?)`,
      property,
      this.#notes <= MEASURED ? MEASURED : this.#few,
    )
    const weight = 1 + (bytes ?? 0) / BYTES_OF_AN_ENTRY
    this.#textWeights.set(property, weight)
    return weight
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
