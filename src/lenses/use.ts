import type { Reader } from '../db/reader.ts'
import type { Dependent } from '../http/dependents.ts'
import { namesInTree } from '../notes/trees/kept.ts'
import { listLensRows } from './store.ts'

/** The lenses whose scope names the tag. */
export const lensesNamingTag = (reader: Reader, workspace: number, tag: number): Dependent[] =>
  listLensRows(reader, workspace)
    .filter((lens) => namesInTree(lens.scope).tagIds.includes(tag))
    .map(({ id, name }) => ({ id, name }))

/** The lenses whose scope names the property. */
export const lensesNamingProperty = (reader: Reader, workspace: number, property: string): Dependent[] =>
  listLensRows(reader, workspace)
    .filter((lens) => namesInTree(lens.scope).propertyIds.includes(property))
    .map(({ id, name }) => ({ id, name }))
