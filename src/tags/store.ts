import type { Reader } from '../db/reader.ts'

export interface TagRow {
  id: number
  name: string
  color: string | null
  isPinned: number
  noteCount: number
  /** JSON array of `{id, name}`. */
  linkedTags: string
}

const COLUMNS = `t.id, t.name, t.color, t.is_pinned AS isPinned, t.note_count AS noteCount,
  (SELECT json_group_array(json_object('id', o.id, 'name', o.name))
   FROM tag_links l CROSS JOIN tags o ON o.id = l.linked WHERE l.tag = t.id) AS linkedTags`

export const listTagRows = ({ sql }: Reader, workspace: number): TagRow[] =>
  sql.all(`SELECT ${COLUMNS} FROM tags t WHERE t.workspace = ? ORDER BY t.name_fold`, workspace)

export const findTag = ({ sql }: Reader, workspace: number, id: number): TagRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM tags t WHERE t.id = ? AND t.workspace = ?`, id, workspace)

export const countTags = ({ sql }: Reader, workspace: number): number =>
  sql.scalar('SELECT count(*) FROM tags WHERE workspace = ?', workspace)

export interface TagColumns {
  name: string
  nameFold: string
  color: string | null
  isPinned: number
}

export const updateTag = ({ sql }: Reader, id: number, { name, nameFold, color, isPinned }: TagColumns) =>
  sql.run(
    'UPDATE tags SET name = ?, name_fold = ?, color = ?, is_pinned = ? WHERE id = ?',
    name,
    nameFold,
    color,
    isPinned,
    id,
  )

export const deleteTagRow = ({ sql }: Reader, id: number) => sql.run('DELETE FROM tags WHERE id = ?', id)

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
