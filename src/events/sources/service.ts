import type { Static } from '@sinclair/typebox'
import type { Caller, InWorkspace } from '../../context.ts'
import { type Ability, may } from '../../kernel/caller.ts'
import type { AllowlistEntry } from '../../lib/addresses.ts'
import { atPlace, fail, invalid, nameTaken, namingPlace, notFound, refused } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import { logChange } from '../../log/log.ts'
import {
  type Definition,
  definitionOf,
  getStructure,
  ofReadableStructures,
  structureOf,
} from '../../records/structures/store.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { dropEarlierSealed, removeSource } from './deletion.ts'
import { checkTargets, failSealed, notifyTargets, replaceTargets, resumeTarget } from './forward-targets.ts'
import { checkMap, checkWhen } from './map.ts'
import { providerOf } from './providers.ts'
import { parsePlace } from './read-call.ts'
import type { CreateSourceBody, PatchSourceBody } from './schema.ts'
import { lacksUrls, mapOf, NO_COUNTS, type SourceRow, sourceKind, writeSource } from './store.ts'

const MAX_SOURCES = 100

export type NewSource = Static<typeof CreateSourceBody>
export type SourcePatch = Static<typeof PatchSourceBody>

/** Refuses a source if the caller lacks this ability on its structure. */
export function getSource(reader: Reader, caller: InWorkspace, id: string, ability: Ability): SourceRow {
  const source = sourceKind.findById(reader, caller.workspacePk, id) ?? fail(notFound('source'))
  structureOf(reader, caller, source, 'source', ability)
  return source
}

/** Whether the caller may write to the structure of a source and may therefore see its secrets. */
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

type SourceColumns = Pick<SourceRow, 'provider' | 'newerBy' | 'onConflict' | 'map'>

interface SourceOptions {
  /** The addresses in private networks that targets may have. */
  readonly allowlist?: readonly AllowlistEntry[]
  readonly isImported?: boolean
}

/** Creates a source, in the caller's transaction. An imported source has no URL and is disabled. */
export function createSource(
  tx: Tx,
  caller: Caller,
  input: NewSource,
  { allowlist = [], isImported = false }: SourceOptions = {},
): SourceRow {
  const { workspacePk: workspace } = caller
  checkForm(input.provider, { ...input, options: input.options ?? {} })
  if (!isImported && !input.secret && input.provider !== 'none')
    throw invalid('"secret" is required: that with which the provider signs.', atPlace('secret'))
  const structure = getStructure(tx, caller, input.structure, 'change')
  if (sourceKind.count(tx, workspace) >= MAX_SOURCES)
    throw refused(`A workspace has at most ${MAX_SOURCES} sources; delete one first.`)
  const before = { ...NEW_SOURCE, provider: input.provider }
  const columns = checkedColumns(tx, workspace, before, definitionOf(structure), input)
  if (input.forward) checkTargets(input.forward, isImported ? undefined : allowlist)
  const source = sourceKind.insert(tx, caller, {
    ...NEW_SOURCE,
    ...columns,
    ...(isImported ? { enabled: 0 } : { token: newToken() }),
    counts: JSON.stringify(NO_COUNTS),
    structure: structure.pk,
  })
  if (!input.forward) return source
  writeSource(tx, source.pk, { forwards: replaceTargets(tx, source, input.forward) })
  return getSource(tx, caller, source.id, 'change')
}

/** Changes the attributes in the input; a new secret deletes calls sealed with the old one. */
export function updateSource(
  tx: Tx,
  caller: Caller,
  id: string,
  input: SourcePatch,
  { allowlist = [] }: SourceOptions = {},
): SourceRow {
  const before = getSource(tx, caller, id, 'change')
  const structure = structureOf(tx, caller, before, 'source', 'change')
  checkForm(before.provider, input)
  const columns = checkedColumns(tx, before.workspace, before, definitionOf(structure), input, before.pk)
  const after = { ...before, ...columns }
  if (after.enabled === 1) checkComplete({ ...after, ...(input.forward && { forwards: null }) })
  const secretVersion = before.secretVersion + Number(after.secret !== before.secret)
  if (input.forward) checkTargets(input.forward, allowlist)
  const forwards = input.forward ? replaceTargets(tx, before, input.forward) : before.forwards
  sourceKind.update(tx, caller, before, { ...columns, secretVersion, forwards })
  if (secretVersion !== before.secretVersion) {
    dropEarlierSealed(tx, before.pk, secretVersion)
    failSealed(tx, forwards)
  }
  if (after.enabled === 1) notifyTargets(tx, forwards)
  return getSource(tx, caller, id, 'change')
}

/** Replaces the URL of a source; the old one stops working at once. */
export function replaceToken(tx: Tx, caller: Caller, id: string): SourceRow {
  sourceKind.update(tx, caller, getSource(tx, caller, id, 'change'), { token: newToken() })
  return getSource(tx, caller, id, 'change')
}

