import { effect, signal } from '@preact/signals'
import { unsavedWork } from './pending.ts'
import { request } from './request.ts'
import { sessionKey } from './session-key.ts'
import { readStored, store } from './stored.ts'

/** A user's column settings of a table that are not saved in a view, by field key. */
export interface TableChoices {
  readonly widths?: Readonly<Record<string, number>>
  readonly shown?: readonly string[]
  /** The number of frozen columns. */
  readonly frozen?: number
  /** The summary of each field in the footer of the table. */
  readonly figures?: Readonly<Record<string, string>>
  /** The fields that group its rows, as in an address. */
  readonly group?: string
  /** The paths of the collapsed groups. */
  readonly folded?: readonly string[]
}

/** The preferences of a user, which the server stores for all browsers. */
export interface Preferences {
  readonly theme?: 'light' | 'dark'
  /** The locales of the date and number formats; `iso` is the date format of the API. */
  readonly dates?: string
  readonly numbers?: string
  /** The first day of the week, 0 for Sunday. */
  readonly week_start?: number
  /** The IDs of the sample, until it is removed. */
  readonly sample?:
    | { readonly workspace: string; readonly structure: string; readonly notes: readonly string[] }
    | undefined
  /** By the ID of a table or view. */
  readonly tables?: Readonly<Record<string, TableChoices>>
}

/** Changes within this time are sent together. */
const REST_MS = 300

/** The storage key of the last user's preferences, which apply before the session is loaded. */
const STORAGE_KEY = 'preferences'

const readPreferences = (name: string): Preferences => readStored('localStorage', name) ?? {}

export const preferences = signal(readPreferences(STORAGE_KEY))

let unsent: Preferences = {}
let sending: Preferences = {}
/** Settled when the last send has ended. */
let sent: Promise<void> = Promise.resolve()
let timer: ReturnType<typeof setTimeout> | undefined

const merged = (old: Preferences, change: Preferences): Preferences => ({
  ...old,
  ...change,
  ...((old.tables ?? change.tables) && { tables: { ...old.tables, ...change.tables } }),
})

function show(shown: Preferences): void {
  preferences.value = shown
  store('localStorage', STORAGE_KEY, shown)
}

/** The storage key of unsent changes, which the next page sends. */
const unsentOf = (person: string | undefined) => `${STORAGE_KEY} of ${person}`

function setUnsent(change: Preferences): void {
  unsent = change
  store('localStorage', unsentOf(sessionKey.peek()), merged(sending, change))
}

/** Changes preferences; undefined restores the default. */
export function prefer(change: Preferences): void {
  setUnsent(merged(unsent, change))
  show(merged(preferences.peek(), change))
  clearTimeout(timer)
  timer = setTimeout(() => void send(), REST_MS)
}

/** Changes the column settings of a table. */
export function preferTable(id: string, change: TableChoices): void {
  prefer({ tables: { [id]: { ...preferences.peek().tables?.[id], ...change } } })
}

const read = async () =>
  (await request<{ preferences: Preferences }>('GET', '/app/api/preferences', { isFresh: true })).preferences

/** Sends changed preferences, one request after the other. */
const send = (): Promise<void> => {
  clearTimeout(timer)
  sent = sent.then(sendUnsent)
  return sent
}

/** Keeps what other browsers have changed. Changes are stored until the server has them, also without a connection. */
async function sendUnsent(): Promise<void> {
  const person = sessionKey.peek()
  if (person === undefined || Object.keys(unsent).length === 0) return
  sending = unsent
  unsent = {}
  let isSent = false
  try {
    const stored = await read()
    if (sessionKey.peek() !== person) return
    await request('PUT', '/app/api/preferences', { body: { preferences: merged(stored, sending) } })
    isSent = true
  } catch {
    // They are sent again with the next change, or by the next page.
  }
  if (sessionKey.peek() !== person) return
  const rest = isSent ? unsent : merged(sending, unsent)
  sending = {}
  setUnsent(rest)
}

unsavedWork.add({ save: send })

effect(() => {
  const person = sessionKey.value
  sending = {}
  unsent = person === undefined ? {} : readPreferences(unsentOf(person))
  if (person === undefined) return
  // Unsent changes are sent before the preferences are read.
  send()
    .then(read)
    .then(
      (stored) => sessionKey.peek() === person && show(merged(stored, readPreferences(unsentOf(person)))),
      () => undefined,
    )
})
