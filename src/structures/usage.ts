import type { Reader } from '../db/reader.ts'
import type { FeatureHooks } from '../feature-hooks.ts'
import { quoteList } from '../lib/text.ts'
import { Refusal } from '../refusal.ts'
import type { FieldDefinition } from './store.ts'

/** What refers to fields of the structure, as it will be after the change. */
export interface FieldUse {
  structurePk: number
  labelField: string | null
  uniqueTogether: readonly (readonly string[])[]
}

/** What refers to the field, in words. */
function usersOf(reader: Reader, features: FeatureHooks, { key }: FieldDefinition, use: FieldUse): string[] {
  const label = use.labelField === key ? ['label_field'] : []
  const together = use.uniqueTogether.some((keys) => keys.includes(key)) ? ['unique_together'] : []
  const webhooks = features.usageOfField(reader, use.structurePk, key).map((id) => `webhook ${id}`)
  return [...label, ...together, ...webhooks]
}

/** Refuses to remove or retype a field that is still referred to, and names everything that does. */
export function refuseLossOfUsedFields(
  reader: Reader,
  features: FeatureHooks,
  lost: readonly FieldDefinition[],
  use: FieldUse,
): void {
  for (const field of lost) {
    const users = usersOf(reader, features, field, use)
    if (users.length === 0) continue
    throw new Refusal(
      'in_use',
      `The field "${field.key}" is named by ${quoteList(users)} and cannot be removed, renamed or retyped; change that first.`,
    )
  }
}
