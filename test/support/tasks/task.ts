import type { Page } from 'puppeteer-core'
import type { Application } from '../application-server.ts'
import type { Keyboard } from '../keyboard.ts'

/** The setting of a task: a page of a given size, and a server with the workspace of `fillWorkspace`. */
export interface Desk {
  readonly app: Application
  readonly page: Page
  readonly keys: Keyboard
  readonly width: number
  /** Differs for each task, so that names are unique. */
  readonly number: number
  readonly tables: { readonly wide: string; readonly large: string }
  /** Opens an address of the application. */
  go(path: string): Promise<void>
  /** Waits until the content of the screen contains the text. */
  says(text: string): Promise<unknown>
  /** Waits until the condition holds on the server. */
  until(is: () => Promise<boolean>): Promise<void>
}

/** A user task, from its starting page to the visible result. */
export interface Task {
  readonly does: string
  readonly run: (desk: Desk) => Promise<void>
}

export const MANY_NOTES = 1_000
const LARGE_ROWS = 10_000
const ROWS_A_CALL = 500
const NOTES_A_CALL = 250

type Server = Application['server']

export async function makeTable(server: Server, name: string, fields: object[], rows: object[]) {
  const { structure } = (await server.post('/v1/records/structures', { name, fields })).body
  for (let from = 0; from < rows.length; from += ROWS_A_CALL)
    await server.post('/v1/records', {
      structure: structure.id,
      rows: rows.slice(from, from + ROWS_A_CALL).map((data) => ({ data })),
    })
  return structure.id as string
}

const STATES = ['New', 'Sent', 'Done']

/** Fields that most task tables share. */
export const ORDER_FIELDS = [
  { key: 'title', type: 'text', label: 'Title' },
  { key: 'state', type: 'select', label: 'State', options: STATES },
  { key: 'due', type: 'date', label: 'Due' },
  { key: 'price', type: 'text', label: 'Price' },
]

export const orders = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    title: `Order ${at + 1}`,
    state: STATES[at % 2],
    due: '2026-11-10',
    price: String(10 * (at + 1)),
  }))

/** Creates a table of orders, three by default; returns its id. */
export const makeOrders = ({ app, number }: Desk, count = 3) =>
  makeTable(app.server, `Orders ${number}`, ORDER_FIELDS, orders(count))

export const makeNote = async ({ app }: Desk, title: string, content = ''): Promise<string> =>
  (await app.server.post('/v1/notes', { title, content })).body.note.id

/** Creates many notes, a table with many columns, and a table with many rows. */
export async function fillWorkspace(server: Server): Promise<Desk['tables']> {
  const titles = Array.from({ length: MANY_NOTES }, (_, at) => `Report ${at + 1}`)
  for (let from = 0; from < titles.length; from += NOTES_A_CALL)
    await server.post('/v1/changes/apply', {
      changes: titles.slice(from, from + NOTES_A_CALL).map((title) => ({
        kind: 'note',
        op: 'created',
        id: Bun.randomUUIDv7(),
        data: { title, content: `Beside Report ${titles.length}.` },
      })),
    })
  await server.post('/v1/properties', { key: 'stars', type: 'number', label: 'Stars' })
  const columns = Array.from({ length: 15 }, (_, at) => ({
    key: `c${at}`,
    type: at % 2 === 0 ? 'number' : 'text',
    label: `Column ${at + 2}`,
  }))
  const films = Array.from({ length: 30 }, (_, at) => ({
    title: `A film called ${at + 1}`,
    ...Object.fromEntries(columns.map(({ key, type }) => [key, type === 'number' ? at : 'text'])),
  }))
  return {
    wide: await makeTable(
      server,
      'Films',
      [{ key: 'title', type: 'text', label: 'Title' }, ...columns],
      films,
    ),
    large: await makeTable(server, 'All orders', ORDER_FIELDS, orders(LARGE_ROWS)),
  }
}
