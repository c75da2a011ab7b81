import type { AppContext, Caller } from '../context.ts'
import { compareNames } from '../lib/text.ts'
import { markForSearch } from '../notes/search/pending.ts'
import { type NoteRow, updateHead } from '../notes/store.ts'
import { getNoteIn } from '../notes/writing/change.ts'
import { type PropertyValues, readProperties, writeProperties } from '../notes/writing/property-values.ts'
import { nameOfTag, putTagsOn } from '../notes/writing/tagging.ts'
import { checkedAnswers, planApply } from './entries.ts'
import { getPreset } from './service.ts'

export interface ApplyInput {
  note_id: string
  answers?: Record<string, unknown>
  overwrite?: boolean
}

/** What applying did; properties are named by key, in the order of the preset. */
export interface Applied {
  note: NoteRow
  properties: PropertyValues
  tagsAdded: string[]
  set: string[]
  kept: string[]
  unanswered: string[]
}

/** Writes a preset onto an active note, all of it or nothing; it only adds (`service.md`, Apply rules). */
export const applyPreset = (
  ctx: AppContext,
  caller: Caller,
  idOrName: string,
  { note_id, answers = {}, overwrite = false }: ApplyInput,
): Promise<Applied> =>
  ctx.db.write((tx) => {
    const { row, tags, properties, asks } = getPreset(tx, caller, idOrName)
    const { pk } = getNoteIn(tx, caller, note_id)
    const { values, kept, unanswered } = planApply({
      preset: row.name,
      properties,
      asks,
      answers: checkedAnswers(row.name, asks, answers),
      held: readProperties(tx, pk),
      overwrite,
    })
    const added = putTagsOn(
      tx,
      pk,
      tags.map(({ id }) => id),
    )
    const isChanged = writeProperties(tx, caller, pk, values)
    if (added.length > 0) markForSearch(tx, caller.workspacePk, pk)
    if (isChanged || added.length > 0) updateHead(tx, pk, {}, tx.now)
    return {
      note: getNoteIn(tx, caller, note_id),
      properties: readProperties(tx, pk),
      tagsAdded: added.map((tag) => nameOfTag(tx, tag)).sort(compareNames),
      set: Object.keys(values),
      kept,
      unanswered,
    }
  })
