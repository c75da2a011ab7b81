import type { Caller } from '../../context.ts'
import { withTexts } from '../../lib/json-texts.ts'
import type { Refusal } from '../../lib/refusal.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { logAttribute, wholeNoteJson } from '../events.ts'
import { indexAllLinks } from '../links/indexing.ts'
import { type LinkedValue, valuesWithLinks } from '../links/property-links.ts'
import { touchNotes } from '../store.ts'
import { type PropertyRule, type PropertyValues, setValue, valueRefusal } from './properties.ts'
import type { Rewritten } from './replace-content.ts'

interface Replacement {
  /** Returns undefined to leave the text unchanged. */
  rewrite(text: string): Rewritten | undefined
  /** The refusal for a value that would be too long. */
  tooLong(title: string): Refusal
}

interface NoteTimes {
  readonly id: string
  readonly title: string
  readonly updatedAt: number
  readonly editedAt: number
}

const findTimes = ({ sql }: Reader, pk: number): NoteTimes | undefined =>
  sql.get('SELECT id, title, updated_at AS updatedAt, edited_at AS editedAt FROM notes WHERE pk = ?', pk)

/** Options belong to the definition of a `select`, so they stay. */
function ruleOf({ property, key, type }: LinkedValue): PropertyRule | undefined {
  return key === null || type === null || type === 'select' ? undefined : { pk: property, key, type }
}

/**
 * Replaces the texts with links in the property values of these notes, even in the trash. The notes only follow a
 * change of something else. Returns the number of rewritten links.
 */
export function replacePropertyTexts(
  tx: Tx,
  caller: Caller,
  notes: readonly number[],
  replacement: Replacement,
): number {
  let links = 0
  for (const note of notes) {
    const times = findTimes(tx, note)
    const { previous, count } = replaceValues(tx, note, replacement)
    if (!times || count === 0) continue
    links += count
    indexAllLinks(tx, { workspace: caller.workspacePk, note })
    touchNotes(tx, JSON.stringify([note]))
    const { id, updatedAt, editedAt } = times
    const replaced = { columns: { updatedAt, editedAt }, properties: previous }
    logAttribute(tx, caller, id, 'properties', previous, () => wholeNoteJson(tx, note, replaced))
  }
  return links
}

/** Returns the old values, and the number of rewritten links. */
function replaceValues(tx: Tx, note: number, { rewrite, tooLong }: Replacement) {
  const previous: PropertyValues = {}
  let count = 0
  for (const linked of valuesWithLinks(tx, note)) {
    const rule = ruleOf(linked)
    if (!rule) continue
    const value = withTexts(linked.value, (text) => {
      const rewritten = rewrite(text)
      count += rewritten?.links ?? 0
      return rewritten?.content ?? text
    })
    if (valueRefusal(tx, rule, value)) throw tooLong(findTimes(tx, note)?.title ?? '')
    if (setValue(tx, note, rule, value)) previous[rule.key] = linked.value
  }
  return { previous, count }
}
