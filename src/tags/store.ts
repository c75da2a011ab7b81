import type { Reader } from '../db/reader.ts'
import { columnsOf, countRows, deleteRow, updateRow } from '../db/rows.ts'
import { tags } from '../db/schema/tags.ts'

export type TagRow = typeof tags.$inferSelect & {
  /** JSON array of `{id, name}`. */
  linkedTags: string
}

/** What a caller decides of a tag. */
export type TagColumns = Pick<TagRow, 'name' | 'nameFold' | 'color' | 'isPinned'>

const SELECT = `SELECT ${columnsOf(tags)},
  (SELECT json_group_array(json_object('id', o.id, 'name', o.name))
   FROM tag_links l CROSS JOIN tags o ON o.id = l.linked WHERE l.tag = tags.id) AS linkedTags FROM tags`

/** Tags by name, ignoring case. */
export const listTagRows = ({ sql }: Reader, workspace: number): TagRow[] =>
  sql.all(`${SELECT} WHERE workspace = ? ORDER BY name_fold`, workspace)

export const findTag = ({ sql }: Reader, workspace: number, id: number): TagRow | undefined =>
  sql.get(`${SELECT} WHERE id = ? AND workspace = ?`, id, workspace)

export const countTags = (reader: Reader, workspace: number) => countRows(reader, tags, workspace)

export const updateTag = (reader: Reader, id: number, columns: TagColumns) =>
  updateRow(reader, tags, id, columns)

export const deleteTagRow = (reader: Reader, id: number) => deleteRow(reader, tags, id)

export function replaceLinks({ sql }: Reader, tag: number, linked: readonly number[]): void {
  sql.run('DELETE FROM tag_links WHERE tag = ?', tag)
  for (const other of linked) sql.run('INSERT INTO tag_links (tag, linked) VALUES (?, ?)', tag, other)
}

/** Every note that carries the tag, trashed ones too. */
export const notesCarrying = ({ sql }: Reader, tag: number): { pk: number; isTrashed: number }[] =>
  sql.all(
    `SELECT n.pk, n.deleted_at IS NOT NULL AS isTrashed FROM note_tags nt CROSS JOIN notes n ON n.pk = nt.note
     WHERE nt.tag = ?`,
    tag,
  )
