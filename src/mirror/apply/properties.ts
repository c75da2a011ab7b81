import { insertRow, updateRow } from '../../db/crud.ts'
import { properties } from '../../db/schema/properties.ts'
import type { PropertyType } from '../../notes/writing/properties.ts'
import type { RemoteObject } from '../remote-objects.ts'
import {
  type CopyTransaction,
  flagOf,
  gone,
  instantsOf,
  placeholderOf,
  present,
  type Timestamps,
} from './copy-transaction.ts'

interface RemoteProperty extends RemoteObject, Timestamps {
  readonly id: string
  readonly key: string
  readonly type: PropertyType
  readonly label: string
  readonly options: readonly string[] | null
  readonly position: number
  readonly is_pinned: boolean
}

export function removeProperties(copy: CopyTransaction): void {
  for (const id of gone(copy, 'property')) copy.tx.sql.run('DELETE FROM properties WHERE id = ?', id)
}

export function applyProperties(copy: CopyTransaction): void {
  const { tx, workspacePk: workspace } = copy
  for (const { id } of present<RemoteProperty>(copy, 'property'))
    tx.sql.run('UPDATE properties SET "key" = ? WHERE id = ?', placeholderOf(id), id)
  for (const property of present<RemoteProperty>(copy, 'property')) {
    const { id, key, type, label, options, position } = property
    const row = {
      key,
      type,
      label: label === key ? null : label,
      options: options === null ? null : JSON.stringify(options),
      position,
      isPinned: flagOf(property.is_pinned),
      ...instantsOf(property),
    }
    const known = tx.sql.get<{ pk: number }>('SELECT pk FROM properties WHERE id = ?', id)
    if (known) updateRow(tx, properties, known.pk, row)
    else insertRow(tx, properties, { ...row, id, workspace })
  }
}
