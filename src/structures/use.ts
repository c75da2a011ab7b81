import { quoteList } from '../lib/text.ts'
import { Refusal } from '../refusal.ts'
import type { FieldDefinition } from './definition.ts'

/** What names fields by key, after the change that is judged. */
export interface FieldUse {
  labelField: string | null
  uniqueTogether: readonly (readonly string[])[]
}

/** Who names the field, in words. */
function usersOf({ key }: FieldDefinition, { labelField, uniqueTogether }: FieldUse): string[] {
  const label = labelField === key ? ['label_field'] : []
  return uniqueTogether.some((keys) => keys.includes(key)) ? [...label, 'unique_together'] : label
}

/** Refuses that a field that is still named goes or changes its type, naming every user (contract, section 10). */
export function refuseLossOfUsedFields(lost: readonly FieldDefinition[], use: FieldUse): void {
  for (const field of lost) {
    const users = usersOf(field, use)
    if (users.length === 0) continue
    throw new Refusal(
      'in_use',
      `The field "${field.key}" is named by ${quoteList(users)} and cannot be removed, renamed or retyped; change that first.`,
    )
  }
}
