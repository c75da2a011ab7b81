import type { Reader } from '../db/reader.ts'
import { type UsedBy, usageInWords } from '../http/schema/usage.ts'
import { lensesNamingTag } from '../lenses/usage.ts'
import { Refusal } from '../refusal.ts'
import { viewsNamingTag } from '../views/usage.ts'
import type { TagRow } from './store.ts'

/** What names a tag: the views that filter on it and the lenses scoped by it. */
export interface TagUse {
  views: UsedBy[]
  lenses: UsedBy[]
}

/** The one place that asks other features whether they use a tag. */
export const tagUse = (reader: Reader, workspace: number, tag: TagRow): TagUse => ({
  views: viewsNamingTag(reader, workspace, tag.id),
  lenses: lensesNamingTag(reader, workspace, tag.id),
})

/** Refuses with every dependent's kind and name. */
export function refuseWhileUsed(reader: Reader, workspace: number, tag: TagRow): void {
  const users = usageInWords(tagUse(reader, workspace, tag))
  if (users === '') return
  throw new Refusal('in_use', `The tag "${tag.name}" is used by ${users}; change those first.`)
}
