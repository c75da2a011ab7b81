import { preferences } from '../data/preferences.ts'
import { TO_BE_ENDED } from '../data/session.ts'

const STORAGES = [localStorage, sessionStorage]

/** Whether something of another person is stored. */
export const hasStorageOfOthers = (user: string): boolean =>
  STORAGES.some((storage) =>
    Object.keys(storage).some((name) => NAMES_PERSON.test(name) && !name.includes(user)),
  )

const NAMES_PERSON = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}/

/** How the marks begin that stay: they name nobody, and without them people would be asked again each time. */
export const PASSKEY_OFFERED = 'daybook-asked '

const isToStay = (name: string) => name.startsWith(PASSKEY_OFFERED) || name === TO_BE_ENDED

/** Removes what the pages of the application have stored beside the database, but for what names one person. */
export function emptyStorage(except?: string): void {
  for (const storage of STORAGES)
    for (const name of Object.keys(storage))
      if (!isToStay(name) && (except === undefined || !name.includes(except))) storage.removeItem(name)
  preferences.value = {}
}
