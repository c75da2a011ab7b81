import type { Static } from '@sinclair/typebox'
import { findKey } from '../account/keys.ts'
import { differenceOf } from '../changes/entries.ts'
import { type ChangeAuthor, logChange } from '../changes/log.ts'
import type { Config } from '../config.ts'
import type { AppContext, Caller, InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { urlError } from '../delivery/client/address-policy.ts'
import { RECORD_EVENTS } from '../delivery/payload.ts'
import { newSecret } from '../delivery/sign.ts'
import { renewSubscriptionsVersion } from '../delivery/subscriptions.ts'
import { checkFilter, parseConditions, type RawCondition } from '../filter/record/parse.ts'
import { isSame, patched, patchedFlag } from '../lib/patch.ts'
import { quoteList } from '../lib/text.ts'
import { fail, invalid, notFound, refused } from '../refusal.ts'
import {
  type Definition,
  definitionOf,
  findStructureByPk,
  getStructure,
  type StructureRow,
} from '../structures/store.ts'
import { deleteRemovedWebhooks, markWebhookRemoved } from './deletion.ts'
import { checkedHeaders } from './headers.ts'
import { presentWebhook } from './present.ts'
import type { PatchWebhookBody } from './schema.ts'
import * as store from './store.ts'

const MAX_WEBHOOKS = 25

/** An input as it is sent. */
export type UnparsedInput = Omit<Static<typeof PatchWebhookBody>, 'resume'>

export type WebhookInput = Omit<UnparsedInput, 'filter'> & { filter?: readonly RawCondition[] | undefined }

/** A subscription with its structure. */
export interface DescribedWebhook {
  row: store.WebhookRow
  structure: Pick<StructureRow, 'id' | 'name'>
}

/** What the check of a URL needs. */
interface Ctx {
  readonly config: Pick<Config, 'webhookAllowlist'>
}

/** Subscriptions by creation, of the workspace or of one structure. */
export const listWebhooks = (reader: Reader, caller: InWorkspace, structure?: string): DescribedWebhook[] =>
  (structure === undefined
    ? store.listWebhookRows(reader, caller.workspacePk)
    : store.listWebhooksOf(reader, getStructure(reader, caller, structure).pk)
  ).map((row) => described(reader, row))

export const getWebhook = (reader: Reader, caller: InWorkspace, id: string): DescribedWebhook =>
  described(reader, getRow(reader, caller, id))

export const getRow = (reader: Reader, { workspacePk }: InWorkspace, id: string): store.WebhookRow =>
  store.findWebhook(reader, workspacePk, id) ?? fail(notFound('webhook'))

const structureOf = (reader: Reader, { workspace, structure }: store.WebhookRow): StructureRow =>
  findStructureByPk(reader, workspace, structure) ?? fail(notFound('webhook'))

const described = (reader: Reader, row: store.WebhookRow): DescribedWebhook => ({
  row,
  structure: structureOf(reader, row),
})

/** The defaults of a new subscription. */
export const NEW_WEBHOOK: Omit<store.WebhookColumns, 'url'> = {
  events: JSON.stringify(RECORD_EVENTS),
  filter: '[]',
  fields: null,
  ignoreOwnKey: 0,
  ignoreKeyId: null,
  description: null,
  headers: null,
  enabled: 1,
}

export interface NewWebhook extends WebhookInput {
  structure: string
  url: string
}

/** Subscribes to a structure, in the caller's transaction. The secret is returned only here and by `rotateSecret`. */
export function createWebhook(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  input: NewWebhook,
): DescribedWebhook & { secret: string } {
  const structure = getStructure(tx, caller, input.structure)
  const { workspacePk: workspace, keyId: createdByKeyId } = caller
  refuseTooMany(tx, workspace)
  const columns = merged(ctx, tx, caller, structure, { ...NEW_WEBHOOK, url: input.url }, input)
  const secret = newSecret()
  const own = { id: tx.newId(), workspace, structure: structure.pk, secret, createdByKeyId }
  store.insertWebhook(tx, { ...columns, ...own })
  const row = getRow(tx, caller, own.id)
  renewSubscriptionsVersion(tx, structure.pk)
  logChange(tx, caller, changedWebhook({ row, structure }), 'created')
  return { row, structure, secret }
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
    const old = getWebhook(tx, caller, id)
    const before = old.row
    const columns = merged(ctx, tx, caller, structureOf(tx, before), before, input)
    if (!isSame(before, columns)) {
      store.updateWebhook(tx, before.pk, columns)
      renewSubscriptionsVersion(tx, before.structure)
    }
    if (resume) resumeRow(tx, before)
    tx.afterCommit(() => ctx.bus.wakeDeliveries([before.pk]))
    const after = getWebhook(tx, caller, id)
    logWebhookUpdate(tx, caller, old, after)
    return after
  })
}

