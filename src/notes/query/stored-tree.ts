import type { Reader } from '../../db/reader.ts'
import { checkTree } from '../../filter/tree/check.ts'
import { type FilterTree, parseTree, treeReferences } from '../../filter/tree/parse.ts'
import { treeDefinitions } from './definitions.ts'

/*
 * Filter trees as views and lenses keep them: as JSON, or null for every note. They name tags and properties by id.
 */

/** The text that is kept of a tree that was sent; `place` names it in refusals. */
export function keptTree(
  reader: Reader,
  workspace: number,
  sent: FilterTree | null,
  place: string,
): string | null {
  if (sent === null) return null
  const tree = parseTree(sent, place)
  checkTree(tree, treeDefinitions(reader, workspace), place)
  return JSON.stringify(tree)
}

export const readTree = (kept: string | null): FilterTree | null => (kept === null ? null : JSON.parse(kept))

/** What a kept tree names by id. */
export function namesInTree(kept: string | null): ReturnType<typeof treeReferences> {
  const tree = readTree(kept)
  return tree ? treeReferences(tree) : { tagIds: [], propertyIds: [] }
}
