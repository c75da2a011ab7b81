import type { Static } from '@sinclair/typebox'
import { type Ability, may } from '../access/rights.ts'
import { logChange } from '../changes/log.ts'
import type { AppContext, Caller, InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { patched, patchedFlag } from '../lib/patch.ts'
import { fold } from '../lib/text.ts'
import { fail, invalid, nameTaken, namingPlace, notFound, refused } from '../refusal.ts'
import {
  type Definition,
  definitionOf,
  getStructure,
  ofReadableStructures,
  structureOf,
} from '../structures/store.ts'
import { checkedWhen } from './conditions.ts'
import { deleteRemovedSources, dropEarlierSealed, markSourceRemoved } from './deletion.ts'
import { checkMap, parsePlace, type SourceMap } from './map.ts'
import { providerOf } from './providers.ts'
import type { CreateSourceBody, PatchSourceBody } from './schema.ts'
import { mapOf, NO_COUNTS, type SourceRow, sourceKind } from './store.ts'

const MAX_SOURCES = 100

export type NewSource = Static<typeof CreateSourceBody>
export type SourcePatch = Static<typeof PatchSourceBody>

/** Refuses a source with whose structure the caller may not do something. */
export function getSource(reader: Reader, caller: InWorkspace, id: string, ability: Ability): SourceRow {
  const source = sourceKind.findById(reader, caller.workspacePk, id) ?? fail(notFound('source'))
  structureOf(reader, caller, source, 'source', ability)
  return source
}

/** Whether the caller may write to the structure of a source, and so is shown its secrets. */
export const mayWriteTo = ({ rights, mayWrite }: Caller, { structureId }: SourceRow): boolean =>
  mayWrite && may(rights, structureId, 'change')

export const listSources = (reader: Reader, caller: InWorkspace): SourceRow[] =>
  ofReadableStructures(reader, caller, sourceKind.rows(reader, caller.workspacePk))

const newToken = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')

const NEW_SOURCE = {
  options: '{}',
  secret: null,
  map: '{}',
  externalId: null,
  event: null,
  when: '[]',
  onConflict: 'refuse',
  newerBy: null,
  enabled: 1,
  description: null,
} as const

/** The columns that a caller sets. */
type SourceColumns = Pick<SourceRow, keyof typeof NEW_SOURCE | 'name' | 'nameFold'>

/** Creates a source, in the caller's transaction. An imported one has no URL, and is disabled. */
export function createSource(tx: Tx, caller: Caller, input: NewSource, isImported = false): SourceRow {
  const { workspacePk: workspace } = caller
  if (sourceKind.count(tx, workspace) >= MAX_SOURCES)
    throw refused(`A workspace has at most ${MAX_SOURCES} sources; delete one first.`)
  const structure = getStructure(tx, caller, input.structure, 'change')
  const { provider } = input
  const named = { ...NEW_SOURCE, name: input.name, nameFold: fold(input.name), provider }
  const columns = merged(tx, workspace, named, definitionOf(structure), input)
  if (!isImported && columns.secret === null && provider !== 'none')
    throw invalid('"secret" is required: that with which the provider signs.')
  return sourceKind.insert(tx, caller, {
    ...columns,
    ...(isImported ? { enabled: 0 } : { token: newToken() }),
    counts: JSON.stringify(NO_COUNTS),
    structure: structure.pk,
    provider,
  })
}

/** Changes what is sent; a new secret drops what was sealed with the old one. */
export async function patchSource(
  { db }: Pick<AppContext, 'db'>,
  caller: Caller,
  id: string,
  input: SourcePatch,
): Promise<SourceRow> {
  const after = await db.write((tx) => {
    const before = getSource(tx, caller, id, 'change')
    const structure = structureOf(tx, caller, before, 'source', 'change')
    const columns = merged(tx, before.workspace, before, definitionOf(structure), input, before.pk)
    if (columns.enabled === 1) checkComplete({ ...before, ...columns })
    const secretVersion = before.secretVersion + Number(columns.secret !== before.secret)
    sourceKind.update(tx, caller, before, { ...columns, secretVersion })
    return getSource(tx, caller, id, 'change')
  })
  if (input.secret !== undefined) await dropEarlierSealed(db, after.pk, after.secretVersion)
  return after
}

/** Gives a source another URL; the old one leads nowhere from now on. */
export const rotateSource = (
  { db }: Pick<AppContext, 'db'>,
  caller: Caller,
  id: string,
): Promise<SourceRow> =>
  db.write((tx) => {
    sourceKind.update(tx, caller, getSource(tx, caller, id, 'change'), { token: newToken() })
    return getSource(tx, caller, id, 'change')
  })

/** Deletes a source; its events go afterwards. */
export async function deleteSource({ db }: AppContext, caller: Caller, id: string): Promise<void> {
  await db.write((tx): void => {
    const { pk, structureId } = getSource(tx, caller, id, 'change')
    markSourceRemoved(tx, pk)
    logChange(tx, caller, { kind: 'source', id, structureId }, 'deleted')
  })
  await deleteRemovedSources(db)
}

/** The columns after a change, all rules checked but whether it is complete. */
function merged(
  reader: Reader,
  workspace: number,
  before: SourceColumns & Pick<SourceRow, 'provider'>,
  definition: Definition,
  input: SourcePatch,
  except?: number,
): SourceColumns {
  const { provider } = before
  if (input.name !== undefined) refuseTakenName(reader, workspace, input.name, except)
  const isNew = except === undefined
  const columns = {
    name: patched(input.name, before.name),
    nameFold: input.name === undefined ? before.nameFold : fold(input.name),
    options:
      input.options === undefined && !isNew
        ? before.options
        : JSON.stringify(checkedOptions(provider, input.options ?? {})),
    secret: input.secret === undefined ? before.secret : checkedSecret(provider, input.secret),
    map: input.map ? JSON.stringify(input.map) : before.map,
    externalId: checkedPlace('external_id', provider, input.external_id, before.externalId),
    event: checkedPlace('event', provider, input.event, before.event),
    when: input.when ? JSON.stringify(checkedWhen(input.when)) : before.when,
    onConflict: patched(input.on_conflict, before.onConflict),
    newerBy: patched(input.newer_by, before.newerBy),
    enabled: patchedFlag(input.enabled, before.enabled),
    description: patched(input.description, before.description),
  }
  const map = mapOf(columns)
  if (input.map) checkMap(map, definition)
  checkNewerBy(columns, map, definition)
  return columns
}

function refuseTakenName(reader: Reader, workspace: number, name: string, except?: number): void {
  const holder = sourceKind.findByName(reader, workspace, fold(name))
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

function checkNewerBy({ newerBy, onConflict }: SourceColumns, map: SourceMap, { byKey }: Definition): void {
  if (newerBy === null) return
  const type = byKey.get(newerBy)?.type
  if (type !== 'number' && type !== 'date' && type !== 'datetime')
    throw invalid('"newer_by" must be the key of a field of type number, date or datetime.')
  if (onConflict !== 'update') throw invalid('"newer_by" needs "on_conflict": "update".')
  if (!Object.hasOwn(map, newerBy)) throw invalid(`"newer_by" names "${newerBy}", which "map" does not have.`)
}

/** Refuses to enable a source that cannot receive, as an imported one: without a secret, or without a URL. */
function checkComplete({ provider, secret, token }: Pick<SourceRow, 'provider' | 'secret' | 'token'>): void {
  if (secret === null && provider !== 'none')
    throw refused('This source has no secret; send "secret" with which the provider signs.')
  if (token === null) throw refused('This source has no URL; rotate it before it is enabled.')
}
