import type { AppContext, Caller } from '../../context.ts'
import { fail, notFound } from '../../refusal.ts'
import { markForSearch } from '../search/pending.ts'
import { findHead, type NoteRow, updateHead } from '../store.ts'
import { changeNote, getNoteIn } from './change.ts'
import { type PropertyValues, readProperties, writeProperties } from './property-values.ts'
import { ensureTags, findTagByName, putTagsOn, takeTagOff } from './tagging.ts'

/** Puts tags on a note; what is linked to them comes along. */
export const addTags = (
  ctx: AppContext,
  caller: Caller,
  id: string,
  names: readonly string[],
): Promise<NoteRow> =>
  ctx.db.write((tx) => {
    const note = getNoteIn(tx, caller, id)
    const added = putTagsOn(tx, note.pk, ensureTags(tx, caller, names))
    return changeNote(tx, caller, note, note, {}, added.length > 0)
  })

/** Takes a tag off a note. One that the note does not carry changes nothing; one that does not exist is refused. */
export const removeTag = (ctx: AppContext, caller: Caller, id: string, name: string): Promise<NoteRow> =>
  ctx.db.write((tx) => {
    const note = getNoteIn(tx, caller, id)
    const tag = findTagByName(tx, caller.workspacePk, name) ?? fail(notFound('tag'))
    if (!takeTagOff(tx, note.pk, tag.id)) return note
    markForSearch(tx, caller.workspacePk, note.pk)
    updateHead(tx, note.pk, {}, tx.now)
    return getNoteIn(tx, caller, id)
  })

/** Sets and clears values by key, all or none; answers what the note then holds. */
export const setProperties = (
  ctx: AppContext,
  caller: Caller,
  id: string,
  values: PropertyValues,
): Promise<PropertyValues> =>
  ctx.db.write((tx) => {
    const note = findHead(tx, caller.workspacePk, id) ?? fail(notFound('note'))
    if (writeProperties(tx, caller, note.pk, values)) updateHead(tx, note.pk, {}, tx.now)
    return readProperties(tx, note.pk)
  })
