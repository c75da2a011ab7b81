import type { ChangeKind } from '../changes/entries.ts'
import { type Change, detailOf } from '../changes/read.ts'
import type { InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'

type Find = (reader: Reader, caller: InWorkspace, change: Change) => string | number | null | undefined

/** The value of a column of the object of a change. */
const column =
  (table: string, name: string): Find =>
  ({ sql }, { workspacePk }, { id }) =>
    sql.get<{ label: string }>(
      `SELECT ${name} AS label FROM ${table} WHERE id = ? AND workspace = ?`,
      id,
      workspacePk,
    )?.label

/** What the log keeps of an object that was deleted. */
const lostOf = (
  reader: Reader,
  { workspacePk }: InWorkspace,
  { operation, number }: Change,
): { readonly name?: string; readonly note_id?: string } =>
  operation === 'deleted' ? JSON.parse(detailOf(reader, workspacePk, number) ?? '{}') : {}

const titleOf: Find = column('notes', 'title')

const FINDERS: Record<ChangeKind, Find> = {
  note: titleOf,
  record: ({ sql }, { workspacePk }, { id, structureId }) => {
    const field = sql.get<{ label: string | null }>(
      'SELECT label_field AS label FROM structures WHERE id = ? AND workspace = ? AND name_fold IS NOT NULL',
      structureId,
      workspacePk,
    )?.label
    if (!field) return null
    return sql.get<{ label: string | number | null }>(
      'SELECT data ->> ? AS label FROM records WHERE id = ?',
      field,
      id,
    )?.label
  },
  tag: (reader, caller, change) =>
    column('tags', 'name')(reader, caller, change) ?? lostOf(reader, caller, change).name,
  property: (reader, caller, change) =>
    column('properties', 'key')(reader, caller, change) ?? lostOf(reader, caller, change).name,
  structure: column('structures', 'name'),
  preset: column('presets', 'name'),
  view: column('views', 'name'),
  lens: column('lenses', 'name'),
  quick_access_item: (reader, caller, change) =>
    column('quick_access', '(SELECT title FROM notes WHERE pk = note)')(reader, caller, change) ??
    titleOfItem(reader, caller, change),
  file: column('files', 'file_name'),
  webhook: () => null,
  source: column('sources', 'name'),
  row_view: column('row_views', 'name'),
  share: column('shares', 'name'),
}

const titleOfItem: Find = (reader, caller, change) => {
  const { note_id: id } = lostOf(reader, caller, change)
  return id === undefined ? null : titleOf(reader, caller, { ...change, id })
}

/** What a changed object is called now: its title, the value of its label field, or its name; null without any. */
export function labelOf(reader: Reader, caller: InWorkspace, change: Change): string | null {
  const label = FINDERS[change.kind](reader, caller, change) ?? null
  return label === null ? null : String(label)
}
