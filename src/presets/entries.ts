import type { Reader } from '../db/reader.ts'
import { fold } from '../lib/text.ts'
import { findPropertyRule, valueRefusal } from '../notes/writing/property-values.ts'
import { refused } from '../refusal.ts'
import type { Entry } from './store.ts'

export interface EntryInput {
  key: string
  value?: unknown
}

/** Null and the empty text are no value: none is ever written (`service.md`, Apply rules). */
const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

/** Finds the properties of a list that was sent and checks each value strictly; `list` names it in refusals. */
export const checkedEntries = (
  reader: Reader,
  workspace: number,
  sent: readonly EntryInput[],
  list: 'properties' | 'ask',
): Entry[] =>
  sent.map(({ key, value }, at) => {
    const rule = findPropertyRule(reader, workspace, key)
    if (!rule)
      throw refused(
        `"${list}[${at}].key" names "${key}", and there is no such property in this workspace; define it first.`,
      )
    if (isEmpty(value)) return { rule, value: null }
    const refusal = valueRefusal(rule, value)
    if (refusal) throw refusal
    return { rule, value }
  })

/** One property may stand only once among what is set and what is asked for. */
export function refuseTwice(entries: readonly Entry[]): void {
  const seen = new Set<number>()
  for (const { rule } of entries) {
    if (seen.has(rule.pk))
      throw refused(`The property "${rule.key}" stands twice in "properties" and "ask"; name it once.`)
    seen.add(rule.pk)
  }
}

/** Answers by the pk of their property, without the empty ones. */
export function checkedAnswers(
  preset: string,
  asks: readonly Entry[],
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
    const refusal = valueRefusal(rule, value)
    if (refusal) throw refusal
    checked.set(rule.pk, value)
  }
  return checked
}

export interface ApplyPlan {
  /** By property key; what is to be written. */
  values: Record<string, unknown>
  kept: string[]
  unanswered: string[]
}

interface Application {
  preset: string
  properties: readonly Entry[]
  asks: readonly Entry[]
  answers: ReadonlyMap<number, unknown>
  /** What the note holds, by property key. */
  held: Readonly<Record<string, unknown>>
  overwrite: boolean
}

/**
 * Decides what applying writes: an answer wins over what is pre-filled, and what the note holds is kept unless it
 * shall be overwritten. A value of the preset that does not fit any more is refused, if it would be written.
 */
export function planApply({ preset, properties, asks, answers, held, overwrite }: Application): ApplyPlan {
  const wanted = [
    ...properties.filter(({ value }) => value !== null),
    ...asks.map(({ rule, value }) => ({ rule, value: answers.get(rule.pk) ?? value })),
  ]
  const plan: ApplyPlan = { values: {}, kept: [], unanswered: [] }
  for (const { rule, value } of wanted) {
    if (value === null) plan.unanswered.push(rule.key)
    else if (!overwrite && Object.hasOwn(held, rule.key)) plan.kept.push(rule.key)
    else plan.values[rule.key] = stillFitting(preset, { rule, value })
  }
  return plan
}

function stillFitting(preset: string, { rule, value }: Entry): unknown {
  const refusal = valueRefusal(rule, value)
  if (!refusal) return value
  throw refused(`${refusal.message} The preset "${preset}" holds another value for it; change the preset.`)
}
