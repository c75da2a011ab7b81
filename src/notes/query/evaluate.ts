import type { CheckedTree } from '../../filter/tree/parse.ts'
import { memoize } from '../../lib/bounded-cache.ts'
import { scanOf } from '../../lib/scan.ts'
import type { Reader } from '../../storage/reader.ts'
import { type Bitset, bitsetOf, complementOf, countBits, intersection, isIn, pksOf, union } from './bitset.ts'
import {
  columnCondition,
  fieldSource,
  isColumnTest,
  notesPassing,
  notesTagged,
  type Scope,
  type ValueCondition,
} from './conditions.ts'

/** The active notes that match a tree. */
export interface Matching {
  /** Never contains trashed notes. */
  readonly set: Bitset
  readonly total: number
}

export interface Evaluation extends Scope {
  /** Greater than every pk. */
  readonly size: number
  readonly live: number
  readonly trashed: number
  /** Whether pk order equals id order. */
  readonly inOrder: boolean
  /** The maximum number of notes that can match a tree. */
  readonly mostMatches: (tree: CheckedTree) => number
  /** Up to this many notes are tested individually. */
  readonly candidateLimit: number
}

interface WorkspaceSize {
  live: number
  trashed: number
  inOrder: number
  lastPk: number | null
}

/** The size of a workspace with hidden notes (`NOWHERE`). */
const EMPTY: WorkspaceSize = { live: 0, trashed: 0, inOrder: 1, lastPk: null }

/**
 * Prepares evaluations over the current state of the workspace. Trees need `today`, the UTC day as `YYYY-MM-DD`, for
 * relative days.
 */
export function evaluationOf(
  reader: Reader,
  workspace: number,
  today = '',
  candidateLimit = CANDIDATE_LIMIT,
): Evaluation {
  const known = reader.sql.get<WorkspaceSize>(
    `SELECT live_notes AS live, trashed_notes AS trashed, notes_in_order AS inOrder,
       (SELECT max(pk) FROM notes) AS lastPk FROM workspaces WHERE pk = ?`,
    workspace,
  )
  const scope = { reader, workspace, today }
  const { live, trashed, inOrder, lastPk } = known ?? EMPTY
  return {
    ...scope,
    size: (lastPk ?? 0) + 1,
    live,
    trashed,
    inOrder: inOrder === 1,
    mostMatches: matchCounter(scope, live + trashed, candidateLimit),
    candidateLimit,
  }
}

/** The active notes that match the tree; with `among`, limited to these pks. */
export function matchTree(evaluation: Evaluation, tree: CheckedTree, among?: readonly number[]): Matching {
  if (among === undefined) return active(evaluation, evaluate(evaluation, tree))
  const found = evaluate({ ...evaluation, among: JSON.stringify(among) }, tree)
  return active(evaluation, intersection(bitsetOf(among, evaluation.size), found))
}

/** Whether one active note matches a checked tree. */
export const matchesTree = (
  reader: Reader,
  workspace: number,
  tree: CheckedTree,
  today: string,
  pk: number,
): boolean =>
  isIn(evaluate({ ...evaluationOf(reader, workspace, today), among: JSON.stringify([pk]) }, tree), pk)

/** The pks of the active notes that match a checked tree, ascending. */
export function matchingNotes(reader: Reader, workspace: number, tree: CheckedTree, today: string): number[] {
  const evaluation = evaluationOf(reader, workspace, today)
  const { set } = matchTree(evaluation, tree)
  if (!set.isComplement) return pksOf(set)
  const all: number[] = JSON.parse(
    reader.sql.scalar(
      `SELECT json_group_array(pk) FROM notes WHERE ${scanOf('pk').text} AND workspace = ?`,
      workspace,
    ),
  )
  return pksOf(intersection(bitsetOf(all, evaluation.size), set))
}

function active(evaluation: Evaluation, found: Bitset): Matching {
  const set = intersection(found, complementOf(trashedNotes(evaluation)))
  const bits = countBits(set)
  return { set, total: set.isComplement ? evaluation.live + evaluation.trashed - bits : bits }
}

function trashedNotes({ reader, workspace, size }: Evaluation): Bitset {
  const pks = reader.sql.column<number>(
    `SELECT pk FROM notes INDEXED BY notes_trash
     WHERE ${scanOf('pk').text} AND workspace = ? AND deleted_at IS NOT NULL`,
    workspace,
  )
  return bitsetOf(pks, size)
}

function evaluate(evaluation: Evaluation, tree: CheckedTree): Bitset {
  if (tree.kind === 'tags') return bitsetOf(notesTagged(evaluation, tree), evaluation.size)
  if (tree.kind === 'value') {
    const passing = bitsetOf(notesPassing(evaluation, tree), evaluation.size)
    return tree.isNegated ? complementOf(passing) : passing
  }
  if (tree.match === 'all') return evaluateAll(evaluation, tree.children)
  const some = evaluateAny(evaluation, tree.children)
  return tree.match === 'none' ? complementOf(some) : some
}

const nothing = ({ size }: Evaluation) => bitsetOf([], size)

const evaluateAny = (evaluation: Evaluation, children: readonly CheckedTree[]): Bitset =>
  children.map((child) => evaluate(evaluation, child)).reduce(union, nothing(evaluation))

/** Once few notes remain, the other conditions are tested only on those. */
function evaluateAll(evaluation: Evaluation, children: readonly CheckedTree[]): Bitset {
  let found = complementOf(nothing(evaluation))
  let next = evaluation
  const { among, mostMatches } = evaluation
  const ordered =
    among !== undefined || children.length < 2
      ? children
      : children.toSorted((left, right) => mostMatches(left) - mostMatches(right))
  for (const child of ordered) {
    found = intersection(found, evaluate(next, child))
    if (found.isComplement) continue
    const count = countBits(found)
    if (count === 0) return found
    if (next.among === undefined && count <= next.candidateLimit)
      next = { ...next, among: JSON.stringify(pksOf(found)) }
  }
  return found
}

/** Up to this many notes are tested individually, whatever the remaining conditions are. */
const CANDIDATE_LIMIT = 2_000

/** Returns a function that counts the workspace's notes that can match a tree, up to the limit. */
function matchCounter(scope: Scope, notes: number, limit: number): (tree: CheckedTree) => number {
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
