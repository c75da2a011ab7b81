import type { Reader } from '../db/reader.ts'
import { namesInTree } from '../notes/query/stored-tree.ts'
import type { UsedBy } from '../usage.ts'
import { listLensRows } from './store.ts'

/** The lenses whose scope names the tag. */
export const lensesNamingTag = (reader: Reader, workspace: number, tag: number): UsedBy[] =>
  listLensRows(reader, workspace)
    .filter((lens) => namesInTree(lens.scope).tagIds.includes(tag))
    .map(({ id, name }) => ({ id, name }))

/** The lenses whose scope names the property. */
export const lensesNamingProperty = (reader: Reader, workspace: number, property: string): UsedBy[] =>
  listLensRows(reader, workspace)
    .filter((lens) => namesInTree(lens.scope).propertyIds.includes(property))
    .map(({ id, name }) => ({ id, name }))
