import type { Static } from '@sinclair/typebox'
import { eq, getTableColumns, or, sql } from 'drizzle-orm'
import type { Caller, InWorkspace } from '../../context.ts'
import { read, write } from '../../kernel/operation.ts'
import { atPlace, fail, nameTaken, refuseDotName } from '../../lib/refusal.ts'
import { compareNames } from '../../lib/text.ts'
import { type ChangeAuthor, logUpdate } from '../../log/log.ts'
import { objectKind } from '../../log/objects/objects.ts'
import { columnBy, from, orm, runBy } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { noteTags, tagLinks, tags } from '../../storage/schema/tags.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { indexTagName } from '../search/indexing.ts'
import { findTagByName } from '../writing/tags.ts'
import type { TagPatch } from './schema.ts'

/** JSON array of `{id, name}`. */
const LINKED_TAGS = sql<string>`(SELECT json_group_array(json_object('id', o.id, 'name', o.name))
  FROM tag_links l CROSS JOIN tags o ON o.id = l.linked WHERE l.tag = tags.id)`

export const tagKind = objectKind({
  kind: 'tag',
  table: tags,
  read: { ...getTableColumns(tags), linkedTags: LINKED_TAGS },
  order: [tags.nameFold],
  name: tags.nameFold,
  derived: ['note_count'],
  present: (row) => ({
    id: row.id,
    name: row.name,
    color: row.color,
    is_pinned: row.isPinned === 1,
    note_count: row.noteCount,
    linked_tags: (JSON.parse(row.linkedTags) as { id: number; name: string }[]).sort((left, right) =>
      compareNames(left.name, right.name),
    ),
  }),
})

export const listTags = read({
  name: 'tags.list',
  covers: 'notes',
  run: (snapshot, caller) => ({ tags: tagKind.list(snapshot, caller) }),
})

export type TagRow = ReturnType<typeof getTagRow>

/** The id in a path; only a positive integer can name a tag. */
const tagId = (text: string): number => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : fail(tagKind.notFound))

export const getTagRow = (reader: Reader, { workspacePk }: InWorkspace, id: string) =>
  tagKind.findById(reader, workspacePk, tagId(id)) ?? fail(tagKind.notFound)

/** Changes the name or the appearance of a tag. Its notes keep the tag, and are found by the new name immediately. */
export const patchTag = write({
  name: 'tags.patch',
  covers: 'notes',
  run: (tx, caller, { id, body: changes }: { id: string; body: Static<typeof TagPatch> }) => {
    const tag = getTagRow(tx, caller, id)
    const name = changes.name?.trim() ?? tag.name
    if (name !== tag.name) {
      refuseDotName(name, 'tag')
      refuseTakenName(tx, caller, tag, name)
      indexTagName(tx, caller.workspacePk, tag.id, name)
    }
    return { tag: tagKind.update(tx, caller, tag, tagKind.columnsOf({ ...changes, name })) }
  },
})

/** Logs the differences of a tag before and after a change. */
export const logTagUpdate = (tx: Tx, author: ChangeAuthor, before: TagRow, after: TagRow): void =>
  logUpdate(
    tx,
    author,
    { kind: 'tag', id: before.id },
    tagKind.present(before, tx),
    tagKind.present(after, tx),
    tagKind.derived,
  )

function refuseTakenName(tx: Tx, { workspacePk }: Caller, tag: TagRow, name: string): void {
  const holder = findTagByName(tx, workspacePk, name)
  if (holder && holder.id !== tag.id)
    throw nameTaken(`A tag named "${name}" exists already; choose another name.`, atPlace('name'))
}

const deleteLinks = runBy((tag: number) => orm.delete(tagLinks).where(eq(tagLinks.tag, tag)))
const insertLinks = runBy((tag: number, linked: string) =>
  orm.insert(tagLinks).select(sql`SELECT ${tag}, value FROM json_each(${linked})`),
)

export function replaceLinks(reader: Reader, tag: number, linked: readonly number[]): void {
  deleteLinks(reader, tag)
  insertLinks(reader, tag, JSON.stringify(linked))
}

/** Removes a tag, and its uses by notes and other tags, for a copy; the resulting changes are copied, too. */
export function removeTag(reader: Reader, tag: number): void {
  deleteFromNotes(reader, tag)
  deleteAllLinks(reader, tag, tag)
  tagKind.remove(reader, tag)
}

const deleteFromNotes = runBy((tag: number) => orm.delete(noteTags).where(eq(noteTags.tag, tag)))
const deleteAllLinks = runBy((tag: number, linked: number) =>
  orm.delete(tagLinks).where(or(eq(tagLinks.tag, tag), eq(tagLinks.linked, linked))),
)

export const listNotesTagged = columnBy((tag: number) =>
  from(noteTags, { value: noteTags.note }).where(eq(noteTags.tag, tag)),
)
