import { fold } from '../../lib/text.ts'
import { markAllForSearch } from '../../notes/search/indexing.ts'
import { indexTagName, removeTagName } from '../../notes/search/tables.ts'
import { replaceLinks } from '../../tags/store.ts'
import type { RemoteObject } from '../remote-objects.ts'
import { type CopyTransaction, flagOf, gone, placeholderOf, present } from './copy-transaction.ts'

interface RemoteTag extends RemoteObject {
  readonly id: number
  readonly name: string
  readonly color: string | null
  readonly is_pinned: boolean
  readonly linked_tags: readonly { readonly id: number }[]
}

export function removeTags(copy: CopyTransaction): void {
  const { tx, workspacePk } = copy
  for (const id of gone(copy, 'tag')) {
    const notes = tx.sql.column<number>('SELECT note FROM note_tags WHERE tag = ?', Number(id))
    markAllForSearch(tx, workspacePk, JSON.stringify(notes), { canWait: true })
    removeTagName(tx, workspacePk, Number(id))
    tx.sql.run('DELETE FROM tags WHERE id = ?', Number(id))
  }
}

export function applyTags(copy: CopyTransaction): void {
  const { tx, workspacePk, isFresh } = copy
  const { sql } = tx
  if (!isFresh)
    for (const { id } of present<RemoteTag>(copy, 'tag'))
      sql.run('UPDATE tags SET name_fold = ? WHERE id = ?', placeholderOf(id), id)
  for (const { id, name, color, is_pinned } of present<RemoteTag>(copy, 'tag')) {
    sql.run(
      `INSERT INTO tags (id, workspace, name, name_fold, color, is_pinned) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET name = excluded.name, name_fold = excluded.name_fold, color = excluded.color,
         is_pinned = excluded.is_pinned`,
      id,
      workspacePk,
      name,
      fold(name),
      color,
      flagOf(is_pinned),
    )
    indexTagName(tx, workspacePk, id, name)
  }
  for (const { id, linked_tags } of present<RemoteTag>(copy, 'tag'))
    replaceLinks(
      tx,
      id,
      linked_tags.map((linked) => linked.id).filter((linked) => exists(copy, linked)),
    )
}

const exists = ({ tx }: CopyTransaction, tag: number): boolean =>
  tx.sql.get('SELECT 1 FROM tags WHERE id = ?', tag) !== undefined
