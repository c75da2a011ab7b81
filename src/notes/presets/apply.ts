import type { Static } from '@sinclair/typebox'
import type { InWorkspace } from '../../context.ts'
import { write } from '../../kernel/operation.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { atPlace, fail, invalid, refused, within } from '../../lib/refusal.ts'
import { compareNames, fold } from '../../lib/text.ts'
import { findTimeZone } from '../../lib/time-zones.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { checkedLength } from '../content-length.ts'
import { getNote, presentNote } from '../store.ts'
import { appended } from '../writing/append-and-edit.ts'
import type { CreateInput, OpenedPreset, PresetPlan } from '../writing/create.ts'
import { readProperties, valueRefusal, writeSentProperties } from '../writing/properties.ts'
import { addTags, nameOfTag } from '../writing/tags.ts'
import { changeText } from '../writing/update.ts'
import type { ApplyPresetBody } from './schema.ts'
import {
  isEmpty,
  type PresetProperty,
  type PropertyLists,
  presetKind,
  propertiesOfPreset,
  tagsOfPreset,
} from './service.ts'

/** Applies a preset to an active note, all or nothing. It adds tags, values and text, and removes none. */
export const applyPreset = write({
  name: 'presets.apply',
  covers: 'notes',
  run: (tx, caller, { idOrName, body }: { idOrName: string; body: Static<typeof ApplyPresetBody> }) => {
    const { note_id, overwrite, ...sent } = body
    const preset = openPreset(tx, caller, idOrName, sent)
    const before = getNote(tx, caller, note_id)
    const { pk, title } = before
    const text = preset.contentFor(title)
    const { values, kept, unanswered } = preset.plan(readProperties(tx, pk), overwrite)
    const added = addTags(tx, pk, preset.tagIds)
    const previousProperties = writeSentProperties(tx, caller, before, values)
    const content = text === '' ? before.content : appended(before.content, text)
    const others = { tagsAdded: added.length > 0, previousProperties }
    const note = changeText(tx, caller, before, { title, content: checkedLength(content) }, others)
    return {
      note: presentNote(note),
      properties: readProperties(tx, pk),
      tags_added: added.map((tag) => nameOfTag(tx, tag)).sort(compareNames),
      properties_set: Object.keys(values),
      properties_kept: kept,
      properties_unanswered: unanswered,
    }
  },
})

/** The preset for a new note; refuses answers without one. */
export function presetOf(
  tx: Tx,
  caller: InWorkspace,
  { preset, answers, tz }: Pick<CreateInput, 'preset' | 'answers' | 'tz'>,
): OpenedPreset | undefined {
  if (preset !== undefined) return openPreset(tx, caller, preset, { answers, tz })
  if (answers === undefined) return undefined
  throw invalid('"answers" go with "preset"; name the preset that asks for them.', atPlace('answers'))
}

/** The input for a preset. */
interface PresetInput {
  readonly answers?: Readonly<Record<string, unknown>> | undefined
  /** The IANA name of the time zone for its date and time. */
  readonly tz?: string | undefined
}

/** Reads a preset. Properties are referenced by key, in preset order. */
function openPreset(
  tx: Tx,
  caller: InWorkspace,
  idOrName: string,
  { answers = {}, tz }: PresetInput,
): OpenedPreset {
  const row = presetKind.getRow(tx, caller, idOrName)
  const lists = propertiesOfPreset(tx, row.pk)
  return {
    tagIds: tagsOfPreset(tx, row.pk).map(({ id }) => id),
    contentFor: (title) => filled(row.content ?? '', title, tx.now, tz),
    plan: (noteValues, overwrite = false) => {
      const checked = checkedAnswers(tx, row.name, lists.asks, answers)
      return planApply(tx, { preset: row.name, ...lists, answers: checked, noteValues, overwrite })
    },
  }
}

/** The text with its known placeholders replaced; unknown ones remain as text. */
function filled(text: string, title: string, now: number, tz = 'UTC'): string {
  const local = isoTimestamp(now + (findTimeZone(tz)?.offsetAt(now) ?? 0))
  const values: Record<string, string> = { date: local.slice(0, 10), time: local.slice(11, 16), title }
  return text.replace(/\{\{(date|time|title)\}\}/g, (_, name) => values[name] ?? '')
}

/** The answers that are not empty, by property pk. */
function checkedAnswers(
  reader: Reader,
  preset: string,
  asks: readonly PresetProperty[],
  answers: Readonly<Record<string, unknown>>,
): Map<number, unknown> {
  const checked = new Map<number, unknown>()
  const named = new Set<number>()
  for (const [key, value] of Object.entries(answers)) {
    const rule = asks.find((question) => question.rule.key === fold(key))?.rule
    if (!rule)
      throw refused(
        `"answers" names "${key}", and the preset "${preset}" does not ask for it; leave it out.`,
        atPlace('answers', key),
      )
    if (named.has(rule.pk))
      throw refused(
        `"answers" names the property "${rule.key}" twice in different spelling; name it once.`,
        atPlace('answers'),
      )
    named.add(rule.pk)
    if (isEmpty(value)) continue
    const refusal = valueRefusal(reader, rule, value)
    if (refusal) throw within('answers', () => fail(refusal))
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
 * Decides what to write. An answer takes precedence over the pre-filled value, and existing values of the note remain
 * unless `overwrite` is set. A preset value that would be written but no longer fits its property is refused.
 */
function planApply(
  reader: Reader,
  { preset, properties, asks, answers, noteValues, overwrite }: ApplyRequest,
): PresetPlan {
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
