import { textsIn } from '../../lib/json-texts.ts'
import { distinctLinkKeys, isFileTarget, mayLink, parseLinks, type WikiLink } from '../../lib/wiki-links.ts'
import type { Reader } from '../../storage/reader.ts'
import type { PropertyType } from '../property-values.ts'

/*
 * Property values link to notes like bodies do: a text, an option, or any text within JSON, alone or among other words.
 * `note_links` holds the targets of the values beside those of the body.
 */

/** A stored value that may contain links. */
export interface LinkedValue {
  readonly property: number
  /** Null for a deleted property whose values are about to be removed. */
  readonly key: string | null
  readonly type: PropertyType | null
  readonly value: unknown
}

/** The condition that the column `value` may contain links. */
export const MAY_LINK = `instr(value, '[[') > 0`

/** The values of a note that may contain links, in definition order. */
export function valuesWithLinks({ sql }: Reader, note: number): LinkedValue[] {
  const stored = sql.all<{ property: number; value: string }>(
    `SELECT property, value FROM note_properties WHERE note = ? AND ${MAY_LINK}`,
    note,
  )
  const values = stored.map(({ property, value }) => {
    const rule = sql.get<{ key: string; type: PropertyType; position: number }>(
      'SELECT key, type, position FROM properties WHERE pk = ?',
      property,
    )
    const { key = null, type = null, position = 0 } = rule ?? {}
    const isInJson = type === null ? isJson(value) : type === 'json'
    return { property, key, type, position, value: isInJson ? JSON.parse(value) : value }
  })
  return values.sort((left, right) => left.position - right.position || left.property - right.property)
}

/** Whether a value whose definition is gone was JSON. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The length of the values that may contain links, in bytes. */
export const bytesOfLinkedValues = ({ sql }: Reader, notes: readonly number[]): number =>
  sql.scalar(
    `SELECT total(octet_length(value)) FROM note_properties
     WHERE note IN (SELECT value FROM json_each(?)) AND ${MAY_LINK}`,
    JSON.stringify(notes),
  )

/** The texts of a note's property values that may contain links. */
export const linkedTexts = (reader: Reader, note: number): string[] =>
  valuesWithLinks(reader, note).flatMap(({ value }) => [...textsIn(value)].filter(mayLink))

/** The links of a note's property values, in definition order. */
export const propertyLinks = (reader: Reader, note: number): WikiLink[] =>
  linkedTexts(reader, note).flatMap(parseLinks)

/** The keys of these links, as stored in `note_links`. */
export const propertyLinkKeys = (reader: Reader, note: number): ReadonlySet<string> =>
  new Set(
    linkedTexts(reader, note)
      .flatMap((text) => [...distinctLinkKeys(text)])
      .filter((key) => !isFileTarget(key)),
  )

/** The notes with a value of this property that may contain links. */
export const notesLinkingBy = ({ sql }: Reader, property: number): number[] =>
  sql.column(`SELECT note FROM note_properties WHERE property = ? AND ${MAY_LINK}`, property)
