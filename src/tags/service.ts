import { type ChangeAuthor, logUpdate } from '../changes/log.ts'
import type { AppContext, Caller, InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { patched, patchedFlag } from '../lib/patch.ts'
import { fold } from '../lib/text.ts'
import { indexTagName } from '../notes/search/tables.ts'
import { findTagByName } from '../notes/writing/tags.ts'
import { fail, nameTaken, notFound } from '../refusal.ts'
import { presentTag } from './present.ts'
import { findTag, listTagRows, type TagRow, updateTag } from './store.ts'

/** Tags by name, ignoring case. */
export const listTags = (reader: Reader, { workspacePk }: InWorkspace): TagRow[] =>
  listTagRows(reader, workspacePk)

/** The id in a path; anything but a positive integer names no tag. */
const tagId = (text: string): number => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : fail(notFound('tag')))

export const getTagRow = (reader: Reader, { workspacePk }: Caller, id: string): TagRow =>
  findTag(reader, workspacePk, tagId(id)) ?? fail(notFound('tag'))

/** The tag and what uses it, so that it cannot be deleted. */
export async function getTag(ctx: AppContext, caller: Caller, id: string) {
  const { usage } = await ctx.features.usageOfTag.find(ctx, caller, getTagRow(ctx.db, caller, id).id)
  return { tag: getTagRow(ctx.db, caller, id), usage }
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
    const after = getTagRow(tx, caller, id)
    logTagUpdate(tx, caller, tag, after)
    return after
  })

/** Logs what differs between a tag before and after a change. */
export const logTagUpdate = (tx: Tx, author: ChangeAuthor, before: TagRow, after: TagRow): void =>
  logUpdate(tx, author, { kind: 'tag', id: before.id }, presentTag(before), presentTag(after), ['note_count'])

function refuseTakenName(tx: Tx, { workspacePk }: Caller, tag: TagRow, name: string): void {
  const holder = findTagByName(tx, workspacePk, name)
  if (holder && holder.id !== tag.id)
    throw nameTaken(`A tag named "${name}" exists already; choose another name.`)
}
