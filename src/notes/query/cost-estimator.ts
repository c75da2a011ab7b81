import type { CheckedTree, ValueTest } from '../../filter/tree/check.ts'
import {
  columnCondition,
  fieldSource,
  isColumnTest,
  type Scope,
  type TagsCondition,
  type ValueCondition,
} from './conditions.ts'

/** Up to this many notes are tested one by one, whatever the remaining conditions are. */
export const CANDIDATE_LIMIT = 2_000

/** The estimated cost of evaluating a tree. */
interface Cost {
  /** How many index entries are read. */
  readonly rows: number
  /** The most notes that can match. */
  readonly maxMatches: number
  /** The cost of testing one note, in index entries. */
  readonly perNote: number
  /** What the conditions and groups cost however few notes they match, in index entries. */
  readonly fixed: number
}

/** A condition is a statement of its own, which takes as long as reading this many index entries. */
const ENTRIES_PER_NODE = 20
/** Making, combining and counting this many words of a bitset takes as long as reading an index entry. */
const WORDS_PER_ENTRY = 50
/** Searching this many bytes of text takes as long as reading an index entry. */
const BYTES_PER_ENTRY = 200
/** How many values are measured, as their lengths may differ much. With more notes, every read runs in the worker anyway. */
const SAMPLE_LIMIT = 10_000

/** Estimates trees in one state of the database, each node once. Cheap: nothing is counted beyond a few thousand. */
export class CostEstimator {
  readonly #known = new Map<CheckedTree, Cost>()
  readonly #textCosts = new Map<number, number>()
  readonly #tagCounts = new Map<number, number>()
  readonly #scope: Scope
  readonly #notes: number
  readonly #candidateLimit: number
  readonly #perNode: number

  /** `size` is above every pk. */
  constructor(scope: Scope, notes: number, size: number, candidateLimit: number) {
    this.#scope = scope
    this.#notes = notes
    this.#candidateLimit = candidateLimit
    this.#perNode = ENTRIES_PER_NODE + size / 32 / WORDS_PER_ENTRY
  }

  estimate(tree: CheckedTree): Cost {
    const known = this.#known.get(tree)
    if (known) return known
    const cost = this.#estimateNode(tree)
    this.#known.set(tree, cost)
    return cost
  }

  /** The most selective first. */
  mostSelectiveFirst(children: readonly CheckedTree[]): CheckedTree[] {
    return children.toSorted(
      (left, right) => this.estimate(left).maxMatches - this.estimate(right).maxMatches,
    )
  }

  #estimateNode(tree: CheckedTree): Cost {
    if (tree.kind === 'tags') return this.#estimateTags(tree)
    return tree.kind === 'value' ? this.#estimateValue(tree) : this.#estimateGroup(tree)
  }

  #estimateGroup({ match, children }: Extract<CheckedTree, { kind: 'group' }>): Cost {
    const costs = children.map((child) => this.estimate(child))
    const rows = sumOf(costs, 'rows')
    const perNote = sumOf(costs, 'perNote')
    const fixed = this.#perNode + sumOf(costs, 'fixed')
    if (match === 'any')
      return { rows, perNote, fixed, maxMatches: Math.min(this.#notes, sumOf(costs, 'maxMatches')) }
    if (match === 'none') return { rows, perNote, fixed, maxMatches: this.#notes }
    const [first] = costs.toSorted((left, right) => left.maxMatches - right.maxMatches)
    const maxMatches = first?.maxMatches ?? this.#notes
    return {
      rows: first && maxMatches <= this.#candidateLimit ? first.rows + maxMatches * perNote : rows,
      perNote,
      fixed,
      maxMatches,
    }
  }

  #estimateTags({ tagIds }: TagsCondition): Cost {
    const rows = tagIds.reduce((sum, id) => sum + this.#countTagged(id), 0)
    return { rows, maxMatches: Math.min(this.#notes, rows), perNote: 1, fixed: this.#perNode }
  }

  #countTagged(tag: number): number {
    const known = this.#tagCounts.get(tag)
    if (known !== undefined) return known
    const count = this.#scope.reader.sql.scalar<number>('SELECT note_count FROM tags WHERE id = ?', tag)
    this.#tagCounts.set(tag, count)
    return count
  }

  #estimateValue(condition: ValueCondition): Cost {
    const { target, test, isNegated } = condition
    const entries = this.#countEntries(condition) ?? this.#notes
    const perNote = 'property' in target && !isColumnTest(test) ? this.estimateText(target.property) : 1
    const listed = test.by === 'list' ? test.values.length : 0
    return {
      rows: entries * perNote,
      maxMatches: isNegated ? this.#notes : entries,
      perNote,
      fixed: this.#perNode + listed,
    }
  }

  /** The average cost of testing one text value of a property, in index entries. */
  estimateText(property: number): number {
    const known = this.#textCosts.get(property)
    if (known !== undefined) return known
    const bytes = this.#scope.reader.sql.scalar<number | null>(
      `SELECT avg(bytes) FROM (SELECT octet_length(value) AS bytes FROM note_properties WHERE property = ? LIMIT ?)`,
      property,
      this.#notes <= SAMPLE_LIMIT ? SAMPLE_LIMIT : this.#candidateLimit,
    )
    const cost = 1 + (bytes ?? 0) / BYTES_PER_ENTRY
    this.#textCosts.set(property, cost)
    return cost
  }

  /** How many index entries the condition reads; undefined when they are more than the candidate limit. */
  #countEntries({ target, test }: ValueCondition): number | undefined {
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
      this.#candidateLimit + 1,
    )
    return count > this.#candidateLimit ? undefined : count
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

const sumOf = (costs: readonly Cost[], of: keyof Cost) => costs.reduce((sum, cost) => sum + cost[of], 0)
