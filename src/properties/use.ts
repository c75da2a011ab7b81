import type { Reader } from '../db/reader.ts'
import type { Dependent } from '../http/dependents.ts'
import { lensesNamingProperty } from '../lenses/use.ts'
import { quoteList } from '../lib/text.ts'
import { presetsNamingProperty } from '../presets/store.ts'
import { Refusal } from '../refusal.ts'
import { type ViewRole, viewsNamingProperty } from '../views/use.ts'
import type { PropertyRow } from './store.ts'

/** What names a property: views by the part that does, presets and lenses. */
export interface PropertyUse {
  views: (Dependent & { roles: ViewRole[] })[]
  presets: Dependent[]
  lenses: Dependent[]
}

/** The one place that asks other features whether they use a property. */
export const propertyUse = (reader: Reader, workspace: number, property: PropertyRow): PropertyUse => ({
  views: viewsNamingProperty(reader, workspace, property.id),
  presets: presetsNamingProperty(reader, property.pk),
  lenses: lensesNamingProperty(reader, workspace, property.id),
})

/** Refuses with every dependent's name; `consequence` says what therefore cannot be done. */
export function refuseWhileUsed(
  reader: Reader,
  workspace: number,
  property: PropertyRow,
  consequence: string,
): void {
  const { views, presets, lenses } = propertyUse(reader, workspace, property)
  const names = [...views, ...presets, ...lenses].map(({ name }) => name)
  if (names.length === 0) return
  const users = quoteList(names)
  throw new Refusal(
    'in_use',
    `The property "${property.key}" is used by ${users}; ${consequence} before those change.`,
  )
}
