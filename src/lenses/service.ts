import { logChange, logUpdate } from '../changes/log.ts'
import type { AppContext, Caller, InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import type { UsedBy } from '../feature-hooks.ts'
import { type FilterTree, parseOptionalTree } from '../filter/tree/parse.ts'
import { isSame, patchedFlag } from '../lib/patch.ts'
import { readStoredTree, storedTree, storedTreeReferences } from '../notes/query/evaluate.ts'
import { fail, notFound, refused } from '../refusal.ts'
import { presentLens } from './present.ts'
import { DEFAULT_SETTINGS, type LensSettings, mergedSettings, type SettingsChanges } from './settings.ts'
import * as store from './store.ts'

/** A lens with its scope and settings parsed. */
export interface Lens {
  row: store.LensRow
  scope: FilterTree | null
  settings: LensSettings
}

const parsed = (row: store.LensRow): Lens => ({
  row,
  scope: readStoredTree(row.scope),
  settings: JSON.parse(row.settings),
})

/** Lenses by creation. */
export const listLenses = (reader: Reader, { workspacePk }: InWorkspace): Lens[] =>
  store.listLensRows(reader, workspacePk).map(parsed)

const getLensRow = (reader: Reader, { workspacePk }: InWorkspace, id: string): store.LensRow =>
  store.findLens(reader, workspacePk, id) ?? fail(notFound('lens'))

export const getLens = (reader: Reader, caller: InWorkspace, id: string): Lens =>
  parsed(getLensRow(reader, caller, id))

/** Undefined while the workspace has no lens. */
export function findDefaultLens(reader: Reader, { workspacePk }: InWorkspace): Lens | undefined {
  const row = store.findDefaultLens(reader, workspacePk)
  return row && parsed(row)
}

/** A lens as a request sends it. */
export interface LensRequest {
  name?: string
  scope?: unknown
  settings?: SettingsChanges
  is_default?: boolean
}

/** A lens as `parseLens` returns it. */
export type LensInput = Omit<LensRequest, 'scope'> & { scope?: FilterTree | null }

/** Parses the scope of a request; nothing is looked up. */
export const parseLens = <Request extends LensRequest>(request: Request) => ({
  ...request,
  scope: parseOptionalTree(request.scope, 'scope'),
})

const NEW_LENS = { scope: null, settings: JSON.stringify(DEFAULT_SETTINGS), isDefault: 0 }

/** Creates a lens; the first one is the default, whatever is sent. Joins the caller's transaction. */
export function createLens(tx: Tx, caller: Caller, input: LensInput & { name: string }): Lens {
  const { workspacePk: workspace } = caller
  const isFirst = store.countLenses(tx, workspace) === 0
  const columns = merged(tx, caller, { ...NEW_LENS, name: input.name }, input)
  const isDefault = isFirst ? 1 : columns.isDefault
  const id = tx.newId()
  if (isDefault === 1) store.clearDefaultLens(tx, caller)
  store.insertLens(tx, { ...columns, isDefault, id, workspace })
  logChange(tx, caller, { kind: 'lens', id }, 'created')
  return getLens(tx, caller, id)
}

/** Changes what is sent; settings are merged one by one, the scope is replaced whole. */
export function patchLens(ctx: AppContext, caller: Caller, id: string, input: LensInput): Promise<Lens> {
  return ctx.db.write((tx): Lens => {
    const before = getLensRow(tx, caller, id)
    const columns = merged(tx, caller, before, input)
    if (columns.isDefault < before.isDefault)
      throw refused(
        `The lens "${before.name}" is the default, and there always is one; make another lens the default instead.`,
      )
    if (isSame(before, columns)) return parsed(before)
    if (columns.isDefault > before.isDefault) store.clearDefaultLens(tx, caller)
    store.updateLens(tx, before.pk, columns)
    const after = getLens(tx, caller, id)
    logUpdate(tx, caller, { kind: 'lens', id }, presentLens(parsed(before)), presentLens(after))
    return after
  })
}

const merged = (
  reader: Reader,
  caller: Caller,
  before: store.LensColumns,
  { name, scope, settings, is_default }: LensInput,
): store.LensColumns => ({
  name: name ?? before.name,
  scope: scope === undefined ? before.scope : storedTree(reader, caller.workspacePk, scope, 'scope'),
  settings: settings
    ? JSON.stringify(mergedSettings(JSON.parse(before.settings), settings))
    : before.settings,
  isDefault: patchedFlag(is_default, before.isDefault),
})

/** When it was the default, the next by creation becomes the default, else the first. */
export const deleteLens = (ctx: AppContext, caller: Caller, id: string): Promise<void> =>
  ctx.db.write((tx): void => {
    const { pk, isDefault } = getLensRow(tx, caller, id)
    const heir = isDefault === 1 ? store.findNextLens(tx, caller.workspacePk, pk) : undefined
    store.deleteLensRow(tx, pk)
    logChange(tx, caller, { kind: 'lens', id }, 'deleted')
    if (!heir) return
    store.updateLens(tx, heir.pk, { isDefault: 1 })
    const difference = { changed: ['is_default'], previous: { is_default: false } }
    logChange(tx, caller, { kind: 'lens', id: heir.id }, 'updated', { difference })
  })

/** The lenses whose scope names the tag, of all or of these. */
export const lensesNamingTag = (
  reader: Reader,
  workspace: number,
  tag: number,
  ids?: readonly string[],
): UsedBy[] => lensesWhere(reader, workspace, ({ tagIds }) => tagIds.includes(tag), ids)

/** The lenses whose scope names the property, of all or of these. */
export const lensesNamingProperty = (
  reader: Reader,
  workspace: number,
  property: string,
  ids?: readonly string[],
): UsedBy[] => lensesWhere(reader, workspace, ({ propertyIds }) => propertyIds.includes(property), ids)

const lensesWhere = (
  reader: Reader,
  workspace: number,
  holds: (names: ReturnType<typeof storedTreeReferences>) => boolean,
  ids: readonly string[] = store.listLensIds(reader, workspace),
): UsedBy[] =>
  ids.flatMap((id) => {
    const lens = store.findLens(reader, workspace, id)
    return lens && holds(storedTreeReferences(lens.scope)) ? [{ id, name: lens.name }] : []
  })
