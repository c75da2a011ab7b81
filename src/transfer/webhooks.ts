import type { Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/write-queue.ts'
import { newSecret } from '../delivery/sign.ts'
import { renameState } from '../delivery/subscriptions.ts'
import { checkFilter, filterShape } from '../filter/record-filter.ts'
import { refused } from '../refusal.ts'
import { definitionOf } from '../structures/definition.ts'
import { getStructure } from '../structures/service.ts'
import { presentWebhook } from '../webhooks/present.ts'
import { CreateWebhookBody } from '../webhooks/schema.ts'
import { listWebhooks, refuseTooMany, refuseWrongShape } from '../webhooks/service.ts'
import { insertWebhook } from '../webhooks/store.ts'
import { asMade, asObject, instantOrNull, keptObject } from './objects.ts'

/** Everything but the secret, and what waits to be delivered. */
export const exportWebhooks = (reader: Reader, caller: Caller) =>
  listWebhooks(reader, caller)
    .map(presentWebhook)
    .map(({ structure, status: _, ...webhook }) => ({ ...webhook, structure: structure.id }))

interface KeptWebhook {
  structure: string
  url: string
  events: string[]
  filter: unknown[]
  fields: string[] | null
  ignore_own_key: boolean
  ignore_key_id: string | null
  description: string | null
  enabled: boolean
}

/** A subscription that came in, with its new secret: the old one stays where it was. */
export interface NewWebhookSecret {
  readonly id: string
  readonly url: string
  readonly secret: string
}

/** Keys that it names may be those of another database: then they are nobody's, and ignore nothing. */
export function importWebhook(tx: Tx, caller: Caller, value: unknown): NewWebhookSecret {
  const { paused_at, consecutive_failures = 0, created_by_key_id = null, ...rest } = asObject(value)
  const kept = keptObject<KeptWebhook>(rest, CreateWebhookBody)
  const { input, id } = kept
  refuseTooMany(tx, caller.workspacePk)
  refuseWrongShape({ filter: input.filter })
  const structure = getStructure(tx, caller, input.structure)
  const { byKey } = definitionOf(structure)
  checkFilter(filterShape(input.filter), byKey)
  const unknown = input.fields?.find((key) => !byKey.has(key))
  if (unknown !== undefined)
    throw refused(`"fields" names "${unknown}", and the structure has no such field.`)
  const secret = newSecret()
  const { pk } = insertWebhook(asMade(tx, kept), {
    id,
    workspace: caller.workspacePk,
    structure: structure.pk,
    url: input.url,
    events: JSON.stringify(input.events),
    filter: JSON.stringify(input.filter),
    fields: input.fields === null ? null : JSON.stringify(input.fields),
    ignoreOwnKey: input.ignore_own_key ? 1 : 0,
    ignoreKeyId: input.ignore_key_id,
    description: input.description,
    enabled: input.enabled ? 1 : 0,
    secret,
    createdByKeyId: textOrNull(created_by_key_id),
    now: kept.createdAt,
  })
  tx.sql.run(
    'UPDATE webhooks SET paused_at = ?, consecutive_failures = ?, updated_at = ? WHERE pk = ?',
    instantOrNull(paused_at, 'paused_at'),
    Number.isSafeInteger(consecutive_failures) ? Number(consecutive_failures) : 0,
    kept.updatedAt,
    pk,
  )
  renameState(tx, structure.pk)
  return { id, url: input.url, secret }
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
