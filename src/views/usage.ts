import type { Reader } from '../db/reader.ts'
import { namesInTree } from '../notes/query/stored-tree.ts'
import type { PropertyUsage, UsedBy, ViewRole } from '../usage.ts'
import { listViewRows, type ViewRow } from './store.ts'

/** The views whose filter names the tag. */
export const viewsNamingTag = (reader: Reader, workspace: number, tag: number): UsedBy[] =>
  listViewRows(reader, workspace)
    .filter((view) => namesInTree(view.filter).tagIds.includes(tag))
    .map(({ id, name }) => ({ id, name }))

/** The views that name the property, and by which of their parts. */
export const viewsNamingProperty = (
  reader: Reader,
  workspace: number,
  property: string,
): PropertyUsage['views'] =>
  listViewRows(reader, workspace)
    .map((view) => ({ id: view.id, name: view.name, roles: rolesOf(view, property) }))
    .filter(({ roles }) => roles.length > 0)

function rolesOf(view: ViewRow, property: string): ViewRole[] {
  const named: Record<ViewRole, boolean> = {
    filter: namesInTree(view.filter).propertyIds.includes(property),
    sort: view.sortProperty === property,
    display: (JSON.parse(view.displayProperties) as string[]).includes(property),
  }
  return (Object.keys(named) as ViewRole[]).filter((role) => named[role])
}
