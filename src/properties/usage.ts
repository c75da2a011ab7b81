import type { Reader } from '../db/reader.ts'
import { type UsedBy, usageInWords } from '../http/schema/usage.ts'
import { lensesNamingProperty } from '../lenses/usage.ts'
import { presetsNamingProperty } from '../presets/store.ts'
import { Refusal } from '../refusal.ts'
import { type ViewRole, viewsNamingProperty } from '../views/usage.ts'
import type { PropertyRow } from './store.ts'

/** What names a property: views by the part that does, presets and lenses. */
export interface PropertyUse {
  views: (UsedBy & { roles: ViewRole[] })[]
  presets: UsedBy[]
  lenses: UsedBy[]
}

/** The one place that asks other features whether they use a property. */
export const propertyUse = (reader: Reader, workspace: number, property: PropertyRow): PropertyUse => ({
  views: viewsNamingProperty(reader, workspace, property.id),
  presets: presetsNamingProperty(reader, property.pk),
  lenses: lensesNamingProperty(reader, workspace, property.id),
})

/** Refuses with every dependent's kind and name; `consequence` says what therefore cannot be done. */
export function refuseWhileUsed(
  reader: Reader,
  workspace: number,
  property: PropertyRow,
  consequence: string,
): void {
  const users = usageInWords(propertyUse(reader, workspace, property))
  if (users === '') return
  throw new Refusal(
    'in_use',
    `The property "${property.key}" is used by ${users}; ${consequence} before those change.`,
  )
}
