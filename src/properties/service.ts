import { logChange, logShifts, logUpdate } from '../changes/log.ts'
import type { AppContext, Caller, InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { endOf, moveTo } from '../db/writes/positions.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { type FoundUsage, type PropertyUsage, refuseWhileUsed } from '../feature-hooks.ts'
import { isId } from '../lib/ids.ts'
import { isSame, patched, patchedFlag } from '../lib/patch.ts'
import { codePointLength, fold } from '../lib/text.ts'
import type { PropertyType } from '../notes/writing/properties.ts'
import { fail, invalid, nameTaken, notFound, refused } from '../refusal.ts'
import { presentProperty } from './present.ts'
import * as store from './store.ts'

/** Properties by position. */
export const listProperties = (reader: Reader, { workspacePk }: InWorkspace) =>
  store.listPropertyRows(reader, workspacePk)

export function getPropertyRow(reader: Reader, { workspacePk }: Caller, idOrKey: string): store.PropertyRow {
  const byId = isId(idOrKey) ? store.findProperty(reader, workspacePk, idOrKey) : undefined
  return byId ?? store.findPropertyByKey(reader, workspacePk, fold(idOrKey)) ?? fail(notFound('property'))
}

/** The property and what uses it, so that it cannot be deleted. */
export async function getProperty(ctx: AppContext, caller: Caller, idOrKey: string) {
  const { id, found } = await findUsage(ctx, caller, idOrKey)
  return { property: getPropertyRow(ctx.db, caller, id), usage: found.usage }
}

/** A property, and what uses it, before the transaction that needs to know. */
export async function findUsage(
  ctx: AppContext,
  caller: Caller,
  idOrKey: string,
): Promise<{ id: string; found: FoundUsage<PropertyUsage> }> {
  const property = getPropertyHead(ctx.db, caller, idOrKey)
  return { id: property.id, found: await ctx.features.usageOfProperty.find(ctx, caller, property) }
}

/** Without its count of notes, which is slow to find. */
function getPropertyHead(reader: Reader, { workspacePk }: Caller, idOrKey: string): store.PropertyHead {
  const byId = isId(idOrKey) ? store.findPropertyHead(reader, workspacePk, idOrKey) : undefined
  return byId ?? store.findPropertyHeadByKey(reader, workspacePk, fold(idOrKey)) ?? fail(notFound('property'))
}

export interface NewPropertyInput {
  key: string
  type: PropertyType
  label?: string
  options?: string[]
  position?: number
  is_pinned?: boolean
}

/** Defines a property as `createProperty` does, and refuses a request with too long options. */
export function defineProperty(tx: Tx, caller: Caller, input: NewPropertyInput): store.PropertyRow {
  refuseLongOptions(input.options)
  return createProperty(tx, caller, input)
}

/** Defines a property; joins the caller's transaction. */
export function createProperty(tx: Tx, caller: Caller, input: NewPropertyInput): store.PropertyRow {
  refuseRepeatedOption(input.options)
  refuseTakenKey(tx, caller, input.key)
  const id = tx.newId()
  const end = endOf(tx, 'properties', caller.workspacePk)
  const pk = store.insertProperty(tx, {
    id,
    workspace: caller.workspacePk,
    key: input.key,
    type: input.type,
    label: input.label ?? null,
    options: optionsFor(input.type, input.options, null),
    position: end,
    isPinned: input.is_pinned ? 1 : 0,
  })
  const shifted = moveTo(tx, 'properties', caller.workspacePk, { pk, position: end }, input.position ?? end)
  logChange(tx, caller, { kind: 'property', id }, 'created')
  logShifts(tx, caller, 'property', shifted)
  return getPropertyRow(tx, caller, id)
}

function refuseTakenKey(reader: Reader, { workspacePk }: Caller, key: string): void {
  if (!store.findPropertyHeadByKey(reader, workspacePk, key)) return
  throw nameTaken(`A property with the key "${key}" exists already; choose another key.`)
}

/** As long as one value of a text: definitions are read with every note that has a value. */
const MAX_OPTIONS_LENGTH = 100_000

/** Refuses what the schemas cannot express, before anything is looked up. */
function refuseRepeatedOption(options: readonly string[] = []): void {
  if (new Set(options).size < options.length)
    throw invalid('"options" names one option twice; name each once.')
}

/** Refuses more than a definition may hold; one that holds more already may be given less. */
function refuseLongOptions(options: readonly string[] = [], current: string | null = null): void {
  const length = lengthOf(options)
  if (length <= MAX_OPTIONS_LENGTH || length <= lengthOf(JSON.parse(current ?? '[]'))) return
  throw invalid(
    `"options" hold more than ${MAX_OPTIONS_LENGTH.toLocaleString('en-US')} characters together; send fewer or shorter ones.`,
  )
}

const lengthOf = (options: readonly string[]): number =>
  options.reduce((sum, option) => sum + codePointLength(option), 0)

/** The options as they are stored: only a `select` has any. When none are sent, the current ones stay. */
function optionsFor(type: PropertyType, sent: string[] | undefined, current: string | null): string | null {
  if (type !== 'select') {
    if (sent === undefined || sent.length === 0) return null
    throw refused(`"options" belong to a property of type "select", and this one is of type "${type}".`)
  }
  return sent === undefined ? (current ?? '[]') : JSON.stringify(sent)
}

export interface PropertyPatch {
  key?: string
  label?: string | null
  type?: PropertyType
  options?: string[]
  position?: number
  is_pinned?: boolean
}

export interface PatchedProperty {
  property: store.PropertyRow
  stranded: { value: string; notes: number }[]
}

/** Changes a definition. Values that are no longer among the options stay on their notes; they are returned as stranded. */
export async function patchProperty(
  ctx: AppContext,
  caller: Caller,
  idOrKey: string,
  patch: PropertyPatch,
): Promise<PatchedProperty> {
  refuseRepeatedOption(patch.options)
  const { id } = getPropertyHead(ctx.db, caller, idOrKey)
  const found = patch.type === undefined ? undefined : (await findUsage(ctx, caller, id)).found
  return ctx.db.write((tx) => {
    const before = getPropertyRow(tx, caller, id)
    refuseLongOptions(patch.options, before.options)
    if (patch.key !== undefined && patch.key !== before.key) refuseTakenKey(tx, caller, patch.key)
    if (found && patch.type !== undefined && patch.type !== before.type)
      refuseRetype(ctx, tx, caller, before, { type: patch.type, found })
    const after = merged(before, patch)
    const { workspacePk } = caller
    const shifted =
      patch.position === undefined ? undefined : moveTo(tx, 'properties', workspacePk, before, patch.position)
    if (shifted || !isSame<store.PropertyColumns>(before, after)) store.updateProperty(tx, before.pk, after)
    const stranded =
      patch.options && after.options !== null ? store.strandedValues(tx, before.pk, after.options) : []
    const property = getPropertyRow(tx, caller, before.id)
    logUpdate(
      tx,
      caller,
      { kind: 'property', id: before.id },
      presentProperty(before),
      presentProperty(property),
      ['notes_with_value'],
    )
    logShifts(tx, caller, 'property', shifted)
    return { property, stranded }
  })
}

function merged(before: store.PropertyRow, patch: PropertyPatch): store.PropertyColumns {
  const type = patch.type ?? before.type
  return {
    key: patch.key ?? before.key,
    type,
    label: patched(patch.label, before.label),
    options: optionsFor(type, patch.options, before.options),
    isPinned: patchedFlag(patch.is_pinned, before.isPinned),
  }
}

function refuseRetype(
  { features }: AppContext,
  tx: Tx,
  { workspacePk }: Caller,
  property: store.PropertyRow,
  { type, found }: { type: PropertyType; found: FoundUsage<PropertyUsage> },
): void {
  if (store.isHeldByAnyNote(tx, property.pk)) {
    throw refused(
      `Notes, trashed ones included, hold values of the property "${property.key}"; clear them before changing its type to "${type}".`,
    )
  }
  refuseWhileUsed(
    `The property "${property.key}"`,
    features.usageOfProperty.now(tx, workspacePk, property, found),
    'its type cannot change before those change',
  )
}