/** Ends the pause of a target. Refuses a URL that the source does not pass events on to. */
export function resumeForward(tx: Tx, caller: Caller, id: string, url: string): SourceRow {
  const before = getSource(tx, caller, id, 'change')
  const { structureId } = before
  resumeTarget(tx, before, url)
  const after = getSource(tx, caller, id, 'change')
  if (after.targets === before.targets) return after
  writeSource(tx, before.pk, {}, tx.now)
  const difference = { changed: ['forward'], previous: {} }
  logChange(tx, caller, { kind: 'source', id, structureId }, 'updated', { difference })
  return getSource(tx, caller, id, 'change')
}

export function endSource(tx: Tx, caller: Caller, id: string): void {
  const { pk, structureId } = getSource(tx, caller, id, 'change')
  removeSource(tx, pk)
  logChange(tx, caller, { kind: 'source', id, structureId }, 'deleted')
}

/** Refuses attributes that are invalid for this provider, whatever the structure. */
function checkForm(
  provider: string,
  { options, secret, external_id, event, when }: Omit<SourcePatch, 'name' | 'forward'>,
): void {
  if (options) checkOptions(provider, options)
  if (secret !== undefined) checkSecret(provider, secret)
  checkPlace('external_id', provider, external_id)
  checkPlace('event', provider, event)
  if (when) checkWhen(when)
}

/**
 * The columns in the input, after all checks except their format and whether the source is complete. `except` is its
 * pk; a new source has none.
 */
function checkedColumns(
  reader: Reader,
  workspace: number,
  before: SourceColumns,
  { byKey }: Definition,
  input: SourcePatch,
  except?: number,
): Partial<SourceRow> {
  const { name, map } = input
  if (name !== undefined) refuseTakenName(reader, workspace, name, except)
  const columns = sourceKind.columnsOf(input)
  const after = { ...before, ...columns }
  if (map) checkMap(map, { byKey })
  checkNewerBy(after, byKey)
  return columns
}

function refuseTakenName(reader: Reader, workspace: number, name: string, except?: number): void {
  const holder = sourceKind.findByName(reader, workspace, fold(name))
  if (holder && holder.pk !== except)
    throw nameTaken(`A source named "${name}" exists already; choose another name.`, atPlace('name'))
}

function checkOptions(provider: string, options: Record<string, unknown>): void {
  const { options: check } = providerOf(provider)
  if (check) namingPlace(`"options" of the provider "${provider}"`, 'options', () => check(options))
  else if (Object.keys(options).length > 0)
    throw invalid(`"options" must be empty: the provider "${provider}" has none.`, atPlace('options'))
}

function checkSecret(provider: string, secret: string): void {
  if (provider === 'none')
    throw invalid('"secret" must be left out: the provider "none" verifies nothing.', atPlace('secret'))
  const { secret: form } = providerOf(provider)
  if (form && !form.isValid(secret)) throw invalid(`"secret" must be ${form.says}.`, atPlace('secret'))
}

function checkPlace(name: 'external_id' | 'event', provider: string, sent: string | null | undefined): void {
  if (typeof sent !== 'string') return
  if (providerOf(provider).places)
    throw invalid(`"${name}" must be left out: the provider "${provider}" says where it is.`, atPlace(name))
  parsePlace(sent, `"${name}"`)
}

function checkNewerBy({ newerBy, onConflict, map }: SourceColumns, byKey: Definition['byKey']): void {
  if (newerBy === null) return
  const type = byKey.get(newerBy)?.type
  if (type !== 'number' && type !== 'date' && type !== 'datetime')
    throw invalid(
      '"newer_by" must be the key of a field of type number, date or datetime.',
      atPlace('newer_by'),
    )
  if (onConflict !== 'update') throw invalid('"newer_by" needs "on_conflict": "update".', atPlace('newer_by'))
  if (!Object.hasOwn(mapOf({ map }), newerBy))
    throw invalid(`"newer_by" names "${newerBy}", which "map" does not have.`, atPlace('newer_by'))
}

/**
 * Refuses to enable a source that cannot receive calls or pass them on, for example an imported or copied one: without
 * a secret, or without a URL.
 */
function checkComplete({
  provider,
  secret,
  token,
  forwards,
}: Pick<SourceRow, 'provider' | 'secret' | 'token' | 'forwards'>): void {
  if (secret === null && provider !== 'none')
    throw refused('This source has no secret; send "secret" with which the provider signs.')
  if (token === null) throw refused('This source has no URL; rotate it before it is enabled.')
  if (lacksUrls(forwards))
    throw refused(
      'This source was copied without the URLs of its targets; send "forward".',
      atPlace('forward'),
    )
}
