import { logChange } from '../../changes/log.ts'
import type { Caller } from '../../context.ts'
import { insertInto } from '../../db/query.ts'
import type { Reader } from '../../db/reader.ts'
import { webhooks } from '../../db/schema/webhooks.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { newSecret } from '../../delivery/sign.ts'
import { renewSubscriptionsVersion } from '../../delivery/subscriptions.ts'
import { refused } from '../../refusal.ts'
import { getStructure } from '../../structures/store.ts'
import { presentWebhook } from '../../webhooks/present.ts'
import { CreateWebhookBody } from '../../webhooks/schema.ts'
import {
  listWebhooks,
  mergedColumns,
  NEW_WEBHOOK,
  type NewWebhook,
  parseInput,
  refuseTooMany,
  type UnparsedInput,
} from '../../webhooks/service.ts'
import { asObject, instantOrNull, parseExported } from './exported-object.ts'

/** Everything but the secrets, the values of its own headers, which may be credentials, and the deliveries. */
export const exportWebhooks = (reader: Reader, caller: Caller) =>
  listWebhooks(reader, caller)
    .map(presentWebhook)
    .map(({ structure, status: _, headers: __, ...webhook }) => ({ ...webhook, structure: structure.id }))

const insertWebhook = insertInto(webhooks)

/** Far more than a webhook reaches in practice. */
const MAX_FAILURES = 1_000_000_000

/** An imported webhook with its new secret; the old secret is not exported. */
export interface NewWebhookSecret {
  readonly id: string
  readonly url: string
  readonly secret: string
}

/** The webhook may name keys of another database, which match no key here. */
export function importWebhook(tx: Tx, caller: Caller, value: unknown): NewWebhookSecret {
  const { paused_at, consecutive_failures = 0, created_by_key_id = null, ...rest } = asObject(value)
  const original = parseExported<UnparsedInput & Pick<NewWebhook, 'structure' | 'url'>>(
    rest,
    CreateWebhookBody,
  )
  const { id } = original
  refuseTooMany(tx, caller.workspacePk)
  const input = parseInput(original.input)
  const structure = getStructure(tx, caller, input.structure)
  const secret = newSecret()
  insertWebhook(tx, {
    ...mergedColumns(structure, { ...NEW_WEBHOOK, url: input.url }, input),
    id,
    workspace: caller.workspacePk,
    structure: structure.pk,
    secret,
    createdByKeyId: textOrNull(created_by_key_id),
    pausedAt: instantOrNull(paused_at, 'paused_at'),
    consecutiveFailures: failuresOf(consecutive_failures),
    createdAt: original.createdAt,
    updatedAt: original.updatedAt,
  })
  renewSubscriptionsVersion(tx, structure.pk)
  logChange(tx, caller, { kind: 'webhook', id, structureId: structure.id }, 'created')
  return { id, url: input.url, secret }
}

function failuresOf(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_FAILURES)
    return value
  throw refused(`"consecutive_failures" must be an integer from 0 to ${MAX_FAILURES}.`)
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
