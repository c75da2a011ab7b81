import { and, eq, getTableColumns } from 'drizzle-orm'
import { fail, Refusal, refused } from '../../lib/refusal.ts'
import { from, insertInto, orm, rowBy, runBy, updateOf } from '../../storage/query.ts'
import { passkeys } from '../../storage/schema/sessions.ts'
import type { PasskeyRow } from '../accounts/store.ts'

const MAX_PASSKEYS = 20

const whole = () => from(passkeys, getTableColumns(passkeys))

const findPasskey = rowBy((user: number, id: string) =>
  whole().where(and(eq(passkeys.user, user), eq(passkeys.id, id))),
)

export const getPasskey = (
  reader: Parameters<typeof findPasskey>[0],
  userPk: number,
  id: string,
): PasskeyRow =>
  findPasskey(reader, userPk, id) ?? fail(new Refusal('not_found', 'You have no such passkey.'))

/** Finds a passkey by the id that its authenticator chose. */
export const findCredential = rowBy((credential: string) =>
  whole().where(eq(passkeys.credential, credential)),
)

export const insertPasskey = insertInto(passkeys)

/** A verified passkey that is not stored yet. */
export type NewPasskey = Omit<Parameters<typeof insertPasskey>[1], 'id' | 'user' | 'createdAt' | 'lastUsedAt'>

export const updatePasskey = updateOf(passkeys, passkeys.pk)

export const deletePasskey = runBy((pk: number) => orm.delete(passkeys).where(eq(passkeys.pk, pk)))

export function checkPasskeyCount(known: readonly PasskeyRow[]): void {
  if (known.length >= MAX_PASSKEYS)
    throw refused(`You have ${MAX_PASSKEYS} passkeys, the maximum; remove one first.`)
}
