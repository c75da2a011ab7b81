import type { CheckedTree } from '../../filter/tree/check.ts'
import { memoize } from '../../lib/bounded-cache.ts'
import { columnCondition, fieldSource, isColumnTest, type Scope, type ValueCondition } from './conditions.ts'

/** Up to this many notes are tested one by one, whatever the remaining conditions are. */
export const CANDIDATE_LIMIT = 2_000

/** Returns how many of the workspace's notes can match a tree, counted no further than the limit. */
export function matchCounter(scope: Scope, notes: number, limit: number): (tree: CheckedTree) => number {
  const { sql } = scope.reader
  const tagged = (tag: number) => sql.scalar<number>('SELECT note_count FROM tags WHERE id = ?', tag)
  const entries = (condition: ValueCondition): number => {
    const { text, values } = entriesOf(scope, condition)
    const count = sql.scalar<number>(`SELECT count(*) FROM (SELECT 1 ${text} LIMIT ?)`, ...values, limit + 1)
    return count > limit ? notes : count
  }
  const most = memoize((tree: CheckedTree): number => {
    if (tree.kind === 'value') return tree.isNegated ? notes : entries(tree)
    if (tree.kind === 'tags') return Math.min(notes, sumOf(tree.tagIds.map(tagged)))
    if (tree.match === 'none') return notes
    const ofChildren = tree.children.map(most)
    return Math.min(notes, tree.match === 'any' ? sumOf(ofChildren) : Math.min(...ofChildren))
  })
  return most
}

const PRESENT = { by: 'presence' } as const

/** `FROM … WHERE …` over the index entries that the condition reads. */
function entriesOf(scope: Scope, { target, test }: ValueCondition) {
  if ('field' in target) return fieldSource(scope, target.field, test.by === 'text' ? PRESENT : test)
  const condition = columnCondition(isColumnTest(test) ? test : PRESENT, 'value', scope.today)
  return {
    text: `FROM note_properties WHERE property = ? AND ${condition.text}`,
    values: [target.property, ...condition.values],
  }
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)
