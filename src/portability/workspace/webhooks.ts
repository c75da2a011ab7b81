import { logChange } from '../../changes/log.ts'
import type { Caller } from '../../context.ts'
import { insertInto } from '../../db/query.ts'
import type { Reader } from '../../db/reader.ts'
import { webhooks } from '../../db/schema/webhooks.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { newSecret } from '../../delivery/sign.ts'
import type { FilterTree } from '../../filter/tree/parse.ts'
import { isObject } from '../../lib/json.ts'
import { refused } from '../../refusal.ts'
import { presentWebhook } from '../../webhooks/present.ts'
import { CreateWebhookBody } from '../../webhooks/schema.ts'
import {
  changedWebhook,
  getRow,
  listWebhooks,
  type NewWebhook,
  newColumns,
  parseInput,
  refuseTooMany,
  renewSubscription,
  type UnparsedInput,
} from '../../webhooks/service.ts'
import { asObject, instantOrNull, parseExported } from './exported-object.ts'
import { type TagIds, withTagIds } from './object-kinds.ts'

/** Everything but the secrets, the values of its own headers, which may be credentials, and the deliveries. */
export const exportWebhooks = (reader: Reader, caller: Caller) =>
  listWebhooks(reader, caller)
    .map(presentWebhook)
    .map(({ structure, status: _, headers: __, ...webhook }) => ({
      ...webhook,
      ...(structure && { structure: structure.id }),
    }))

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
export function importWebhook(tx: Tx, caller: Caller, value: unknown, tags: TagIds): NewWebhookSecret {
  const {
    paused_at,
    pause_reason,
    consecutive_failures = 0,
    created_by_key_id = null,
    ...rest
  } = asObject(value)
  const original = parseExported<UnparsedInput & Pick<NewWebhook, 'kind' | 'structure' | 'url'>>(
    rest,
    CreateWebhookBody,
  )
  const { id } = original
  refuseTooMany(tx, caller.workspacePk)
  const { filter, ...parsed } = parseInput(original.input)
  const input = { ...parsed, filter: isTree(filter) ? withTagIds(filter, tags) : filter }
  const { structure, columns } = newColumns(tx, caller, input)
  const secret = newSecret()
  insertWebhook(tx, {
    ...columns,
    id,
    workspace: caller.workspacePk,
    structure: structure?.pk ?? null,
    secret,
    createdByKeyId: textOrNull(created_by_key_id),
    pausedAt: instantOrNull(paused_at, 'paused_at'),
    pauseReason: textOrNull(pause_reason),
    consecutiveFailures: failuresOf(consecutive_failures),
    createdAt: original.createdAt,
    updatedAt: original.updatedAt,
  })
  const row = getRow(tx, caller, id, 'change')
  renewSubscription(tx, undefined, row)
  logChange(tx, caller, changedWebhook({ row, structure }), 'created')
  return { id, url: input.url, secret }
}

const isTree = (filter: unknown): filter is FilterTree => isObject(filter)

function failuresOf(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_FAILURES)
    return value
  throw refused(`"consecutive_failures" must be an integer from 0 to ${MAX_FAILURES}.`)
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
