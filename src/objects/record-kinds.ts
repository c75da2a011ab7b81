import { type Static, Type } from '@sinclair/typebox'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Caller, wholeWorkspace } from '../context.ts'
import { CreateSourceBody } from '../events/sources/schema.ts'
import { createSource, getSource, type NewSource } from '../events/sources/service.ts'
import { copiedForwards, forwardsIn, presentSource, sourceKind } from '../events/sources/store.ts'
import { type NewWebhook, newColumns, parseNew, type UnparsedInput } from '../events/webhooks/columns.ts'
import { deleteWebhookAtOnce } from '../events/webhooks/deletion.ts'
import { CreateWebhookBody } from '../events/webhooks/schema.ts'
import {
  beginSubscription,
  getWebhook,
  listWebhooks,
  refuseTooMany,
  subscribedStructure,
} from '../events/webhooks/service.ts'
import { insertWebhook, presentWebhook } from '../events/webhooks/store.ts'
import type { FilterTree } from '../filter/tree/parse.ts'
import { nullableText, strict } from '../http/schema/types.ts'
import { isObject } from '../lib/json.ts'
import { Refusal, refused } from '../lib/refusal.ts'
import { newSecret } from '../log/message.ts'
import { columnsShown } from '../log/objects/statements.ts'
import { listMembers } from '../people/accounts/store.ts'
import { findStructureById } from '../records/structures/store.ts'
import { CreateRowViewBody } from '../records/views/schema.ts'
import { findRowView, insertRowView, rowViewKind } from '../records/views/service.ts'
import { insertInto, updateOf } from '../storage/query.ts'
import type { Reader } from '../storage/reader.ts'
import { webhooks as webhookTable } from '../storage/schema/webhooks.ts'
import type { Copy } from './copy.ts'
import { asObject, instantOrNull, parseExported } from './exported.ts'
import { type FiledKind, filedKind, type ImportDestination } from './kind.ts'
import { withTagIds } from './tags.ts'

/* The small kinds of structures: views of rows, webhooks and sources. */

type ExportedRowView = Static<typeof CreateRowViewBody> & { readonly owner?: string | null }

/** A copy has no users of its remote: it stores the owner's name beside the id. */
export const rowViews = filedKind(rowViewKind, {
  label: 'name',
  find: findRowView,
  file: {
    name: 'row-views',
    schema: strict({ ...CreateRowViewBody.properties, owner: Type.Optional(nullableText()) }),
    create: ({ tx, caller }, { owner, ...input }: ExportedRowView) =>
      insertRowView(tx, caller, input, ownerHere(tx, caller, owner, input.personal === true)),
    exported: ({ structure_id: structure, owner, ...view }) => ({
      ...view,
      structure,
      owner: owner?.name ?? null,
    }),
  },
  columns: (copy, { structure_id, owner }) => {
    const structure = structurePk(copy, structure_id)
    if (structure === undefined) return undefined
    return { structure, owner: owner?.id ?? null, ownerName: owner?.name ?? null }
  },
})

/** Finds the member by name, because users are not exported. Personal views without a match go to the first owner. */
function ownerHere(
  reader: Reader,
  { workspacePk }: Caller,
  owner: string | null | undefined,
  isPersonal: boolean,
): string | null {
  const members = listMembers(reader, workspacePk)
  const same = members.find(({ name }) => name === owner)
  const first = isPersonal ? members.find(({ role }) => role === 'owner') : undefined
  return (same ?? first)?.id ?? null
}

/** Undefined for a deleted structure. */
const structurePk = ({ tx, workspacePk }: Copy, id: string): number | undefined =>
  findStructureById(tx, wholeWorkspace(workspacePk), id)?.pk

/**
 * An export omits the secret, the URL and received data; an imported source stays disabled until it gets new ones.
 * Nothing can call a source of a copy.
 */
export const sources = filedKind(sourceKind, {
  label: 'name',
  find: (reader, caller, id) => unlessGone(() => presentSource(getSource(reader, caller, id, 'read'))),
  file: {
    name: 'sources',
    schema: CreateSourceBody,
    create: ({ tx, caller }, input: NewSource) => createSource(tx, caller, input, { isImported: true }),
    exported: ({ url: _, forward: __, ...source }, row) => ({
      ...source,
      ...(row.forwards !== null && { forward: forwardsIn(row.forwards).map(({ target, ...each }) => each) }),
      structure: row.structureId,
    }),
  },
  columns: (copy, { structure: of, counts, forward }) => {
    const structure = structurePk(copy, of.id)
    if (structure === undefined) return undefined
    const forwards = copiedForwards(forward)
    return { structure, secret: null, token: null, forwards, enabled: 0, counts: JSON.stringify(counts) }
  },
})

