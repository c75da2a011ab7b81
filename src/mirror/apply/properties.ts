import { insertRow, updateRow } from '../../db/crud.ts'
import { properties } from '../../db/schema/properties.ts'
import type { PropertyType } from '../../notes/writing/properties.ts'
import type { RemoteObject } from '../remote-objects.ts'
import {
  type Application,
  flagOf,
  gone,
  instantsOf,
  placeholderOf,
  present,
  type Timestamps,
} from './application.ts'

interface RemoteProperty extends RemoteObject, Timestamps {
  readonly id: string
  readonly key: string
  readonly type: PropertyType
  readonly label: string
  readonly options: readonly string[] | null
  readonly position: number
  readonly is_pinned: boolean
}

export function removeProperties(application: Application): void {
  for (const id of gone(application, 'property'))
    application.tx.sql.run('DELETE FROM properties WHERE id = ?', id)
}

export function applyProperties(application: Application): void {
  const { tx, workspacePk: workspace } = application
  for (const { id } of present<RemoteProperty>(application, 'property'))
    tx.sql.run('UPDATE properties SET "key" = ? WHERE id = ?', placeholderOf(id), id)
  for (const property of present<RemoteProperty>(application, 'property')) {
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
