import type { Static } from '@sinclair/typebox'
import { read, write } from '../../kernel/operation.ts'
import { refused } from '../../lib/refusal.ts'
import type { Reader } from '../../storage/reader.ts'
import type { PropertyType } from '../property-values.ts'
import { type FoundUsage, type PropertyUsage, propertyUsage, refuseWhileUsed } from '../usage.ts'
import type { PatchPropertyBody } from './schema.ts'
import {
  getPropertyHead,
  getPropertyRow,
  isUsedByAnyNote,
  optionsFor,
  type PropertyRow,
  propertyKind,
  refuseLongOptions,
  refuseRepeatedOption,
  refuseTakenKey,
  strandedValues,
} from './service.ts'

interface Named {
  readonly idOrKey: string
}

/** The property and the objects that use it, which prevent its deletion. */
export const readProperty = read({
  name: 'properties.get',
  covers: 'notes',
  run: (snapshot, caller, { idOrKey }: Named) => {
    const property = getPropertyRow(snapshot, caller, idOrKey)
    const { webhooks: _, ...used_by } = propertyUsage.find(snapshot, caller.workspacePk, property).usage
    return { property: propertyKind.present(property, snapshot), used_by }
  },
})

/** A property and the objects that use it, found before the transaction that changes or deletes the property. */
export interface PropertyInUse {
  readonly id: string
  readonly found: FoundUsage<PropertyUsage>
}

/** `body` is the change that requires the usage, if any. */
export const findPropertyUsage = read({
  name: 'properties.usage',
  covers: 'notes',
  run: (snapshot, caller, { idOrKey, body }: Named & { readonly body?: PropertyPatch }): PropertyInUse => {
    refuseRepeatedOption(body?.options)
    const property = getPropertyHead(snapshot, caller, idOrKey)
    return { id: property.id, found: propertyUsage.find(snapshot, caller.workspacePk, property) }
  },
})

type PropertyPatch = Static<typeof PatchPropertyBody>

interface PatchInput extends Named {
  readonly body: PropertyPatch
  /** With a type. */
  readonly inUse: PropertyInUse | undefined
}

/**
 * Changes a definition. Values that are no longer among the options remain on their notes and are returned as stranded.
 */
export const patchProperty = write({
  name: 'properties.patch',
  covers: 'notes',
  run: (tx, caller, { idOrKey, body: patch, inUse }: PatchInput) => {
    refuseRepeatedOption(patch.options)
    const before = getPropertyRow(tx, caller, inUse?.id ?? idOrKey)
    refuseLongOptions(patch.options, before.options)
    if (patch.key !== undefined && patch.key !== before.key) refuseTakenKey(tx, caller, patch.key)
    if (inUse && patch.type !== undefined && patch.type !== before.type) {
      refuseRetypeInUse(tx, before, patch.type)
      refuseWhileUsed(
        `The property "${before.key}"`,
        propertyUsage.now(tx, caller.workspacePk, before, inUse.found),
        'its type cannot change before those change',
      )
    }
    const options = optionsFor(patch.type ?? before.type, patch.options, before.options)
    const stranded = patch.options && options !== null ? strandedValues(tx, before.pk, options) : []
    const columns = { ...propertyKind.columnsOf(patch), ...keptLabel(before, patch), options }
    const property = propertyKind.update(tx, caller, before, columns, { position: patch.position })
    return { property, stranded_values: stranded }
  },
})

/** A key used as the label is not stored as one, so sending a property back unchanged changes nothing. */
const keptLabel = (before: PropertyRow, { key = before.key, label }: PropertyPatch) =>
  before.label === null && label === before.key && key === before.key ? { label: null } : {}

function refuseRetypeInUse(reader: Reader, { pk, key }: PropertyRow, type: PropertyType): void {
  if (!isUsedByAnyNote(reader, pk)) return
  throw refused(
    `Notes, trashed ones included, hold values of the property "${key}"; clear them before changing its type to "${type}".`,
  )
}
