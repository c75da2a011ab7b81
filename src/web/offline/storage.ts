import { preferences } from '../data/preferences.ts'
import { TO_BE_ENDED } from '../data/session.ts'

const STORAGES = [localStorage, sessionStorage]

/** Whether data of another user is stored. */
export const hasStorageOfOthers = (user: string): boolean =>
  STORAGES.some((storage) =>
    Object.keys(storage).some((name) => NAMES_PERSON.test(name) && !name.includes(user)),
  )

const NAMES_PERSON = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}/

/** The prefix of keys that are not deleted: they identify no user, and prevent repeated questions. */
export const PASSKEY_OFFERED = 'daybook-asked '

const isKeptAfterSignOut = (name: string) => name.startsWith(PASSKEY_OFFERED) || name === TO_BE_ENDED

/** Deletes the local and session storage of the application, except the data of one user. */
export function emptyStorage(except?: string): void {
  for (const storage of STORAGES)
    for (const name of Object.keys(storage))
      if (!isKeptAfterSignOut(name) && (except === undefined || !name.includes(except)))
        storage.removeItem(name)
  preferences.value = {}
}
