import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { fold } from '../../lib/text.ts'
import { indexTagName } from '../search/pending.ts'

/** Ignoring case and blanks around the name. */
export const findTagByName = ({ sql }: Reader, workspace: number, name: string): { id: number } | undefined =>
  sql.get('SELECT id FROM tags WHERE workspace = ? AND name_fold = ?', workspace, fold(name.trim()))

export const nameOfTag = ({ sql }: Reader, tag: number): string =>
  sql.scalar('SELECT name FROM tags WHERE id = ?', tag)

/** The ids of the tags of these names; those that do not exist are made, named as first written. */
export function ensureTags(tx: Tx, { workspacePk }: Caller, names: readonly string[]): number[] {
  const ids = new Set<number>()
  for (const name of names) {
    const trimmed = name.trim()
    const known = findTagByName(tx, workspacePk, trimmed)
    ids.add(known?.id ?? insertTag(tx, workspacePk, trimmed))
  }
  return [...ids]
}

function insertTag(tx: Tx, workspace: number, name: string): number {
  const insert = 'INSERT INTO tags (workspace, name, name_fold) VALUES (?, ?, ?)'
  const { lastInsertRowid } = tx.sql.run(insert, workspace, name, fold(name))
  indexTagName(tx, workspace, lastInsertRowid, name)
  return lastInsertRowid
}

/** Moves a tag's count of active notes. */
export const countInTag = ({ sql }: Tx, tag: number, step: number) =>
  sql.run('UPDATE tags SET note_count = note_count + ? WHERE id = ?', step, tag)

/** These tags and all that come along with them, transitively; a cycle is harmless. */
export function withTagsComingAlong({ sql }: Reader, tags: readonly number[]): number[] {
  const along = new Set(tags)
  // A set visits what is added while it is walked.
  for (const tag of along) {
    for (const linked of sql.column<number>('SELECT linked FROM tag_links WHERE tag = ?', tag))
      along.add(linked)
  }
  return [...along]
}

const carries = ({ sql }: Reader, note: number, tag: number): boolean =>
  sql.get('SELECT 1 FROM note_tags WHERE tag = ? AND note = ?', tag, note) !== undefined

/**
 * Puts tags on a note; what is linked to a tag that is new on the note comes along. Answers the ids that
 * the note did not carry before.
 */
export function putTagsOn(tx: Tx, note: number, tags: readonly number[]): number[] {
  const missing = tags.filter((tag) => !carries(tx, note, tag))
  if (missing.length === 0) return []
  return withTagsComingAlong(tx, missing).filter((tag) => {
    const { changes } = tx.sql.run('INSERT OR IGNORE INTO note_tags (tag, note) VALUES (?, ?)', tag, note)
    if (changes === 1) countInTag(tx, tag, 1)
    return changes === 1
  })
}

/** Answers whether the note carried the tag. */
export function takeTagOff(tx: Tx, note: number, tag: number): boolean {
  const { changes } = tx.sql.run('DELETE FROM note_tags WHERE tag = ? AND note = ?', tag, note)
  if (changes === 1) countInTag(tx, tag, -1)
  return changes === 1
}

/** Counts a note in (`1`) or out (`-1`) of its tags when it leaves or enters the trash. */
export const countInTags = ({ sql }: Tx, note: number, step: 1 | -1) =>
  sql.run(
    'UPDATE tags SET note_count = note_count + ? WHERE id IN (SELECT tag FROM note_tags WHERE note = ?)',
    step,
    note,
  )
