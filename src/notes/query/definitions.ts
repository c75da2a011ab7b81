import type { Reader } from '../../db/reader.ts'
import { type CheckedTree, checkTree, type TreeDefinitions } from '../../filter/tree/check.ts'
import type { ValueKind } from '../../filter/tree/operators.ts'
import type { FilterTree } from '../../filter/tree/parse.ts'

const TAG = 'SELECT name FROM tags WHERE id = ? AND workspace = ?'
const PROPERTY = 'SELECT pk, key, type FROM properties WHERE id = ? AND workspace = ?'

/** The tags and properties of a workspace, as a filter tree is checked against and described with. */
export const treeDefinitions = ({ sql }: Reader, workspace: number): TreeDefinitions => ({
  tag: (id) => sql.get<{ name: string }>(TAG, id, workspace),
  property: (id) => sql.get<{ pk: number; key: string; type: ValueKind }>(PROPERTY, id, workspace),
})

const EVERY_NOTE: CheckedTree = { kind: 'group', match: 'all', children: [] }

/** A tree checked against the workspace, ready to be evaluated; null matches every note. `place` names it in refusals. */
export const checkedTree = (
  reader: Reader,
  workspace: number,
  tree: FilterTree | null,
  place: string,
): CheckedTree => (tree ? checkTree(tree, treeDefinitions(reader, workspace), place) : EVERY_NOTE)
