import { and, count, eq, getTableColumns, isNull, lte, sql } from 'drizzle-orm'
import { write } from '../../kernel/operation.ts'
import { DAY_MS } from '../../lib/dates.ts'
import { isObject } from '../../lib/json.ts'
import { unavailable } from '../../lib/refusal.ts'
import { codePointLength, hasControlCharacter } from '../../lib/text.ts'
import { from, insertInto, orm, rowBy, runBy, update, valueBy } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { oauthClients } from '../../storage/schema/apps.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { isRedirectUri } from './redirect-uri.ts'
import { oauthRefusal } from './refusals.ts'

/** The description of a client, from its registration or its document. */
export interface ClientMetadata {
  readonly name: string
  readonly redirectUris: readonly string[]
}

export interface Client extends ClientMetadata {
  /** As registered, or the https URL of the document. */
  readonly id: string
}

const MAX_NAME = 200
const MAX_URIS = 20

/** Characters that can make a name look like another one. */
const HIDDEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

const isName = (name: string): boolean =>
  name !== '' && codePointLength(name) <= MAX_NAME && !hasControlCharacter(name) && !HIDDEN.test(name)

/**
 * Checks the description of a client, whose unknown members are ignored. A client without a name is named by the host
 * that it returns to.
 */
export function checkedMetadata(sent: unknown): ClientMetadata {
  if (!isObject(sent))
    throw oauthRefusal('invalid_client_metadata', 'The client must be described by a JSON object.')
  const { client_name: name, redirect_uris: uris } = sent
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_URIS)
    throw oauthRefusal('invalid_redirect_uri', `redirect_uris must be a list of 1 to ${MAX_URIS} URIs.`)
  if (!uris.every((uri): uri is string => typeof uri === 'string' && isRedirectUri(uri)))
    throw oauthRefusal(
      'invalid_redirect_uri',
      'Each of redirect_uris must begin with https://, with http:// on loopback, or with a private-use scheme, and have no fragment.',
    )
  const [first = ''] = uris
  const given = name ?? new URL(first).host
  if (typeof given !== 'string' || !isName(given.trim() || first))
    throw oauthRefusal(
      'invalid_client_metadata',
      `client_name must be a text of 1 to ${MAX_NAME} characters without control or invisible characters.`,
    )
  return { name: given.trim() || new URL(first).protocol, redirectUris: uris }
}

/** Clients that no user has connected within this time are removed. */
const UNUSED_MS = DAY_MS
/** So are clients that no user has connected for this time and that have no connected app left. */
const ABANDONED_MS = 90 * DAY_MS
const MAX_CLIENTS = 1_000

const deleteUnusedBefore = runBy((at: number) =>
  orm.delete(oauthClients).where(and(isNull(oauthClients.usedAt), lte(oauthClients.createdAt, at))),
)
const deleteAbandonedBefore = runBy((at: number) =>
  orm
    .delete(oauthClients)
    .where(
      and(
        lte(oauthClients.usedAt, at),
        sql`NOT EXISTS (SELECT 1 FROM connected_apps a WHERE a.client = oauth_clients.id)`,
      ),
    ),
)

export function removeUnusedClients(tx: Tx): void {
  deleteUnusedBefore(tx, tx.now - UNUSED_MS)
  deleteAbandonedBefore(tx, tx.now - ABANDONED_MS)
}

const insertClient = insertInto(oauthClients)
const countClients = valueBy(() => from(oauthClients, { value: count() }))

/** Registers a client; refuses it while 1,000 are registered. */
export const registerClient = write({
  name: 'oauth.registerClient',
  covers: 'nothing',
  run: (tx, _, { name, redirectUris }: ClientMetadata): Client & { createdAt: number } => {
    removeUnusedClients(tx)
    if (countClients(tx) >= MAX_CLIENTS)
      throw unavailable('Too many clients are registered with this server; try again tomorrow.', {
        retryAfterSeconds: 3_600,
      })
    const id = tx.newId()
    insertClient(tx, { id, name, redirectUris: JSON.stringify(redirectUris), createdAt: tx.now })
    return { id, name, redirectUris, createdAt: tx.now }
  },
})

const findById = rowBy((id: string) =>
  from(oauthClients, getTableColumns(oauthClients)).where(eq(oauthClients.id, id)),
)

/** A registered client; undefined if it was never used within its time. */
export function findRegistered(reader: Reader, id: string, now: number): Client | undefined {
  const row = findById(reader, id)
  if (!row || (row.usedAt === null && row.createdAt + UNUSED_MS <= now)) return undefined
  return { id, name: row.name, redirectUris: JSON.parse(row.redirectUris) as string[] }
}

const setUsed = runBy((id: string, now: number) =>
  update(oauthClients, { usedAt: now }, eq(oauthClients.id, id)),
)

/** Records that a user connected the client. */
export const markUsed = (tx: Tx, id: string): void => void setUsed(tx, id, tx.now)
