import type { Reader } from '../../db/reader.ts'
import type { TreeDefinitions } from '../../filter/tree-check.ts'
import type { ValueKind } from '../../filter/tree-operators.ts'

const TAG = 'SELECT name FROM tags WHERE id = ? AND workspace = ?'
const PROPERTY = 'SELECT pk, key, type FROM properties WHERE id = ? AND workspace = ?'

/** The tags and properties of a workspace, as a filter tree is checked against and described with. */
export const treeDefinitions = ({ sql }: Reader, workspace: number): TreeDefinitions => ({
  tag: (id) => sql.get<{ name: string }>(TAG, id, workspace),
  property: (id) => sql.get<{ pk: number; key: string; type: ValueKind }>(PROPERTY, id, workspace),
})
