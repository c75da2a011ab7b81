import type { Column } from './conditions.ts'
import { targetOf } from './labels.ts'
import type { Value } from './model.ts'
import { isReference } from './references.ts'
import { readReference } from './suggestions.ts'
import { readTyped } from './typed-text.ts'
import { editText, type Parsed, parseValue } from './values.ts'

/** The user of the caller, in conditions. */
export const ME = 'me'

/** The values of a condition as editable text, references by label. */
export const textsOf = (column: Column | undefined, value: unknown): readonly string[] =>
  [value].flat().flatMap((part) => {
    if (part === undefined) return []
    const { field } = column ?? {}
    if (field?.type === 'user' && part === ME) return 'me'
    const label = field && isReference(field) ? targetOf(field, String(part))?.label : undefined
    return label ?? editText(part as Value)
  })

/** Instants are compared by day. */
export const dayType = (type: string) => (type === 'instant' || type === 'datetime' ? 'date' : type)

/** Parses the text of one value of a condition. */
export async function parseFilterValue({ field, type, label }: Column, text: string): Promise<Parsed> {
  if (!field || !isReference(field))
    return parseValue({ type: dayType(type), label }, readTyped(dayType(type), text))
  const { multiple: _, ...single } = field
  return readReference(single, text)
}
