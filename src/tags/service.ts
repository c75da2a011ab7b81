import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { patched, patchedFlag } from '../lib/patch.ts'
import { fold } from '../lib/text.ts'
import { indexTagName, markForSearch, removeTagName } from '../notes/search/indexing.ts'
import { touchNote } from '../notes/store.ts'
import { addTags, addToTagCount, findTagByName, withLinkedTags } from '../notes/writing/tags.ts'
import { fail, nameTaken, notFound, refused } from '../refusal.ts'
import { refuseWhileUsed } from '../usage.ts'
import {
  deleteTagRow,
  findTag,
  listTagRows,
  notesCarrying,
  replaceLinks,
  type TagRow,
  updateTag,
} from './store.ts'

/** Tags by name, ignoring case. */
export const listTags = (reader: Reader, { workspacePk }: Caller): TagRow[] =>
  listTagRows(reader, workspacePk)

/** The id in a path; anything but a positive integer names no tag. */
const tagId = (text: string): number => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : fail(notFound('tag')))

const getTagRow = (reader: Reader, { workspacePk }: Caller, id: string): TagRow =>
  findTag(reader, workspacePk, tagId(id)) ?? fail(notFound('tag'))

/** The tag and what uses it, so that it cannot be deleted. */
export function getTag({ db, usage }: AppContext, caller: Caller, id: string) {
  const tag = getTagRow(db, caller, id)
  return { tag, usage: usage.ofTag(db, caller.workspacePk, tag.id) }
}

export interface TagChanges {
  name?: string
  color?: string | null
  is_pinned?: boolean
}

/** Changes the name or the appearance of a tag. Its notes keep it, and are found by the new name at once. */
export const patchTag = (ctx: AppContext, caller: Caller, id: string, changes: TagChanges): Promise<TagRow> =>
  ctx.db.write((tx) => {
    const tag = getTagRow(tx, caller, id)
    const name = changes.name?.trim() ?? tag.name
    if (name !== tag.name) {
      refuseTakenName(tx, caller, tag, name)
      indexTagName(tx, caller.workspacePk, tag.id, name)
    }
    updateTag(tx, tag.id, {
      name,
      nameFold: fold(name),
      color: patched(changes.color, tag.color),
      isPinned: patchedFlag(changes.is_pinned, tag.isPinned),
    })
    return getTagRow(tx, caller, id)
  })

function refuseTakenName(tx: Tx, { workspacePk }: Caller, tag: TagRow, name: string): void {
  const holder = findTagByName(tx, workspacePk, name)
  if (holder && holder.id !== tag.id)
    throw nameTaken(`A tag named "${name}" exists already; choose another name.`)
}

/** Deletes a tag, and takes it off every note, trashed ones too, and every preset; refused while a view or lens uses it. Returns its id. */
export const deleteTag = (ctx: AppContext, caller: Caller, id: string): Promise<number> =>
  ctx.db.write((tx) => {
    const tag = getTagRow(tx, caller, id)
    const usage = ctx.usage.ofTag(tx, caller.workspacePk, tag.id)
    refuseWhileUsed(`The tag "${tag.name}"`, usage, 'change those first')
    for (const { pk, isTrashed } of notesCarrying(tx, tag.id)) {
      touchNote(tx, pk)
      if (isTrashed === 0) markForSearch(tx, caller.workspacePk, pk)
    }
    ctx.usage.onTagDeleted(tx, tag.id)
    removeTagName(tx, caller.workspacePk, tag.id)
    deleteTagRow(tx, tag.id)
    return tag.id
  })

/** Replaces the tags that come along with a tag, and adds them to the notes that carry it. */
export const setTagLinks = (
  ctx: AppContext,
  caller: Caller,
  id: string,
  linked: readonly number[],
): Promise<TagRow> =>
  ctx.db.write((tx) => {
    const tag = getTagRow(tx, caller, id)
    const wanted = [...new Set(linked)]
    for (const other of wanted) {
      if (other === tag.id)
        throw refused('A tag cannot be linked to itself; leave its own id out of linked_tag_ids.')
      if (!findTag(tx, caller.workspacePk, other)) {
        throw refused(`linked_tag_ids names ${other}, and there is no such tag in this workspace.`)
      }
    }
    replaceLinks(tx, tag.id, wanted)
    addLinkedTags(tx, caller, tag.id)
    return getTagRow(tx, caller, id)
  })

function addLinkedTags(tx: Tx, { workspacePk }: Caller, tag: number): void {
  const along = withLinkedTags(tx, [tag])
  for (const { pk, isTrashed } of notesCarrying(tx, tag)) {
    const added = addTags(tx, pk, along)
    if (added.length === 0) continue
    touchNote(tx, pk)
    if (isTrashed === 0) markForSearch(tx, workspacePk, pk)
    else for (const other of added) addToTagCount(tx, other, -1)
  }
}
