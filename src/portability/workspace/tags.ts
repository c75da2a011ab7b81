import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import type { FilterTree } from '../../filter/tree/parse.ts'
import { fold } from '../../lib/text.ts'
import { indexTagName } from '../../notes/search/pending.ts'
import { findTagByName } from '../../notes/writing/tagging.ts'
import { fail, refused } from '../../refusal.ts'
import { presentTag } from '../../tags/present.ts'
import { TagPatch } from '../../tags/schema.ts'
import { listTags } from '../../tags/service.ts'
import { replaceLinks, updateTag } from '../../tags/store.ts'
import { asObject, refuseOtherThan } from './objects.ts'

export const exportTags = (reader: Reader, caller: Caller) =>
  listTags(reader, caller)
    .map(presentTag)
    .sort((left, right) => left.id - right.id)
    .map(({ id, name, color, is_pinned, linked_tags }) => ({
      id,
      name,
      color,
      is_pinned,
      linked_tags: linked_tags.map((linked) => linked.name),
    }))

/** The ids that tags have here, by those they had where they come from. */
export type TagIds = Map<number, number>

interface SentTag {
  name: string
  color?: string | null
  is_pinned?: boolean
}

/** Tags made later count on from the highest id: beyond what JavaScript holds exactly, they would have one id. */
const HIGHEST_KEPT_ID = 2 ** 31 - 1

/** Makes the tag with its id, or with another where that one is taken or too high; one of its name is used as it is. */
export function importTag(tx: Tx, { workspacePk }: Caller, value: unknown, ids: TagIds): void {
  const { id, linked_tags: _, ...sent } = asObject(value)
  refuseOtherThan(TagPatch, sent)
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1)
    throw refused('"id" must be a positive integer.')
  const { name: sentName, color, is_pinned } = sent as unknown as SentTag
  if (typeof sentName !== 'string') throw refused('"name" is required.')
  const name = sentName.trim()
  const known = findTagByName(tx, workspacePk, name)
  ids.set(id, known?.id ?? insertTag(tx, workspacePk, id, { name, color, is_pinned }))
}

function insertTag(
  tx: Tx,
  workspace: number,
  wanted: number,
  { name, color = null, is_pinned }: SentTag,
): number {
  const isFree =
    wanted <= HIGHEST_KEPT_ID && tx.sql.get('SELECT 1 FROM tags WHERE id = ?', wanted) === undefined
  const { lastInsertRowid } = tx.sql.run(
    'INSERT INTO tags (id, workspace, name, name_fold) VALUES (?, ?, ?, ?)',
    isFree ? wanted : null,
    workspace,
    name,
    fold(name),
  )
  indexTagName(tx, workspace, lastInsertRowid, name)
  updateTag(tx, lastInsertRowid, { name, nameFold: fold(name), color, isPinned: is_pinned ? 1 : 0 })
  return lastInsertRowid
}

/** Links the tag once all are there. Nothing comes along onto notes: they carry what they carried. */
export function importTagLinks(tx: Tx, { workspacePk }: Caller, value: unknown, ids: TagIds): void {
  const { id, linked_tags: names = [] } = asObject(value)
  const tag = ids.get(Number(id))
  if (tag === undefined) return
  if (!Array.isArray(names)) throw refused('"linked_tags" must be a list of the names of tags.')
  const linked = names.map(
    (name) =>
      findTagByName(tx, workspacePk, String(name))?.id ??
      fail(refused(`"linked_tags" names "${name}", and there is no such tag.`)),
  )
  replaceLinks(tx, tag, [...new Set(linked)])
}

/** A tree with the ids that its tags have here. */
export function withTagIds(tree: FilterTree, ids: TagIds): FilterTree {
  if (tree.type === 'group')
    return { ...tree, children: tree.children.map((child) => withTagIds(child, ids)) }
  if (tree.type !== 'tags') return tree
  return { ...tree, tag_ids: tree.tag_ids.map((id) => ids.get(id) ?? id) }
}
