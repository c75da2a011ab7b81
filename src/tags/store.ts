import { columnsOf, updateRow } from '../db/crud.ts'
import type { Reader } from '../db/reader.ts'
import { tags } from '../db/schema/tags.ts'

export type TagRow = typeof tags.$inferSelect & {
  /** JSON array of `{id, name}`. */
  linkedTags: string
}

/** What a caller decides of a tag. */
export type TagColumns = Pick<TagRow, 'name' | 'nameFold' | 'color' | 'isPinned'>

const SELECT = `SELECT ${columnsOf(tags)},
  (SELECT json_group_array(json_object('id', o.id, 'name', o.name))
   FROM tag_links l CROSS JOIN tags o ON o.id = l.linked AND o.is_removed = 0 WHERE l.tag = tags.id) AS linkedTags
  FROM tags WHERE is_removed = 0`

/** Tags by name, ignoring case. */
export const listTagRows = ({ sql }: Reader, workspace: number): TagRow[] =>
  sql.all(`${SELECT} AND workspace = ? ORDER BY name_fold`, workspace)

export const findTag = ({ sql }: Reader, workspace: number, id: number): TagRow | undefined =>
  sql.get(`${SELECT} AND id = ? AND workspace = ?`, id, workspace)

export const countTags = ({ sql }: Reader, workspace: number): number =>
  sql.scalar('SELECT count(*) FROM tags WHERE workspace = ? AND is_removed = 0', workspace)

export const updateTag = (reader: Reader, id: number, columns: TagColumns) =>
  updateRow(reader, tags, id, columns)

/** The first of these ids that no tag of the workspace has. */
export const unknownTag = ({ sql }: Reader, workspace: number, ids: readonly number[]): number | undefined =>
  sql.column<number>(
    `SELECT value FROM json_each(?)
     WHERE value NOT IN (SELECT id FROM tags WHERE workspace = ? AND is_removed = 0) ORDER BY key LIMIT 1`,
    JSON.stringify(ids),
    workspace,
  )[0]

export function replaceLinks({ sql }: Reader, tag: number, linked: readonly number[]): void {
  sql.run('DELETE FROM tag_links WHERE tag = ?', tag)
  sql.run(
    'INSERT INTO tag_links (tag, linked) SELECT ?, value FROM json_each(?)',
    tag,
    JSON.stringify(linked),
  )
}
