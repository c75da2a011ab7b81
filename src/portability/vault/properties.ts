import type { Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { optionsOf } from '../../notes/writing/properties.ts'
import { createProperty, getPropertyRow, propertyKind } from '../../properties/service.ts'
import { PropertyPlan } from './plan/properties.ts'

export type VaultProperties = PropertyPlan<ReturnType<typeof getPropertyRow>>

export const propertiesOf = (tx: Tx, { workspacePk }: Caller): VaultProperties =>
  new PropertyPlan(propertyKind.rows(tx, workspacePk), (rule) => optionsOf(tx, rule))

/** Defines the properties that are new. Returns their number. */
export function defineNew(tx: Tx, caller: Caller, properties: VaultProperties): number {
  const added = properties.newProperties()
  for (const [name, { key, label, type }] of added) {
    createProperty(tx, caller, { key, type, ...(label !== key && { label }) })
    properties.define(name, getPropertyRow(tx, caller, key))
  }
  return added.size
}
