import type { Static } from '@sinclair/typebox'
import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { compareNames, fold } from '../lib/text.ts'
import { presentNote } from '../notes/present.ts'
import { markForSearch } from '../notes/search/indexing.ts'
import { getNote, touchNote } from '../notes/store.ts'
import { logNoteUpdate } from '../notes/writing/log-update.ts'
import { readProperties, valueRefusal, writeSentProperties } from '../notes/writing/properties.ts'
import { addTags, nameOfTag } from '../notes/writing/tags.ts'
import { refused } from '../refusal.ts'
import type { ApplyPresetBody } from './schema.ts'
import { isEmpty, presetKind } from './service.ts'
import { type PresetProperty, type PropertyLists, propertiesOfPreset, tagsOfPreset } from './store.ts'

type ApplyInput = Static<typeof ApplyPresetBody>

/** Writes a preset onto an active note, all of it or nothing. It adds tags and values, and removes none. */
export async function applyPreset(ctx: AppContext, caller: Caller, idOrName: string, input: ApplyInput) {
  const { note, ...applied } = await ctx.db.write((tx) => writePreset(tx, caller, idOrName, input))
  return { note: presentNote(note), ...applied }
}

/** Writes a preset onto an active note in the caller's transaction. Properties are named by key, in the order of the preset. */
export function writePreset(
  tx: Tx,
  caller: Caller,
  idOrName: string,
  { note_id, answers = {}, overwrite = false }: ApplyInput,
) {
  const row = presetKind.getRow(tx, caller, idOrName)
  const { properties, asks } = propertiesOfPreset(tx, row.pk)
  const before = getNote(tx, caller, note_id)
  const { pk } = before
  const { values, kept, unanswered } = planApply(tx, {
    preset: row.name,
    properties,
    asks,
    answers: checkedAnswers(tx, row.name, asks, answers),
    noteValues: readProperties(tx, pk),
    overwrite,
  })
  const added = addTags(
    tx,
    pk,
    tagsOfPreset(tx, row.pk).map(({ id }) => id),
  )
  const previousProperties = writeSentProperties(tx, caller, pk, values)
  const isChanged = Object.keys(previousProperties).length > 0
  if (added.length > 0) markForSearch(tx, caller.workspacePk, pk)
  if (isChanged || added.length > 0) touchNote(tx, pk)
  const note = getNote(tx, caller, note_id)
  logNoteUpdate(tx, caller, before, note, { previousProperties })
  return {
    note,
    properties: readProperties(tx, pk),
    tags_added: added.map((tag) => nameOfTag(tx, tag)).sort(compareNames),
    properties_set: Object.keys(values),
    properties_kept: kept,
    properties_unanswered: unanswered,
  }
}

/** The answers that are not empty, by the pk of their property. */
function checkedAnswers(
  reader: Reader,
  preset: string,
  asks: readonly PresetProperty[],
  answers: Readonly<Record<string, unknown>>,
): Map<number, unknown> {
  const checked = new Map<number, unknown>()
  const named = new Set<number>()
  for (const [key, value] of Object.entries(answers)) {
    const rule = asks.find((asked) => asked.rule.key === fold(key))?.rule
    if (!rule)
      throw refused(`"answers" names "${key}", and the preset "${preset}" does not ask for it; leave it out.`)
    if (named.has(rule.pk))
      throw refused(`"answers" names the property "${rule.key}" twice in different spelling; name it once.`)
    named.add(rule.pk)
    if (isEmpty(value)) continue
    const refusal = valueRefusal(reader, rule, value)
    if (refusal) throw refusal
    checked.set(rule.pk, value)
  }
  return checked
}

interface ApplyRequest extends PropertyLists {
  readonly preset: string
  readonly answers: ReadonlyMap<number, unknown>
  /** The values of the note, by property key. */
  readonly noteValues: Readonly<Record<string, unknown>>
  readonly overwrite: boolean
}

/**
 * Decides what is written: an answer wins over the pre-filled value, and a value that the note has stays unless
 * `overwrite` is set. A value of the preset that would be written and no longer fits its property is refused.
 */
function planApply(
  reader: Reader,
  { preset, properties, asks, answers, noteValues, overwrite }: ApplyRequest,
) {
  const wanted = [
    ...properties.filter(({ value }) => value !== null),
    ...asks.map(({ rule, value }) => ({ rule, value: answers.get(rule.pk) ?? value })),
  ]
  const values: Record<string, unknown> = {}
  const kept: string[] = []
  const unanswered: string[] = []
  for (const { rule, value } of wanted) {
    if (value === null) unanswered.push(rule.key)
    else if (!overwrite && Object.hasOwn(noteValues, rule.key)) kept.push(rule.key)
    else values[rule.key] = stillValid(reader, preset, { rule, value })
  }
  return { values, kept, unanswered }
}

function stillValid(reader: Reader, preset: string, { rule, value }: PresetProperty): unknown {
  const refusal = valueRefusal(reader, rule, value)
  if (!refusal) return value
  throw refused(`${refusal.message} The preset "${preset}" holds another value for it; change the preset.`)
}
