import type { Caller, InWorkspace } from '../../context.ts'
import { type Ability, checkWrite, hides } from '../../kernel/caller.ts'
import { type AllowlistEntry, urlError } from '../../lib/addresses.ts'
import { HOUR_MS } from '../../lib/dates.ts'
import { isSame } from '../../lib/patch.ts'
import { atPlace, fail, invalid, notFound, refused } from '../../lib/refusal.ts'
import { differenceOf } from '../../log/difference.ts'
import { endSchedules, startSchedule } from '../../log/due.ts'
import { ALONE, type ChangeAuthor, logChange } from '../../log/log.ts'
import { newSecret, parseEarlierSecrets } from '../../log/message.ts'
import { notifyDispatcher, renewSubscriptionsVersion } from '../../log/outbox.ts'
import { findKey } from '../../people/accounts/keys.ts'
import { findUserById } from '../../people/accounts/store.ts'
import {
  getStructure,
  ofReadableStructures,
  type StructureRow,
  structureOf,
} from '../../records/structures/store.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import {
  checkDelivery,
  mergedColumns,
  type NewWebhook,
  newColumns,
  parseInput,
  type UnparsedInput,
  type WebhookInput,
} from './columns.ts'
import { removeWebhook } from './deletion.ts'
import * as store from './store.ts'
import { presentWebhook } from './store.ts'

const MAX_WEBHOOKS = 25

/** Subscriptions of the workspace or of one structure, in creation order. */
export function listWebhooks(reader: Reader, caller: InWorkspace, structure?: string): store.WebhookRow[] {
  const rows =
    structure === undefined
      ? store.listWebhookRows(reader, caller.workspacePk)
      : store.listWebhooksOf(reader, getStructure(reader, caller, structure, 'read').pk)
  const ofRows = ofReadableStructures(reader, caller, rows)
  return rows.filter((row) => (row.structure === null ? !isHidden(caller, row) : ofRows.includes(row)))
}

/** The kinds of access that a subscription to notes or files requires: attachments of notes are also files. */
const kindsOf = ({ kind }: Pick<store.WebhookRow, 'kind'>) =>
  kind === 'file' ? (['files', 'notes'] as const) : (['notes'] as const)

const isHidden = ({ rights }: InWorkspace, row: Pick<store.WebhookRow, 'kind'>): boolean =>
  kindsOf(row).some((kind) => hides(rights, kind))

function checkKinds({ rights }: InWorkspace, row: Pick<store.WebhookRow, 'kind'>): void {
  for (const kind of kindsOf(row)) checkWrite(rights, kind)
}

/** Refuses a subscription if the caller cannot access its subject. */
export function getWebhook(
  reader: Reader,
  caller: InWorkspace,
  id: string,
  ability: Ability,
): store.WebhookRow {
  const row = store.findWebhook(reader, caller.workspacePk, id) ?? fail(notFound('webhook'))
  if (row.structure !== null) structureOfRow(reader, caller, row, ability)
  else if (isHidden(caller, row)) throw notFound('webhook')
  else if (ability !== 'read') checkKinds(caller, row)
  return row
}

/** Null for a subscription to notes or files. */
const structureOfRow = (
  reader: Reader,
  caller: InWorkspace,
  { structure }: store.WebhookRow,
  ability: Ability,
): StructureRow | null =>
  structure === null ? null : structureOf(reader, caller, { structure }, 'webhook', ability)

/** The structure of a new subscription; null for notes and files. */
export function subscribedStructure(
  reader: Reader,
  caller: InWorkspace,
  { kind = 'record', structure }: NewWebhook,
): StructureRow | null {
  if (kind === 'record')
    return getStructure(
      reader,
      caller,
      structure ?? fail(invalid('"structure" is required.', atPlace('structure'))),
      'change',
    )
  checkKinds(caller, { kind })
  if (structure === undefined) return null
  throw invalid(`"structure" does not go with the kind "${kind}"; leave it out.`, atPlace('structure'))
}

/** Creates a subscription. Responses show the secret only on creation and replacement. */
export function insertWebhook(
  tx: Tx,
  caller: Caller,
  input: NewWebhook,
  allowlist: readonly AllowlistEntry[],
): store.WebhookRow {
  const { workspacePk: workspace, keyId: createdByKeyId } = caller
  const structure = subscribedStructure(tx, caller, input)
  refuseTooMany(tx, workspace)
  checkAddressAndKey(tx, caller, input, allowlist)
  const id = tx.newId()
  store.insertWebhook(tx, {
    ...newColumns(tx, caller, structure, input),
    id,
    workspace,
    structure: structure?.pk ?? null,
    secret: newSecret(),
    createdByKeyId,
    user: userOf(tx, caller),
    createdAt: tx.now,
    updatedAt: tx.now,
  })
  return beginSubscription(tx, caller, id)
}

/** Must follow the insertion of a subscription; logs that it was created. */
export function beginSubscription(tx: Tx, caller: Caller, id: string): store.WebhookRow {
  const row = getWebhook(tx, caller, id, 'change')
  renewSubscription(tx, undefined, row)
  logChange(tx, caller, changedWebhook(row), 'created')
  return row
}

const userOf = (reader: Reader, { userId }: Caller): number | null => findUserById(reader, userId)?.pk ?? null

