import type { Static } from '@sinclair/typebox'
import type { Caller } from '../context.ts'
import type { FilterTree } from '../filter/tree/parse.ts'
import { fail, refused } from '../lib/refusal.ts'
import { indexTagName, markAllForSearch, removeTagName } from '../notes/search/indexing.ts'
import { TagPatch } from '../notes/tags/schema.ts'
import {
  getTagRow,
  listNotesTagged,
  logTagUpdate,
  removeTag,
  replaceLinks,
  tagKind,
} from '../notes/tags/service.ts'
import { findTagByName, insertTag, isFreeTagId } from '../notes/writing/tags.ts'
import type { Reader } from '../storage/reader.ts'
import { asObject, checkInput } from './exported.ts'
import type { FiledKind, ImportDestination } from './kind.ts'

type Tag = ReturnType<typeof tagKind.present>

export const tags: FiledKind<Tag> = {
  kind: 'tag',
  table: 'tags',
  pkColumn: 'id',
  label: 'name',
  find: (reader, caller, id) => tagKind.find(reader, caller, Number(id)),
  file: {
    name: 'tags',
    list: (reader, caller) =>
      exportTags(reader, caller).map(({ linked_tags, ...tag }) => ({
        ...tag,
        linked_tags: linked_tags.map((linked) => linked.name),
      })),
    create: importTag,
  },
  remove: ({ tx, workspacePk }, ids) => {
    for (const text of ids) {
      const id = Number(text)
      const notes = listNotesTagged(tx, id)
      markAllForSearch(tx, workspacePk, JSON.stringify(notes), { canWait: true })
      removeTagName(tx, id)
      removeTag(tx, id)
    }
  },
  setAside: ({ tx }, id) => tagKind.setAside(tx, id),
  write: ({ tx, workspacePk }, tag) => {
    indexTagName(tx, workspacePk, tagKind.put(tx, workspacePk, tag), tag.name)
  },
  finish: ({ tx, workspacePk, stage }) => {
    const exists = (tag: number) => tagKind.findById(tx, workspacePk, tag) !== undefined
    for (const { id, linked_tags } of stage.present<Tag>('tag'))
      replaceLinks(tx, id, linked_tags.map((linked) => linked.id).filter(exists))
  },
}

/** Oldest first. */
export const exportTags = (reader: Reader, caller: Caller) =>
  tagKind
    .list(reader, caller)
    .sort((left, right) => left.id - right.id)
    .map(({ note_count: _, ...tag }) => tag)

/** New tags are numbered upwards from the highest id, which must stay within the exact integers of JavaScript. */
const MAX_KEPT_TAG_ID = 2 ** 31 - 1

/**
 * Creates a tag under its exported id, or another id if that is taken or too high. A tag of the same name is reused.
 */
function importTag({ tx, caller, tags: ids }: ImportDestination, value: unknown): void {
  const { id, linked_tags: _, ...sent } = asObject(value)
  checkInput(TagPatch, sent)
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1)
    throw refused('"id" must be a positive integer.')
  const { name, color, is_pinned: isPinned } = sent as Static<typeof TagPatch>
  if (name === undefined) throw refused('"name" is required.')
  const known = findTagByName(tx, caller.workspacePk, name)
  const isFree = id <= MAX_KEPT_TAG_ID && isFreeTagId(tx, id)
  const looks = { ...(isFree && { id }), ...(color && { color }), ...(isPinned && { isPinned }) }
  ids.set(id, known?.id ?? insertTag(tx, caller, name.trim(), looks))
}

/** Links the tag to others after all exist. Unlike the API, this does not change the tags of notes. */
export function importTagLinks({ tx, caller, tags: ids }: ImportDestination, value: unknown): void {
  const { id, linked_tags: names = [] } = asObject(value)
  const tag = ids.get(Number(id))
  if (tag === undefined) return
  if (!Array.isArray(names)) throw refused('"linked_tags" must be a list of the names of tags.')
  const linked = names.map(
    (name) =>
      findTagByName(tx, caller.workspacePk, String(name))?.id ??
      fail(refused(`"linked_tags" names "${name}", and there is no such tag.`)),
  )
  const before = getTagRow(tx, caller, String(tag))
  replaceLinks(tx, tag, [...new Set(linked)])
  logTagUpdate(tx, caller, before, getTagRow(tx, caller, String(tag)))
}

/** A filter tree with exported tag ids replaced. */
export function withTagIds(tree: FilterTree, ids: ImportDestination['tags']): FilterTree {
  if (tree.type === 'group')
    return { ...tree, children: tree.children.map((child) => withTagIds(child, ids)) }
  if (tree.type !== 'tags') return tree
  return { ...tree, tag_ids: tree.tag_ids.map((id) => ids.get(id) ?? id) }
}
