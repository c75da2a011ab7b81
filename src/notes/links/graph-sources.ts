import type { Reader } from '../../db/reader.ts'
import { isFileTarget } from './syntax.ts'

/*
 * What a graph of notes is drawn from, each in one statement for many notes: `among` names a few by their pks; without
 * it, those of the whole workspace are read.
 */

/** One target of links: the note it means now, and the notes that link to it, trashed ones too. */
export interface LinkTarget {
  /** Folded, without the blanks around it. */
  readonly target: string
  /** The pk of an active note; null when the links are unresolved. */
  readonly note: number | null
  readonly linking: readonly number[]
}

const LINKS_OF_ALL = 'note_links WHERE workspace = ?1'
const LINKS_AMONG = 'note_links INDEXED BY note_links_note WHERE note IN (SELECT value FROM json_each(?2))'

/** The pluses keep SQLite from walking all notes in their order instead. */
const oldestTitled = (title: string) =>
  `(SELECT pk FROM notes n WHERE n.workspace = +?1 AND n.title_fold = ${title} AND n.deleted_at IS NULL
    ORDER BY +n.created_at, +n.id LIMIT 1)`

/** The rule of `resolveTarget` (`links.ts`) for every target at once; keys are taken apart as it does. */
const targetsOf = (links: string) => `
  SELECT bare, linking, coalesce(
    iif(whole = '', NULL, ${oldestTitled('whole')}),
    (SELECT pk FROM notes n WHERE n.id = bare AND n.workspace = ?1 AND n.deleted_at IS NULL),
    (SELECT pk FROM notes n WHERE n.workspace = ?1 AND n.alias_fold = bare AND n.deleted_at IS NULL),
    ${oldestTitled('bare')})
  FROM (
    SELECT iif(line = 0, target, substr(target, 1, line - 1)) AS bare,
      iif(line = 0, '', substr(target, line + 1)) AS whole, linking
    FROM (
      SELECT target, instr(target, char(10)) AS line, json_group_array(note) AS linking FROM ${links}
      GROUP BY target ORDER BY target
    )
  )`

/** Every target of links, by target, resolved as of now. */
export function resolveLinks({ sql }: Reader, workspace: number, among?: readonly number[]): LinkTarget[] {
  type Row = [string, string, number | null]
  const rows = among
    ? sql.rows<Row>(targetsOf(LINKS_AMONG), workspace, JSON.stringify(among))
    : sql.rows<Row>(targetsOf(LINKS_OF_ALL), workspace)
  return rows
    .filter(([target]) => !isFileTarget(target))
    .map(([target, linking, note]) => ({ target, note, linking: JSON.parse(linking) }))
}

/** The notes that carry a tag, trashed ones too. */
export interface TaggedNotes {
  readonly tag: number
  readonly notes: readonly number[]
}

/** Tags by id, with the notes that carry them. */
export function notesByTag({ sql }: Reader, workspace: number, among?: readonly number[]): TaggedNotes[] {
  const rows = among
    ? sql.rows<[number, string]>(
        `SELECT tag, json_group_array(note) FROM note_tags INDEXED BY note_tags_note
         WHERE note IN (SELECT value FROM json_each(?)) GROUP BY tag ORDER BY tag`,
        JSON.stringify(among),
      )
    : sql.rows<[number, string]>(
        `SELECT id, (SELECT json_group_array(note) FROM note_tags WHERE tag = t.id) FROM tags t
         WHERE workspace = ? ORDER BY id`,
        workspace,
      )
  return rows.map(([tag, notes]) => ({ tag, notes: JSON.parse(notes) }))
}

/** Ids and titles by pk. */
export const titlesOf = ({ sql }: Reader, pks: readonly number[]) =>
  new Map(
    sql
      .rows<[number, string, string]>(
        'SELECT pk, id, title FROM notes WHERE pk IN (SELECT value FROM json_each(?))',
        JSON.stringify(pks),
      )
      .map(([pk, id, title]) => [pk, { id, title }]),
  )

/** Names by id. */
export const tagNames = ({ sql }: Reader, ids: readonly number[]) =>
  new Map(
    sql.rows<[number, string]>(
      'SELECT id, name FROM tags WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ids),
    ),
  )