function unlessGone<Found>(get: () => Found): Found | undefined {
  try {
    return get()
  } catch (error) {
    if (error instanceof Refusal && ['not_found', 'no_access'].includes(error.code)) return undefined
    throw error
  }
}

interface ShownWebhook {
  readonly id: string
  readonly structure: { readonly id: string } | null
  readonly url: string | null
}

/** Defaults of absent attributes of a webhook. */
const ABSENT = {
  ...{ headers: null, kind: null, format: null, template: null, delivery: null },
  ...{ quietSeconds: null, includeContent: null, due: null, ordered: null, pauseReason: null },
}

const insertCopied = insertInto<SQLiteTable>(webhookTable)
const updateCopied = updateOf<SQLiteTable>(webhookTable, webhookTable.pk)

/**
 * An export omits the secrets, the values of custom headers, which may be credentials, and the deliveries. A remote
 * never sends secrets; webhooks of a copy are disabled, so nothing is sent.
 */
export const webhooks: FiledKind<ShownWebhook> = {
  kind: 'webhook',
  table: 'webhooks',
  find: (reader, caller, id) => unlessGone(() => presentWebhook(getWebhook(reader, caller, id, 'read'))),
  file: {
    name: 'webhooks',
    list: (reader, caller) =>
      listWebhooks(reader, caller)
        .map(presentWebhook)
        .map(({ structure, url, pending, oldest_pending_at, dropped, status, headers, ...webhook }) => ({
          ...webhook,
          ...(url !== null && { url }),
          ...(structure && { structure: structure.id }),
        })),
    create: importWebhook,
  },
  remove: ({ tx }, ids) => {
    for (const id of ids) deleteWebhookAtOnce(tx, id)
  },
  write: (copy, shown) => {
    const { tx, workspacePk: workspace } = copy
    const { id, structure: of } = shown
    const structure = of && structurePk(copy, of.id)
    if (structure === undefined) return
    const columns = { ...ABSENT, ...columnsShown(webhookTable, shown, ['dropped']) }
    const row = { ...columns, url: shown.url ?? '', structure, secret: '', enabled: 0 }
    const known = tx.sql.get<{ pk: number }>('SELECT pk FROM webhooks WHERE id = ?', id)?.pk
    if (known === undefined) insertCopied(tx, { ...row, id, workspace })
    else updateCopied(tx, known, row)
  },
}

type ExportedWebhook = UnparsedInput & Pick<NewWebhook, 'kind' | 'structure' | 'delivery'>

function importWebhook({ tx, caller, tags, secrets }: ImportDestination, value: unknown): void {
  const { paused_at, pause_reason, consecutive_failures, created_by_key_id, ...rest } = asObject(value)
  const original = parseExported<ExportedWebhook>(rest, CreateWebhookBody)
  const { id, createdAt, updatedAt } = original
  refuseTooMany(tx, caller.workspacePk)
  const { filter, ...parsed } = parseNew(original.input)
  const isTree = (sent: unknown): sent is FilterTree => isObject(sent)
  const input = { ...parsed, filter: isTree(filter) ? withTagIds(filter, tags) : filter }
  const structure = subscribedStructure(tx, caller, input)
  const secret = newSecret()
  insertWebhook(tx, {
    ...newColumns(tx, caller, structure, input),
    ...{ id, createdAt, updatedAt, secret },
    workspace: caller.workspacePk,
    structure: structure?.pk ?? null,
    // A key of another database, which matches no key here.
    createdByKeyId: textOrNull(created_by_key_id),
    pausedAt: instantOrNull(paused_at, 'paused_at'),
    pauseReason: textOrNull(pause_reason),
    consecutiveFailures: failuresOf(consecutive_failures),
  })
  beginSubscription(tx, caller, id)
  if (input.url !== undefined) secrets.push({ id, url: input.url, secret })
}

/** Far more than a webhook reaches in practice. */
const MAX_FAILURES = 1_000_000_000

function failuresOf(value: unknown = 0): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_FAILURES)
    return value
  throw refused(`"consecutive_failures" must be an integer from 0 to ${MAX_FAILURES}.`)
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