/** Ends a pause, after which pending deliveries are sent; changes nothing without a pause. */
export const resumeWebhook = (
  ctx: Pick<AppContext, 'db' | 'bus'>,
  caller: ChangeAuthor,
  id: string,
): Promise<void> =>
  ctx.db.write((tx): void => {
    const before = getWebhook(tx, caller, id)
    const { row } = before
    resumeRow(tx, row)
    logWebhookUpdate(tx, caller, before, getWebhook(tx, caller, id))
    tx.afterCommit(() => ctx.bus.wakeDeliveries([row.pk]))
  })

function resumeRow(tx: Tx, { pk, pausedAt }: store.WebhookRow): void {
  if (pausedAt !== null) store.clearPause(tx, pk, tx.now)
}

/** A subscription in the change log. */
const changedWebhook = ({ row, structure }: DescribedWebhook) =>
  ({ kind: 'webhook', id: row.id, structureId: structure.id }) as const

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
const DERIVED = ['structure', 'status', 'consecutive_failures']

/** Deletes a subscription and its deliveries; nothing more is sent after the first transaction. */
export async function deleteWebhook({ db }: AppContext, caller: Caller, id: string): Promise<void> {
  await db.write((tx): void => {
    const webhook = getWebhook(tx, caller, id)
    markWebhookRemoved(tx, webhook.row)
    logChange(tx, caller, changedWebhook(webhook), 'deleted')
  })
  await deleteRemovedWebhooks(db)
}

/** Parses the filter, and refuses repeated events or fields as invalid, which the schemas do not check. */
export function parseInput<Input extends UnparsedInput>({ filter, ...input }: Input) {
  const conditions = filter && parseConditions(filter)
  refuseRepeated('events', input.events ?? [])
  refuseRepeated('fields', input.fields ?? [])
  return { ...input, filter: conditions }
}

function refuseRepeated(name: string, values: readonly string[]): void {
  const repeated = values.find((value, at) => values.indexOf(value) < at)
  if (repeated !== undefined) throw invalid(`"${name}" names "${repeated}" twice; name each once.`)
}

/** The columns after a change by a caller, whose URL and ignored key are checked. */
function merged(
  { config }: Ctx,
  reader: Reader,
  { workspacePk }: InWorkspace,
  structure: StructureRow,
  before: store.WebhookColumns,
  input: WebhookInput,
): store.WebhookColumns {
  if (input.url !== undefined) {
    const error = urlError(input.url, config.webhookAllowlist)
    if (error !== undefined) throw refused(error)
  }
  if (input.ignore_key_id) refuseUnknownKey(reader, workspacePk, input.ignore_key_id)
  return mergedColumns(structure, before, input)
}

/** The columns after a change; refuses a filter or fields that do not fit the structure. */
export function mergedColumns(
  structure: StructureRow,
  before: store.WebhookColumns,
  input: WebhookInput,
): store.WebhookColumns {
  const definition = definitionOf(structure)
  return {
    url: patched(input.url, before.url),
    events: input.events ? JSON.stringify(input.events) : before.events,
    filter: input.filter ? checkedFilter(definition, input.filter) : before.filter,
    fields: input.fields === undefined ? before.fields : checkedFields(definition, input.fields),
    ignoreOwnKey: patchedFlag(input.ignore_own_key, before.ignoreOwnKey),
    ignoreKeyId: patched(input.ignore_key_id, before.ignoreKeyId),
    description: patched(input.description, before.description),
    headers: input.headers === undefined ? before.headers : checkedHeaders(input.headers),
    enabled: patchedFlag(input.enabled, before.enabled),
  }
}

function checkedFilter({ byKey }: Definition, filter: readonly RawCondition[]): string {
  checkFilter(filter, byKey)
  return JSON.stringify(filter)
}

function checkedFields({ byKey }: Definition, fields: string[] | null): string | null {
  if (fields === null) return null
  const unknown = fields.filter((key) => !byKey.has(key))
  if (unknown.length > 0)
    throw refused(`"fields" names ${quoteList(unknown)}, and the structure has no such field.`)
  return JSON.stringify(fields)
}

function refuseUnknownKey(reader: Reader, workspace: number, id: string): void {
  if (findKey(reader, id)?.workspace === workspace) return
  throw refused(`"ignore_key_id" names "${id}", and there is no such API key in this workspace.`)
}
