import type { Reader } from '../../db/reader.ts'
import { type CheckedTree, checkTree, type TreeDefinitions } from '../../filter/tree/check.ts'
import type { ValueKind } from '../../filter/tree/operators.ts'
import { type FilterTree, treeReferences } from '../../filter/tree/parse.ts'
import { memoize } from '../../lib/bounded-cache.ts'

/*
 * Filter trees of a workspace. A request's tree is parsed once (`parseTree`), checked against the tags and properties of
 * the workspace, and then evaluated or stored. Views and lenses store a parsed tree as JSON, or null for every note.
 */

const TAG = 'SELECT name FROM tags WHERE id = ? AND workspace = ? AND is_removed = 0'
const PROPERTY = 'SELECT pk, key, type FROM properties WHERE id = ? AND workspace = ? AND is_removed = 0'

/** Looks up the tags and properties of a workspace that trees refer to, each once. */
export const treeDefinitions = ({ sql }: Reader, workspace: number): TreeDefinitions => ({
  tag: memoize((id) => sql.get<{ name: string }>(TAG, id, workspace)),
  property: memoize((id) => sql.get<{ pk: number; key: string; type: ValueKind }>(PROPERTY, id, workspace)),
})

const EVERY_NOTE: CheckedTree = { kind: 'group', match: 'all', children: [] }

/** A tree checked against the workspace, ready to be evaluated; null matches every note. `place` names it in refusals. */
export const checkedTree = (
  reader: Reader,
  workspace: number,
  tree: FilterTree | null,
  place: string,
): CheckedTree => (tree ? checkTree(tree, treeDefinitions(reader, workspace), place) : EVERY_NOTE)

/** The JSON text under which a tree is stored; the tree is checked first. */
export function storedTree(
  reader: Reader,
  workspace: number,
  tree: FilterTree | null,
  place: string,
): string | null {
  checkedTree(reader, workspace, tree, place)
  return tree && JSON.stringify(tree)
}

/** A stored tree. It was parsed and checked when it was stored; what it refers to cannot be deleted meanwhile. */
export const readStoredTree = (stored: string | null): FilterTree | null =>
  stored === null ? null : JSON.parse(stored)

/** The tags and properties that a stored tree refers to, by id. */
export function storedTreeReferences(stored: string | null): ReturnType<typeof treeReferences> {
  const tree = readStoredTree(stored)
  return tree ? treeReferences(tree) : { tagIds: [], propertyIds: [] }
}
