import type { RowData } from './pending-actions.ts'
import type { Row } from './records/model.ts'

/** The tags of a note after a tag was added or removed. Case is ignored. */
export function withTag(tags: readonly string[], tag: string, isAdded: boolean): string[] {
  const others = tags.filter((one) => one.toLowerCase() !== tag.toLowerCase())
  return isAdded ? [...others, tag].sort() : others
}

/** A row with new values. */
export const withData = (row: Row, data: RowData): Row => ({
  ...row,
  data: Object.fromEntries(
    Object.entries<RowData[string] | undefined>({ ...row.data, ...data }).flatMap(([key, value]) =>
      value === null || value === undefined ? [] : [[key, value]],
    ),
  ),
})
