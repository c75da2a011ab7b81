import { insertInto, updateOf } from '../../db/query.ts'
import { webhooks } from '../../db/schema/webhooks.ts'
import { findStructureById } from '../../structures/store.ts'
import { deleteWebhookAtOnce } from '../../webhooks/deletion.ts'
import type { RemoteObject } from '../remote-objects.ts'
import {
  type CopyTransaction,
  flagOf,
  gone,
  instantOf,
  instantsOf,
  present,
  type Timestamps,
} from './copy-transaction.ts'

interface RemoteWebhook extends RemoteObject, Timestamps {
  readonly id: string
  readonly structure: { readonly id: string }
  readonly url: string
  readonly events: readonly string[]
  readonly filter: readonly object[]
  readonly fields: readonly string[] | null
  readonly ignore_own_key: boolean
  readonly ignore_key_id: string | null
  readonly description: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly paused_at: string | null
  readonly consecutive_failures: number
  readonly created_by_key_id: string | null
}

export function removeWebhooks(copy: CopyTransaction): void {
  for (const id of gone(copy, 'webhook')) deleteWebhookAtOnce(copy.tx, id)
}

const insert = insertInto(webhooks)
const update = updateOf(webhooks, webhooks.pk)

/** The remote never sends a secret, and in a copy no subscription is enabled: it sends nothing. */
const WITHOUT_SECRET = { secret: '', enabled: 0 }

export function applyWebhooks(copy: CopyTransaction): void {
  const { tx, workspacePk: workspace } = copy
  for (const webhook of present<RemoteWebhook>(copy, 'webhook')) {
    const structure = findStructureById(tx, workspace, webhook.structure.id)?.pk
    if (structure === undefined) continue
    const { id, url, events, filter, fields, headers, description } = webhook
    const row = {
      structure,
      url,
      events: JSON.stringify(events),
      filter: JSON.stringify(filter),
      fields: fields === null ? null : JSON.stringify(fields),
      ignoreOwnKey: flagOf(webhook.ignore_own_key),
      ignoreKeyId: webhook.ignore_key_id,
      description,
      headers: headers === undefined ? null : JSON.stringify(headers),
      pausedAt: webhook.paused_at === null ? null : instantOf(webhook.paused_at),
      consecutiveFailures: webhook.consecutive_failures,
      createdByKeyId: webhook.created_by_key_id,
      ...instantsOf(webhook),
      ...WITHOUT_SECRET,
    }
    const known = tx.sql.get<{ pk: number }>('SELECT pk FROM webhooks WHERE id = ?', id)?.pk
    if (known === undefined) insert(tx, { ...row, id, workspace })
    else update(tx, known, row)
  }
}
