import type { Reader } from '../db/reader.ts'
import { type FilterTree, treeNames } from '../filter/tree.ts'
import { type LensRow, listLensRows } from './store.ts'

export interface NamingLens {
  id: string
  name: string
}

const namesIn = ({ scope }: LensRow) =>
  scope === null ? { tagIds: [], propertyIds: [] } : treeNames(JSON.parse(scope) as FilterTree)

/** The lenses whose scope names the tag. */
export const lensesNamingTag = (reader: Reader, workspace: number, tag: number): NamingLens[] =>
  listLensRows(reader, workspace)
    .filter((lens) => namesIn(lens).tagIds.includes(tag))
    .map(({ id, name }) => ({ id, name }))

/** The lenses whose scope names the property. */
export const lensesNamingProperty = (reader: Reader, workspace: number, property: string): NamingLens[] =>
  listLensRows(reader, workspace)
    .filter((lens) => namesIn(lens).propertyIds.includes(property))
    .map(({ id, name }) => ({ id, name }))
