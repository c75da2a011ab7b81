import { refused } from '../../../lib/refusal.ts'
import type { Reader } from '../../../storage/reader.ts'
import type { RowPlace } from '../../../storage/row-table-names.ts'
import type { FieldDefinition } from '../store.ts'
import {
  deleteAllSmallRows,
  hasSmallShape,
  makeOwnTable,
  placeNow,
  type Shape,
  setOwnTable,
} from './live-rows.ts'
import { addColumns, changeUniqueSets, collisionOf, dropRowTable, uniqueIndex } from './row-table-schema.ts'

/* Updates the row tables after a change of their structure's definition. */

/** Must be called for a new structure, and after the rows of a structure were dropped. */
export function startRows(reader: Reader, pk: number, shape: Shape): void {
  if (!hasSmallShape(shape)) makeOwnTable(reader, pk, shape)
}

/** Adds the new fields of a structure that may have rows, and changes its unique sets; refuses if live rows collide. */
export function changeRows(reader: Reader, place: RowPlace, before: Shape, after: Shape): void {
  const { pk } = place
  if (placeNow(reader, place).ownTable === 0) {
    if (hasSmallShape(after)) {
      refuseCollisions(reader, place, before, after)
      return
    }
    makeOwnTable(reader, pk, before)
  }
  const isNew = ({ column }: FieldDefinition) => !before.fields.some((old) => old.column === column)
  addColumns(reader, pk, after.fields.filter(isNew))
  changeUniqueSets(reader, pk, before.uniqueSets, after.uniqueSets)
}

function refuseCollisions(reader: Reader, place: RowPlace, before: Shape, after: Shape): void {
  const nameOf = (set: Shape['uniqueSets'][number]) => uniqueIndex(place.pk, set).name
  const had = new Set(before.uniqueSets.map(nameOf))
  for (const set of after.uniqueSets) {
    const sentence = had.has(nameOf(set)) ? undefined : collisionOf(reader, place, set)
    if (sentence !== undefined) throw refused(sentence)
  }
}

/** Removes all live rows of a structure; they stay in `records`. */
export function dropRows(reader: Reader, pk: number): void {
  dropRowTable(reader, pk)
  deleteAllSmallRows(reader, pk)
  setOwnTable(reader, pk, 0)
}
