import { and, eq, getTableColumns } from 'drizzle-orm'
import { from, insertInto, orm, rowBy, rowsBy, runBy, updateOf } from '../../db/query.ts'
import { passkeys } from '../../db/schema/sessions.ts'

export type PasskeyRow = typeof passkeys.$inferSelect

const whole = () => from(passkeys, getTableColumns(passkeys))

/** Oldest first. */
export const listPasskeyRows = rowsBy((user: number) =>
  whole().where(eq(passkeys.user, user)).orderBy(passkeys.pk),
)

export const findPasskey = rowBy((user: number, id: string) =>
  whole().where(and(eq(passkeys.user, user), eq(passkeys.id, id))),
)

/** By the id that its authenticator chose. */
export const findCredential = rowBy((credential: string) =>
  whole().where(eq(passkeys.credential, credential)),
)

export const insertPasskey = insertInto(passkeys)

export const updatePasskey = updateOf(passkeys, passkeys.pk)

export const deletePasskey = runBy((pk: number) => orm.delete(passkeys).where(eq(passkeys.pk, pk)))
