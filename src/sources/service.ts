import type { Static } from '@sinclair/typebox'
import { type Ability, may } from '../access/rights.ts'
import { differenceOf } from '../changes/entries.ts'
import { logChange } from '../changes/log.ts'
import { type AppContext, type Caller, type InWorkspace, wholeWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { patched, patchedFlag } from '../lib/patch.ts'
import { fold } from '../lib/text.ts'
import { fail, invalid, nameTaken, namingPlace, notFound, refused } from '../refusal.ts'
import {
  type Definition,
  definitionOf,
  findStructureByPk,
  getStructure,
  ofReadableStructures,
  structureOf,
} from '../structures/store.ts'
import { checkedWhen } from './conditions.ts'
import { deleteRemovedSources, dropEarlierSealed, markSourceRemoved } from './deletion.ts'
import { checkMap, type SourceMap } from './map.ts'
import { parsePlace } from './places.ts'
import { DERIVED, presentSource } from './present.ts'
import { providerOf } from './providers.ts'
import type { CreateSourceBody, PatchSourceBody } from './schema.ts'
import * as store from './store.ts'

const MAX_SOURCES = 100

export type NewSource = Static<typeof CreateSourceBody>
export type SourcePatch = Static<typeof PatchSourceBody>

/** Refuses a source with whose structure the caller may not do something. */
export function getSource(
  reader: Reader,
  caller: InWorkspace,
  id: string,
  ability: Ability,
): store.SourceRow {
  const source = store.findSource(reader, caller.workspacePk, id) ?? fail(notFound('source'))
  structureOf(reader, caller, source, 'source', ability)
  return source
}

/** Whether the caller may write to the structure of a source, and so is shown its secrets. */
export function mayWriteTo(
  reader: Reader,
  { workspacePk, rights, mayWrite }: Caller,
  { structure }: store.SourceRow,
): boolean {
  const id = rights && findStructureByPk(reader, wholeWorkspace(workspacePk), structure)?.id
  return mayWrite && may(rights, id ?? '', 'change')
}

/** Sources by creation. */
export const listSources = (reader: Reader, caller: InWorkspace): store.SourceRow[] =>
  ofReadableStructures(reader, caller, store.listSourceRows(reader, caller.workspacePk))

/** 192 random bits. */
const newToken = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')

const NEW_SOURCE = {
  options: '{}',
  secret: null,
  secretVersion: 0,
  map: '{}',
  externalId: null,
  event: null,
  when: '[]',
  onConflict: 'refuse',
  newerBy: null,
  enabled: 1,
  description: null,
} as const

/** Creates a source, in the caller's transaction. An imported one has no URL, and is disabled. */
export function createSource(tx: Tx, caller: Caller, input: NewSource, isImported = false): store.SourceRow {
  const { workspacePk: workspace } = caller
  if (store.countSources(tx, workspace) >= MAX_SOURCES)
    throw refused(`A workspace has at most ${MAX_SOURCES} sources; delete one first.`)
  const structure = getStructure(tx, caller, input.structure, 'change')
  const { provider } = input
  const own = { name: input.name, nameFold: fold(input.name), token: isImported ? null : newToken() }
  const columns = merged(tx, workspace, { ...NEW_SOURCE, ...own, provider }, definitionOf(structure), input)
  if (!isImported && columns.secret === null && provider !== 'none')
    throw invalid('"secret" is required: that with which the provider signs.')
  const id = tx.newId()
  const enabled = isImported ? 0 : columns.enabled
  store.insertSource(tx, { ...columns, enabled, id, workspace, structure: structure.pk, provider })
  logChange(tx, caller, { kind: 'source', id, structureId: structure.id }, 'created')
  return getSource(tx, caller, id, 'change')
}

/** Changes what is sent; a new secret drops what was sealed with the old one. */
export async function patchSource(
  { db }: Pick<AppContext, 'db'>,
  caller: Caller,
  id: string,
  input: SourcePatch,
): Promise<store.SourceRow> {
  const after = await db.write((tx) => {
    const before = getSource(tx, caller, id, 'change')
    const structure = structureOf(tx, caller, before, 'source', 'change')
    const columns = merged(tx, before.workspace, before, definitionOf(structure), input, before.pk)
    if (columns.enabled === 1) checkComplete(before.provider, columns)
    const isNewSecret = columns.secret !== before.secret
    if (isNewSecret) columns.secretVersion = before.secretVersion + 1
    return update(tx, caller, before, columns, isNewSecret ? ['secret'] : [])
  })
  if (input.secret !== undefined) await dropEarlierSealed(db, after.pk, after.secretVersion)
  return after
}

/** Gives a source another URL; the old one leads nowhere from now on. */
export const rotateSource = (
  { db }: Pick<AppContext, 'db'>,
  caller: Caller,
  id: string,
): Promise<store.SourceRow> =>
  db.write((tx) => {
    const before = getSource(tx, caller, id, 'change')
    return update(tx, caller, before, { ...columnsOf(before), token: newToken() }, ['url'])
  })

/** Deletes a source; its events go afterwards. */
export async function deleteSource({ db }: AppContext, caller: Caller, id: string): Promise<void> {
  await db.write((tx): void => {
    const { pk, structureId } = described(tx, getSource(tx, caller, id, 'change'))
    markSourceRemoved(tx, pk)
    logChange(tx, caller, { kind: 'source', id, structureId }, 'deleted')
  })
  await deleteRemovedSources(db)
}

const described = (reader: Reader, row: store.SourceRow) => ({
  ...row,
  structureId: findStructureByPk(reader, wholeWorkspace(row.workspace), row.structure)?.id ?? '',
})

/** Writes and logs a change, if it is one; `hidden` names attributes that changed without a value to show. */
function update(
  tx: Tx,
  caller: Caller,
  before: store.SourceRow,
  columns: store.SourceColumns,
  hidden: readonly string[],
): store.SourceRow {
  const { id } = before
  const shown = presentSource(tx, before)
  const { changed, previous } = differenceOf(shown, presentSource(tx, { ...before, ...columns }), DERIVED)
  const difference = { changed: [...changed, ...hidden], previous }
  if (difference.changed.length === 0) return before
  store.updateSource(tx, before.pk, columns)
  const { structureId } = described(tx, before)
  logChange(tx, caller, { kind: 'source', id, structureId }, 'updated', { difference })
  return getSource(tx, caller, id, 'change')
}

const columnsOf = (row: store.SourceRow): store.SourceColumns => ({
  name: row.name,
  nameFold: row.nameFold,
  options: row.options,
  secret: row.secret,
  secretVersion: row.secretVersion,
  token: row.token,
  map: row.map,
  externalId: row.externalId,
  event: row.event,
  when: row.when,
  onConflict: row.onConflict,
  newerBy: row.newerBy,
  enabled: row.enabled,
  description: row.description,
})

/** The columns after a change, all rules checked but whether it is complete. */
function merged(
  reader: Reader,
  workspace: number,
  before: store.SourceColumns & Pick<store.SourceRow, 'provider'>,
  definition: Definition,
  input: SourcePatch,
  except?: number,
): store.SourceColumns {
  const { provider } = before
  if (input.name !== undefined) refuseTakenName(reader, workspace, input.name, except)
  const isNew = except === undefined
  const columns: store.SourceColumns = {
    name: patched(input.name, before.name),
    nameFold: input.name === undefined ? before.nameFold : fold(input.name),
    options:
      input.options === undefined && !isNew
        ? before.options
        : JSON.stringify(checkedOptions(provider, input.options ?? {})),
    secret: input.secret === undefined ? before.secret : checkedSecret(provider, input.secret),
    secretVersion: before.secretVersion,
    token: before.token,
    map: input.map ? JSON.stringify(input.map) : before.map,
    externalId: checkedPlace('external_id', provider, input.external_id, before.externalId),
    event: checkedPlace('event', provider, input.event, before.event),
    when: input.when ? JSON.stringify(checkedWhen(input.when)) : before.when,
    onConflict: patched(input.on_conflict, before.onConflict),
    newerBy: patched(input.newer_by, before.newerBy),
    enabled: patchedFlag(input.enabled, before.enabled),
    description: patched(input.description, before.description),
  }
  const map: SourceMap = store.mapOf(columns)
  if (input.map) checkMap(map, definition)
  checkNewerBy(columns, map, definition)
  return columns
}

function refuseTakenName(reader: Reader, workspace: number, name: string, except?: number): void {
  const holder = store.findSourceNamed(reader, workspace, fold(name))
  if (holder && holder.pk !== except)
    throw nameTaken(`A source named "${name}" exists already; choose another name.`)
}

function checkedOptions(provider: string, options: Record<string, unknown>): object {
  const { options: check } = providerOf(provider)
  if (check) namingPlace(`"options" of the provider "${provider}"`, () => check(options))
  else if (Object.keys(options).length > 0)
    throw invalid(`"options" must be empty: the provider "${provider}" has none.`)
  return options
}

function checkedSecret(provider: string, secret: string): string {
  if (provider === 'none') throw invalid('"secret" must be left out: the provider "none" verifies nothing.')
  const { secret: form } = providerOf(provider)
  if (form && !form.isValid(secret)) throw invalid(`"secret" must be ${form.says}.`)
  return secret
}

function checkedPlace(
  name: 'external_id' | 'event',
  provider: string,
  sent: string | null | undefined,
  before: string | null,
): string | null {
  if (sent === undefined || sent === null) return patched(sent, before)
  if (providerOf(provider).places)
    throw invalid(`"${name}" must be left out: the provider "${provider}" says where it is.`)
  parsePlace(sent, `"${name}"`)
  return sent
}

function checkNewerBy(
  { newerBy, onConflict }: store.SourceColumns,
  map: SourceMap,
  { byKey }: Definition,
): void {
  if (newerBy === null) return
  const type = byKey.get(newerBy)?.type
  if (type !== 'number' && type !== 'date' && type !== 'datetime')
    throw invalid('"newer_by" must be the key of a field of type number, date or datetime.')
  if (onConflict !== 'update') throw invalid('"newer_by" needs "on_conflict": "update".')
  if (!Object.hasOwn(map, newerBy)) throw invalid(`"newer_by" names "${newerBy}", which "map" does not have.`)
}

/** Refuses to enable a source that cannot receive, as an imported one: without a secret, or without a URL. */
function checkComplete(provider: string, { secret, token }: store.SourceColumns): void {
  if (secret === null && provider !== 'none')
    throw refused('This source has no secret; send "secret" with which the provider signs.')
  if (token === null) throw refused('This source has no URL; rotate it before it is enabled.')
}
