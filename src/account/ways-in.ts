import { and, eq, getTableColumns } from 'drizzle-orm'
import { from, orm, rowBy, runBy, update, upsertInto } from '../db/query.ts'
import type { Reader } from '../db/reader.ts'
import { passkeys, providerLinks } from '../db/schema/sessions.ts'

const { user: linkedUser, issuer, subject } = providerLinks

const everyLink = () => from(providerLinks, getTableColumns(providerLinks))

/** Who a user is at an OpenID Connect provider, perhaps at one that the server has no more. */
export const findProviderLink = rowBy((user: number) => everyLink().where(eq(linkedUser, user)))

export const findLinkOf = rowBy((ofIssuer: string, ofSubject: string) =>
  everyLink().where(and(eq(issuer, ofIssuer), eq(subject, ofSubject))),
)

export const saveProviderLink = upsertInto(providerLinks, linkedUser)

export const setClosedWorkspace = runBy((user: number, closedWorkspace: number | null) =>
  update(providerLinks, { closedWorkspace }, eq(linkedUser, user)),
)

export const deleteProviderLink = runBy((user: number) =>
  orm.delete(providerLinks).where(eq(linkedUser, user)),
)

const findAny = rowBy((user: number) =>
  from(passkeys, { pk: passkeys.pk }).where(eq(passkeys.user, user)).limit(1),
)

export const hasPasskey = (reader: Reader, user: number): boolean => findAny(reader, user) !== undefined

export const deletePasskeysOf = runBy((user: number) => orm.delete(passkeys).where(eq(passkeys.user, user)))
