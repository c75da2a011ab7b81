import type { Static } from '@sinclair/typebox'
import { type Ability, checkWrite, hides } from '../access/rights.ts'
import { findKey } from '../account/keys.ts'
import { findUserById } from '../account/store.ts'
import { ALONE, differenceOf } from '../changes/entries.ts'
import { type ChangeAuthor, logChange } from '../changes/log.ts'
import type { Config } from '../config.ts'
import type { AppContext, Caller, InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { urlError } from '../delivery/client/address-policy.ts'
import { endSchedules, startSchedule } from '../delivery/due.ts'
import type { Kind } from '../delivery/formats.ts'
import { EVENTS_OF, RECORD_EVENTS } from '../delivery/payload.ts'
import { newSecret } from '../delivery/sign.ts'
import { renewSubscriptionsVersion } from '../delivery/subscriptions.ts'
import { wakeDeliveries } from '../delivery/wakes.ts'
import { parseConditions, type RawCondition } from '../filter/record/parse.ts'
import { type FilterTree, parseTree } from '../filter/tree/parse.ts'
import { isObject } from '../lib/json.ts'
import { isSame, patched, patchedFlag } from '../lib/patch.ts'
import { quoteList } from '../lib/text.ts'
import { fail, invalid, notFound, refused } from '../refusal.ts'
import {
  type Definition,
  definitionOf,
  getStructure,
  ofReadableStructures,
  type StructureRow,
  structureOf,
} from '../structures/store.ts'
import { deleteRemovedWebhooks, markWebhookRemoved } from './deletion.ts'
import { checkedHeaders } from './headers.ts'
import { checkKind, checkNames, filterColumn } from './kinds.ts'
import { presentWebhook } from './present.ts'
import type { PatchWebhookBody } from './schema.ts'
import * as store from './store.ts'

const MAX_WEBHOOKS = 25

/** An input as it is sent. */
export type UnparsedInput = Omit<Static<typeof PatchWebhookBody>, 'resume'>

export type WebhookInput = Omit<UnparsedInput, 'filter'> & {
  filter?: readonly RawCondition[] | FilterTree | null | undefined
}

/** A subscription with its structure, if it is one to rows. */
export interface DescribedWebhook {
  row: store.WebhookRow
  structure: StructureRow | null
}

/** What the check of a URL needs. */
interface Ctx {
  readonly config: Pick<Config, 'webhookAllowlist'>
}

/** Subscriptions by creation, of the workspace or of one structure. */
export function listWebhooks(reader: Reader, caller: InWorkspace, structure?: string): DescribedWebhook[] {
  const rows =
    structure === undefined
      ? store.listWebhookRows(reader, caller.workspacePk)
      : store.listWebhooksOf(reader, getStructure(reader, caller, structure, 'read').pk)
  const ofRows = ofReadableStructures(reader, caller, rows)
  const isSeen = (row: store.WebhookRow) =>
    row.structure === null ? !isHidden(caller, row) : ofRows.includes(row)
  return rows.filter(isSeen).map((row) => ({ row, structure: reached(reader, caller, row, 'read') }))
}

/** What a subscription to notes or files takes: files of notes are among the files. */
const kindsOf = ({ kind }: Pick<store.WebhookColumns, 'kind'>) =>
  kind === 'file' ? (['files', 'notes'] as const) : (['notes'] as const)

const isHidden = ({ rights }: InWorkspace, row: Pick<store.WebhookColumns, 'kind'>): boolean =>
  kindsOf(row).some((kind) => hides(rights, kind))

function checkKinds({ rights }: InWorkspace, row: Pick<store.WebhookColumns, 'kind'>): void {
  for (const kind of kindsOf(row)) checkWrite(rights, kind)
}

/** The structure of a subscription to rows; refuses what the caller does not reach of what it is about. */
function reached(
  reader: Reader,
  caller: InWorkspace,
  row: store.WebhookRow,
  ability: Ability,
): StructureRow | null {
  const { structure } = row
  if (structure !== null) return structureOf(reader, caller, { structure }, 'webhook', ability)
  if (isHidden(caller, row)) throw notFound('webhook')
  if (ability !== 'read') checkKinds(caller, row)
  return null
}

/** With its structure; refuses one of what the caller does not reach. */
export function getWebhook(
  reader: Reader,
  caller: InWorkspace,
  id: string,
  ability: Ability,
): DescribedWebhook {
  const row = store.findWebhook(reader, caller.workspacePk, id) ?? fail(notFound('webhook'))
  return { row, structure: reached(reader, caller, row, ability) }
}

export const getRow = (reader: Reader, caller: InWorkspace, id: string, ability: Ability): store.WebhookRow =>
  getWebhook(reader, caller, id, ability).row

const DEFAULT_EVENTS = { ...EVENTS_OF, record: RECORD_EVENTS }

/** A new subscription before what else is sent. */
const newWebhook = ({ kind, url }: NewWebhook): store.WebhookColumns => ({
  ...NEW_WEBHOOK,
  url,
  kind: kind ?? null,
  events: JSON.stringify(DEFAULT_EVENTS[kind ?? 'record']),
  filter: (kind ?? 'record') === 'record' ? '[]' : null,
})

const NEW_WEBHOOK = {
  format: null,
  template: null,
  quietSeconds: null,
  includeContent: null,
  due: null,
  fields: null,
  ignoreOwnKey: 0,
  ignoreKeyId: null,
  description: null,
  headers: null,
  enabled: 1,
}

export interface NewWebhook extends WebhookInput {
  kind?: Kind | undefined
  /** Given exactly where the events are about rows. */
  structure?: string | undefined
  url: string
}

/** The structure that a new subscription is about; null for notes and files. */
export function subscribedStructure(
  reader: Reader,
  caller: InWorkspace,
  { kind = 'record', structure }: NewWebhook,
): StructureRow | null {
  if (kind === 'record')
    return getStructure(reader, caller, structure ?? fail(invalid('"structure" is required.')), 'change')
  checkKinds(caller, { kind })
  if (structure === undefined) return null
  throw invalid(`"structure" does not go with the kind "${kind}"; leave it out.`)
}

/** The columns of a new subscription; refuses what does not go together or fits nothing in the workspace. */
export function newColumns(reader: Reader, caller: InWorkspace, input: NewWebhook) {
  const structure = subscribedStructure(reader, caller, input)
  return { structure, columns: mergedColumns(reader, caller, structure, newWebhook(input), input) }
}

/** Subscribes, in the caller's transaction. The secret is returned only here and by `rotateSecret`. */
export function createWebhook(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  input: NewWebhook,
): DescribedWebhook & { secret: string } {
  const { workspacePk: workspace, keyId: createdByKeyId } = caller
  const structure = subscribedStructure(tx, caller, input)
  refuseTooMany(tx, workspace)
  checkAddressAndKey(ctx, tx, caller, input)
  const { columns } = newColumns(tx, caller, input)
  const secret = newSecret()
  const own = { id: tx.newId(), workspace, structure: structure?.pk ?? null, secret, createdByKeyId }
  store.insertWebhook(tx, { ...columns, ...own, user: userOf(tx, caller) })
  const row = getRow(tx, caller, own.id, 'change')
  renewSubscription(tx, undefined, row)
  logChange(tx, caller, changedWebhook({ row, structure }), 'created')
  return { row, structure, secret }
}

/** Null for a command. */
const userOf = (reader: Reader, { userId }: Caller): number | null => findUserById(reader, userId)?.pk ?? null

/** Must follow every change of a subscription: writes learn of it, and its moments begin, or begin again. */
export function renewSubscription(
  tx: Tx,
  before: store.WebhookRow | undefined,
  after: store.WebhookRow,
): void {
  const { pk, structure } = after
  if (structure === null) return
  const rule = ({ enabled, due }: store.WebhookRow) => (enabled === 1 ? due : null)
  const [old, now] = [before ? rule(before) : null, rule(after)]
  if (old !== now && old !== null) endSchedules(tx, 'pk = ?', pk)
  if (old !== now && now !== null) startSchedule(tx, pk, structure)
  renewSubscriptionsVersion(tx, structure)
}

/** Refuses a new subscription when the workspace has 25. */
export function refuseTooMany(reader: Reader, workspace: number): void {
  if (store.countWebhooks(reader, workspace) < MAX_WEBHOOKS) return
  throw refused(`A workspace has at most ${MAX_WEBHOOKS} webhooks; delete one first.`)
}

/** Changes what the input names, and with `resume` ends a pause, after which pending deliveries are sent. */
export async function patchWebhook(
  ctx: AppContext,
  caller: Caller,
  id: string,
  { resume, ...sent }: UnparsedInput & { resume?: boolean },
): Promise<DescribedWebhook> {
  const input = parseInput(sent)
  return ctx.db.write((tx): DescribedWebhook => {
    const old = getWebhook(tx, caller, id, 'change')
    const before = old.row
    checkAddressAndKey(ctx, tx, caller, input)
    const columns = mergedColumns(tx, caller, old.structure, before, input)
    if (!isSame(before, columns)) {
      store.updateWebhook(tx, before.pk, columns)
      renewSubscription(tx, before, getRow(tx, caller, id, 'change'))
    }
    if (resume) resumeRow(tx, caller, before)
    wakeDeliveries(tx, [before.pk])
    const after = getWebhook(tx, caller, id, 'change')
    logWebhookUpdate(tx, caller, old, after)
    return after
  })
}

/** Ends a pause, after which pending deliveries are sent; changes nothing without a pause. */
export const resumeWebhook = (ctx: Pick<AppContext, 'db'>, caller: Caller, id: string): Promise<void> =>
  ctx.db.write((tx): void => {
    const before = getWebhook(tx, caller, id, 'change')
    const { row } = before
    resumeRow(tx, caller, row)
    logWebhookUpdate(tx, caller, before, getWebhook(tx, caller, id, 'change'))
    wakeDeliveries(tx, [row.pk])
  })

function resumeRow(tx: Tx, caller: Caller, { pk, pausedAt }: store.WebhookRow): void {
  if (pausedAt !== null) store.clearPause(tx, pk, userOf(tx, caller))
}

/** A subscription in the change log. */
export const changedWebhook = ({ row, structure }: DescribedWebhook) =>
  ({ kind: 'webhook', id: row.id, ...(structure && { structureId: structure.id }) }) as const

/** Logs what differs between a subscription before and after a change; `secrets` changed without an old value to show. */
export function logWebhookUpdate(
  tx: Tx,
  author: ChangeAuthor,
  before: DescribedWebhook,
  after: DescribedWebhook,
  secrets: readonly string[] = [],
): void {
  const { changed, previous } = differenceOf(logged(before), logged(after), DERIVED)
  const hidden = before.row.headers === after.row.headers ? secrets : [...secrets, 'headers']
  const names = [...new Set([...changed, ...hidden])]
  if (names.length === 0) return
  logChange(tx, author, changedWebhook(before), 'updated', { difference: { changed: names, previous } })
}

/** Its headers are absent from responses when there are none. */
const logged = (webhook: DescribedWebhook) => ({ headers: null, ...presentWebhook(webhook) })

/** Attributes that follow from others, or count. */
const DERIVED = ['structure', 'status', 'pause_reason', 'consecutive_failures']

/** Deletes a subscription and its deliveries; nothing more is sent after the first transaction. */
export async function deleteWebhook({ db }: AppContext, caller: Caller, id: string): Promise<void> {
  await db.write((tx): void => {
    const webhook = getWebhook(tx, caller, id, 'change')
    markWebhookRemoved(tx, webhook.row)
    logChange(tx, caller, changedWebhook(webhook), 'deleted', webhook.row.kind === 'note' ? ALONE : {})
  })
  await deleteRemovedWebhooks(db)
}

/** Parses the filter, and refuses repeated events or fields as invalid, which the schemas do not check. */
export function parseInput<Input extends UnparsedInput>({ filter, ...input }: Input) {
  const parsed: WebhookInput['filter'] = isObject(filter)
    ? parseTree(filter, 'filter')
    : filter === undefined || filter === null
      ? filter
      : parseConditions(filter)
  refuseRepeated('events', input.events ?? [])
  refuseRepeated('fields', input.fields ?? [])
  return { ...input, filter: parsed }
}

function refuseRepeated(name: string, values: readonly string[]): void {
  const repeated = values.find((value, at) => values.indexOf(value) < at)
  if (repeated !== undefined) throw invalid(`"${name}" names "${repeated}" twice; name each once.`)
}

/** Refuses an address that may not be called, and a key that does not exist. */
function checkAddressAndKey(
  { config }: Ctx,
  reader: Reader,
  { workspacePk }: InWorkspace,
  { url, ignore_key_id }: WebhookInput,
): void {
  const error = url === undefined ? undefined : urlError(url, config.webhookAllowlist)
  if (error !== undefined) throw refused(error)
  if (ignore_key_id) refuseUnknownKey(reader, workspacePk, ignore_key_id)
}

/** The columns after a change; refuses what does not go together or does not fit the structure. */
function mergedColumns(
  reader: Reader,
  caller: InWorkspace,
  structure: StructureRow | null,
  before: store.WebhookColumns,
  input: WebhookInput,
): store.WebhookColumns {
  const definition = structure && definitionOf(structure)
  const columns = {
    kind: before.kind,
    format: patched(input.format, before.format),
    template: patched(input.template, before.template),
    quietSeconds: patched(input.quiet_seconds, before.quietSeconds),
    includeContent: flagColumn(input.include_content, before.includeContent),
    due: input.due === undefined ? before.due : input.due && JSON.stringify(input.due),
    url: patched(input.url, before.url),
    events: input.events ? JSON.stringify(input.events) : before.events,
    filter:
      input.filter === undefined
        ? before.filter
        : filterColumn(reader, caller, store.kindOf(before), definition, input.filter),
    fields: input.fields === undefined ? before.fields : checkedFields(definition, input.fields),
    ignoreOwnKey: patchedFlag(input.ignore_own_key, before.ignoreOwnKey),
    ignoreKeyId: patched(input.ignore_key_id, before.ignoreKeyId),
    description: patched(input.description, before.description),
    headers: input.headers === undefined ? before.headers : checkedHeaders(input.headers),
    enabled: patchedFlag(input.enabled, before.enabled),
  }
  checkKind(columns)
  checkNames(columns, structure)
  return columns
}

/** Null where it is not given. */
const flagColumn = (sent: boolean | null | undefined, before: number | null): number | null =>
  sent === undefined ? before : sent === null ? null : Number(sent)

/** Of a kind without fields, `checkKind` refuses them. */
function checkedFields(definition: Definition | null, fields: string[] | null): string | null {
  if (fields === null) return null
  const unknown = fields.filter((key) => definition?.byKey.has(key) === false)
  if (unknown.length > 0)
    throw refused(`"fields" names ${quoteList(unknown)}, and the structure has no such field.`)
  return JSON.stringify(fields)
}

function refuseUnknownKey(reader: Reader, workspace: number, id: string): void {
  if (findKey(reader, id)?.workspace === workspace) return
  throw refused(`"ignore_key_id" names "${id}", and there is no such API key in this workspace.`)
}
