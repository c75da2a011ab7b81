import type { Caller } from '../../../kernel/caller.ts'
import type { Snapshot } from '../../../kernel/operation.ts'
import { expandedMembers } from '../../../records/rows/query/expand.ts'
import type { RecordPage } from '../../../records/rows/query/list.ts'
import type { StructureRow } from '../../../records/structures/store.ts'
import { shortenAll } from '../text/fit.ts'
import { table } from '../text/markdown.ts'
import { parsedBody } from '../tool.ts'

/* The objects that fields of rows name, beside a page of rows. */

interface Row {
  readonly data: Readonly<Record<string, unknown>>
}

interface ExpandedObject {
  readonly kind: string
  readonly label: string | null
  readonly data?: Readonly<Record<string, unknown>>
}

type ExpandedObjects = ReadonlyMap<string, ExpandedObject>

/** The objects that the rows of a page name, as `expand` of the API returns them. */
export function expandedIn(
  snapshot: Snapshot,
  caller: Caller,
  structure: StructureRow,
  { rows }: RecordPage,
  expand: string,
): ExpandedObjects {
  const members = expandedMembers(snapshot, caller, structure, rows, expand)
  const { expanded } = parsedBody<{ expanded: Record<string, ExpandedObject> }>(`{${members.slice(1)}}`)
  return new Map(Object.entries(expanded))
}

/** The objects that these rows name, and those that the objects name. */
export function reachedFrom(rows: readonly Row[], objects: ExpandedObjects) {
  const reached = new Map<string, ExpandedObject>()
  const follow = (data: Readonly<Record<string, unknown>>): void => {
    for (const value of Object.values(data).flat()) {
      const found = typeof value === 'string' && !reached.has(value) ? objects.get(value) : undefined
      if (!found) continue
      reached.set(String(value), found)
      if (found.data) follow(found.data)
    }
  }
  for (const { data } of rows) follow(data)
  return reached
}

export const objectTable = (objects: ExpandedObjects, cut: number): string =>
  table(
    ['expanded id', 'kind', 'label', 'data'],
    Array.from(objects, ([id, { kind, label, data }]) => [id, kind, label, data && JSON.stringify(data)]),
    cut,
  )

export const shortenedObjects = (objects: ExpandedObjects, cut: number) =>
  Object.fromEntries(
    Array.from(objects, ([id, { data, ...object }]) => [
      id,
      { ...object, ...(data && { data: shortenAll(data, cut) }) },
    ]),
  )
