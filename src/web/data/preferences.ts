import { effect, signal } from '@preact/signals'
import { savers } from './pending.ts'
import { request } from './request.ts'
import { sessionKey } from './session-key.ts'

/** What a person chose for the columns of a table, until it is saved in a view; fields are named by their keys. */
export interface TableChoices {
  readonly widths?: Readonly<Record<string, number>>
  readonly shown?: readonly string[]
  /** How many columns stay in sight at the left. */
  readonly frozen?: number
  /** What the foot of the table says of a field. */
  readonly figures?: Readonly<Record<string, string>>
  /** The groups that are folded, by their values. */
  readonly folded?: readonly string[]
}

/** The person's own choices, which the server keeps for every browser. */
export interface Preferences {
  readonly theme?: 'light' | 'dark'
  /** The languages whose way to write dates and numbers is used; `iso` dates are as the API has them. */
  readonly dates?: string
  readonly numbers?: string
  /** The first day of the week, 0 for Sunday. */
  readonly week_start?: number
  /** What the sample of the first hour made, until it is removed. */
  readonly sample?:
    | { readonly workspace: string; readonly structure: string; readonly notes: readonly string[] }
    | undefined
  /** By the id of a structure or a view. */
  readonly tables?: Readonly<Record<string, TableChoices>>
}

/** Changes that follow each other are sent together. */
const REST_MS = 300

/** Of the person who was here last, so that a page looks as it will before anything is read. */
const KEPT = 'preferences'

function kept(name: string): Preferences {
  try {
    return JSON.parse(localStorage.getItem(name) ?? '{}')
  } catch {
    return {}
  }
}

export const preferences = signal<Preferences>(kept(KEPT))

let unsent: Preferences = {}
let timer: ReturnType<typeof setTimeout> | undefined

const merged = (old: Preferences, change: Preferences): Preferences => ({
  ...old,
  ...change,
  tables: { ...old.tables, ...change.tables },
})

function keep(name: string, value: Preferences): void {
  try {
    localStorage.setItem(name, JSON.stringify(value))
  } catch {
    // A full or closed storage only means that the next page is shown as usual first.
  }
}

function show(shown: Preferences): void {
  preferences.value = shown
  keep(KEPT, shown)
}

/** What a page that was closed did not send is sent by the next one. */
const unsentOf = (person: string | undefined) => `${KEPT} of ${person}`

function setUnsent(change: Preferences): void {
  unsent = change
  keep(unsentOf(sessionKey.peek()), change)
}

/** Chooses something; what is undefined is as usual again. */
export function prefer(change: Preferences): void {
  setUnsent(merged(unsent, change))
  show(merged(preferences.peek(), change))
  clearTimeout(timer)
  timer = setTimeout(() => void send(), REST_MS)
}

/** Chooses something for a table. */
export function preferTable(id: string, change: TableChoices): void {
  prefer({ tables: { [id]: { ...preferences.peek().tables?.[id], ...change } } })
}

const read = async () =>
  (await request<{ preferences: Preferences }>('GET', '/app/api/preferences', { isFresh: true })).preferences

/** Sends what was chosen here, and keeps what was chosen in other browsers; without a server it waits for the next time. */
async function send(): Promise<void> {
  clearTimeout(timer)
  const sent = unsent
  const person = sessionKey.peek()
  if (person === undefined || Object.keys(sent).length === 0) return
  unsent = {}
  try {
    await request('PUT', '/app/api/preferences', { body: { preferences: merged(await read(), sent) } })
    if (sessionKey.peek() === person) setUnsent(unsent)
  } catch {
    if (sessionKey.peek() === person) setUnsent(merged(sent, unsent))
  }
}

savers.add(send)

effect(() => {
  const person = sessionKey.value
  unsent = person === undefined ? {} : kept(unsentOf(person))
  if (person === undefined) return
  // What was left unsent is there before it is read.
  send()
    .then(read)
    .then(
      (stored) => sessionKey.peek() === person && show(merged(stored, kept(unsentOf(person)))),
      () => undefined,
    )
})
