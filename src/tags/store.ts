import { eq, sql } from 'drizzle-orm'
import { columnBy, from, orm, rowBy, runBy } from '../db/query.ts'
import type { Reader } from '../db/reader.ts'
import { noteTags, tagLinks, tags } from '../db/schema/tags.ts'

const firstUnknown = rowBy((workspace: number, ids: string) =>
  from(sql`json_each(${ids})`, { id: sql<number>`value` })
    .where(sql`value NOT IN (SELECT id FROM ${tags} WHERE workspace = ${workspace} AND is_removed = 0)`)
    .orderBy(sql`key`)
    .limit(1),
)

/** The first of these ids that no tag of the workspace has. */
export const unknownTag = (reader: Reader, workspace: number, ids: readonly number[]): number | undefined =>
  firstUnknown(reader, workspace, JSON.stringify(ids))?.id

const deleteLinks = runBy((tag: number) => orm.delete(tagLinks).where(eq(tagLinks.tag, tag)))
const insertLinks = runBy((tag: number, linked: string) =>
  orm.insert(tagLinks).select(sql`SELECT ${tag}, value FROM json_each(${linked})`),
)

export function replaceLinks(reader: Reader, tag: number, linked: readonly number[]): void {
  deleteLinks(reader, tag)
  insertLinks(reader, tag, JSON.stringify(linked))
}

/** The pks of the notes that carry a tag. */
export const listNotesTagged = columnBy((tag: number) =>
  from(noteTags, { value: noteTags.note }).where(eq(noteTags.tag, tag)),
)
