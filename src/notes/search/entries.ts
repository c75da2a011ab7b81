import type { Reader } from '../../db/reader.ts'
import { indexedText } from '../../search/tokenizer.ts'
import { fullTable, tagTerm, titleTable } from './tables.ts'

export interface Indexable {
  pk: number
  title: string
  content: string
  /** The ids of its tags, as a JSON array. */
  tags: string
}

/** A note's columns in the search tables. */
export const indexedColumns = ({ title, content, tags }: Indexable) => ({
  title: indexedText(title),
  body: indexedText(content),
  tags: (JSON.parse(tags) as number[]).map(tagTerm).join(' '),
})

/** Writes the entries of a note in the search tables. */
export const indexNote = (reader: Reader, workspace: number, note: Indexable): void =>
  writeEntries(reader, workspace, note.pk, indexedColumns(note))

/** Writes entries with these columns. */
export function writeEntries(
  { sql }: Reader,
  workspace: number,
  note: number,
  { title, body, tags }: ReturnType<typeof indexedColumns>,
): void {
  const [full, titles] = [fullTable(workspace), titleTable(workspace)]
  sql.run(
    `INSERT OR REPLACE INTO ${full} (rowid, title, body, tags) VALUES (?, ?, ?, ?)`,
    note,
    title,
    body,
    tags,
  )
  sql.run(`INSERT OR REPLACE INTO ${titles} (rowid, title, tags) VALUES (?, ?, ?)`, note, title, tags)
}

/** What is indexed of a note; undefined for one in the trash. */
export const findIndexable = ({ sql }: Reader, pk: number): Indexable | undefined =>
  sql.get(
    `SELECT n.pk, n.title, (SELECT content FROM note_bodies b WHERE b.note = n.pk) AS content,
       (SELECT json_group_array(nt.tag) FROM note_tags nt WHERE nt.note = n.pk) AS tags
     FROM notes n WHERE n.pk = ? AND n.deleted_at IS NULL`,
    pk,
  )

/** Takes the mark off a note; false when it had none. */
export const unmark = ({ sql }: Reader, workspace: number, note: number): boolean =>
  sql.run('DELETE FROM search_pending WHERE workspace = ? AND note = ?', workspace, note).changes === 1