/** Must follow every change of a subscription: notifies writes, and starts or restarts its moments. */
function renewSubscription(tx: Tx, before: store.WebhookRow | undefined, after: store.WebhookRow): void {
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

/** Changes the attributes in the input. With `resume`, ends a pause, so that pending deliveries are sent. */
export function updateWebhook(
  tx: Tx,
  caller: Caller,
  id: string,
  { resume, ...sent }: UnparsedInput & { resume?: boolean },
  allowlist: readonly AllowlistEntry[],
): store.WebhookRow {
  const input = parseInput(sent)
  const before = getWebhook(tx, caller, id, 'change')
  checkAddressAndKey(tx, caller, input, allowlist)
  const structure = structureOfRow(tx, caller, before, 'change')
  checkDelivery(before.delivery, input)
  const columns = mergedColumns(tx, caller, structure, before, input)
  if (!isSame(before, columns)) {
    store.updateWebhook(tx, before.pk, columns, tx.now)
    renewSubscription(tx, before, getWebhook(tx, caller, id, 'change'))
  }
  return ended(tx, caller, before, resume)
}

/** Ends a pause, so that pending deliveries are sent; without a pause, changes nothing. */
export const resume = (tx: Tx, caller: Caller, id: string): store.WebhookRow =>
  ended(tx, caller, getWebhook(tx, caller, id, 'change'), true)

/**
 * Completes and logs a change; with `resume`, also ends a pause and resets the failures that caused it. From then on,
 * the subscription depends on the caller's permission.
 */
function ended(tx: Tx, caller: Caller, before: store.WebhookRow, resume = false): store.WebhookRow {
  const { pk, id, pausedAt } = before
  if (resume && pausedAt !== null) {
    const running = { pausedAt: null, pauseReason: null, consecutiveFailures: 0, user: userOf(tx, caller) }
    store.updateWebhook(tx, pk, running, tx.now)
  }
  notifyDispatcher(tx, [pk])
  const after = getWebhook(tx, caller, id, 'change')
  logWebhookUpdate(tx, caller, before, after)
  return after
}

/** Each earlier secret adds a signature to two headers, and receivers accept only headers of limited length. */
const MAX_EARLIER_SECRETS = 4

/**
 * Replaces the secret. For `overlapHours` the replaced secret also signs, as do earlier ones whose overlap has not
 * ended. With 0, only the new secret signs from now on, even older deliveries.
 */
export function replaceSecret(tx: Tx, caller: Caller, id: string, overlapHours: number): store.WebhookRow {
  const { pk, secret, earlierSecrets, delivery } = getWebhook(tx, caller, id, 'change')
  if (delivery === 'pull') throw refused('A webhook that is pulled signs nothing and has no secret.')
  const still = parseEarlierSecrets(earlierSecrets).filter(({ until }) => until > tx.now)
  const until = tx.now + overlapHours * HOUR_MS
  const earlier = overlapHours === 0 ? [] : [{ secret, until }, ...still].slice(0, MAX_EARLIER_SECRETS)
  store.updateWebhook(tx, pk, { secret: newSecret(), earlierSecrets: secretsColumn(earlier) }, tx.now)
  const webhook = getWebhook(tx, caller, id, 'change')
  logWebhookUpdate(tx, caller, webhook, webhook, ['secret'])
  return webhook
}

const secretsColumn = (secrets: readonly object[]): string | null =>
  secrets.length === 0 ? null : JSON.stringify(secrets)

/**
 * Deletes the replaced secrets that no longer sign. `updated_at` stays, because nothing that responses show changes.
 */
export function removeEndedSecrets(tx: Tx): void {
  for (const { pk, earlierSecrets } of store.listWithEarlierSecrets(tx)) {
    const all = parseEarlierSecrets(earlierSecrets)
    const left = all.filter(({ until }) => until > tx.now)
    if (left.length < all.length) store.updateWebhook(tx, pk, { earlierSecrets: secretsColumn(left) })
  }
}

const changedWebhook = ({ id, structureId }: store.WebhookRow) =>
  ({ kind: 'webhook', id, ...(structureId !== null && { structureId }) }) as const

/** Logs the differences between a subscription before and after a change; `secrets` is logged without an old value. */
function logWebhookUpdate(
  tx: Tx,
  author: ChangeAuthor,
  before: store.WebhookRow,
  after: store.WebhookRow,
  secrets: readonly string[] = [],
): void {
  const { changed, previous } = differenceOf(logged(before), logged(after), DERIVED)
  const hidden = before.headers === after.headers ? secrets : [...secrets, 'headers']
  const names = [...new Set([...changed, ...hidden])]
  if (names.length === 0) return
  logChange(tx, author, changedWebhook(before), 'updated', { difference: { changed: names, previous } })
}

/** Responses omit the headers when there are none, so null stands for them here. */
const logged = (webhook: store.WebhookRow) => ({ headers: null, ...presentWebhook(webhook) })

/** Attributes derived from others, or counters. */
const DERIVED = [
  ...['structure', 'status', 'pause_reason', 'consecutive_failures'],
  ...['pending', 'oldest_pending_at', 'dropped'],
]

/** Deletes a subscription; nothing more is sent. */
export function endSubscription(tx: Tx, caller: Caller, id: string): void {
  const webhook = getWebhook(tx, caller, id, 'change')
  removeWebhook(tx, webhook)
  logChange(tx, caller, changedWebhook(webhook), 'deleted', webhook.kind === 'note' ? ALONE : {})
}

/** Refuses a forbidden address, and a key that does not exist. */
function checkAddressAndKey(
  reader: Reader,
  { workspacePk }: InWorkspace,
  { url, ignore_key_id }: WebhookInput,
  allowlist: readonly AllowlistEntry[],
): void {
  const error = url === undefined ? undefined : urlError(url, allowlist)
  if (error !== undefined) throw refused(error, atPlace('url'))
  if (ignore_key_id) refuseUnknownKey(reader, workspacePk, ignore_key_id)
}

function refuseUnknownKey(reader: Reader, workspace: number, id: string): void {
  if (findKey(reader, id)?.workspace === workspace) return
  throw refused(
    `"ignore_key_id" names "${id}", and there is no such API key in this workspace.`,
    atPlace('ignore_key_id'),
  )
}
