import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  fill,
  press,
  startApplication,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import {
  type FieldKindCase,
  type FieldKinds,
  isRollup,
  isSeveral,
  isWritten,
  makeFieldKinds,
} from '../support/field-kinds.ts'
import { focusCell } from '../support/grid.ts'
import { choose, clickText, frames, textsOf } from '../support/page-acts.ts'
import { daybook, newFolder } from '../support/process.ts'
import { untilAtLeast, untilCount, untilNoTextIn, untilOneHas, untilTextIs } from '../support/waits.ts'
import { until } from '../support/webhooks.ts'

/* Every kind of field on every screen that shows, edits or filters values of rows. */

/** Resolves at the next frame, in which a completion has moved the caret. */

/** Creates files and members as commands do. */
async function makeObjects(file: string) {
  const folder = newFolder()
  for (const n of [1, 2, 3]) {
    await Bun.write(folder.file(`file ${n}.txt`), `${n}`)
    await daybook(['files', 'add', folder.file(`file ${n}.txt`), '--db', file])
  }
  for (const user of ['bea', 'cem']) await daybook(['users', 'add', user, '--db', file])
  rmSync(folder.path, { recursive: true })
  const db = new Database(file, { readonly: true })
  const ids = (table: string) =>
    db
      .query<{ id: string }, []>(`SELECT id FROM ${table} ORDER BY pk`)
      .all()
      .map(({ id }) => id)
  const found = { files: ids('files'), users: ids('users') }
  db.close()
  return found
}

/** The text of the first row's values, as the screens show it. */
function shownText({ spec, first, valueType }: FieldKindCase): string {
  const names: Readonly<Record<string, readonly string[]>> = {
    note: ['Note 1', 'Note 2'],
    file: ['file 1.txt', 'file 2.txt'],
    record: ['Row 1', 'Row 2'],
    user: ['owner', 'bea'],
  }
  const [one = '', two = ''] = names[spec.type] ?? []
  if (one !== '') return Array.isArray(first) ? `${one} ${two}` : one
  if (Array.isArray(first)) return first.join(' ')
  if (valueType === 'bool') return 'no'
  const isDay = /^\d{4}-\d\d-\d\d/.test(String(first))
  return isDay ? '2026' : String(first)
}

describe.skipIf(!hasBrowser)('fields of every kind in a browser', () => {
  let app: Application
  let page: Page
  let world: FieldKinds

  beforeAll(async () => {
    app = await startApplication()
    world = await makeFieldKinds(app.server, await makeObjects(app.file))
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const open = async (query = '') => {
    await page.goto(`${app.server.url}/app/records/${world.structure}${query}`)
  }
  const columnOf = (kind: FieldKindCase) => world.kinds.indexOf(kind) + 2
  const keysOf = (kinds: readonly FieldKindCase[]) => kinds.map(({ spec }) => spec.key)
  const textsIn = (selector: string) =>
    page.$$eval(selector, (found) =>
      // biome-ignore lint/performance/useDomNodeTextContent: hidden text is not shown
      found.map((one) => (one as HTMLElement).innerText.replace(/\s+/g, ' ').trim()),
    )
  const wide = () => page.setViewport({ width: 6_000, height: 900 })

  test(
    'are shown in the grid, and edited there unless they are computed',
    async () => {
      await wide()
      await open('?direction=asc')
      await page.waitForSelector('td[data-row="2"]')
      const wrongKinds = async () => {
        const texts = await textsIn('tr:not([aria-busy]) td[data-row="0"]')
        return world.kinds.filter((kind) => !texts[columnOf(kind)]?.includes(shownText(kind)))
      }
      // Titles of notes and rows arrive after the rows.
      await until(async () => (await wrongKinds()).length === 0).catch(async () =>
        expect(await wrongKinds()).toEqual([]),
      )
      const edited: string[] = []
      for (const kind of world.kinds) {
        await focusCell(page, 2, columnOf(kind))
        await page.keyboard.press('Enter')
        const control = await page.$('td .input.cell')
        if (control) edited.push(kind.spec.key)
        await page.keyboard.press('Escape')
      }
      expect(edited).toEqual(keysOf(world.kinds.filter(isWritten)))
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'have controls in the pane of a row, with chips for several values',
    async () => {
      await page.setViewport({ width: 1280, height: 900 })
      await open(`/${world.rows[0]}?direction=asc`)
      await page.waitForSelector('#value-selects')
      const ids = await page.$$eval('[id^="value-"]', (inputs) =>
        inputs.map(({ id }) => id.slice('value-'.length)),
      )
      expect(ids).toEqual(['name', ...keysOf(world.kinds.filter(isWritten))])
      const notes = ':has(> #value-notes)'
      await untilTextIn(page, notes, 'Note 1')
      await press(page, 'Remove Note 1 from notes')
      await untilNoTextIn(page, notes, 'Note 1')
      await page.type('#value-notes', 'Note 1')
      await page.keyboard.press('Enter')
      await untilTextIn(page, notes, 'Note 1')
      expect(await accessibilityProblems(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'group rows, make columns of boards, and fill cards, with the names of members',
    async () => {
      await page.setViewport({ width: 1600, height: 900 })
      for (const kind of world.kinds.filter((one) => ['select', 'bool', 'user'].includes(one.valueType))) {
        const { key } = kind.spec
        const view = { structure: 'All', kind: 'board', name: `By ${key}`, group_by: key }
        const { row_view } = (await app.server.post('/v1/records/views', view)).body
        await open(`?view=${row_view.id}`)
        await untilAtLeast(page, '.board .column a.card', 3)
        await untilNoTextIn(page, '.board', '…')
        const headings = await textsIn('.board .column header .choice-chip')
        const names = shownText(kind).split(' ')
        expect([key, names.filter((name) => !headings.includes(name))]).toEqual([key, []])
        await open(`?group=${key}&direction=asc`)
        await untilAtLeast(page, 'tr.group', 2)
        await untilNoTextIn(page, 'table.grid', '…')
        const groups = (await textsIn('tr.group')).join(' ')
        expect([key, names.filter((name) => !groups.includes(name))]).toEqual([key, []])
        await untilAtLeast(page, 'tr[aria-level="2"]:not([aria-busy])', 3)
      }
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are on the days of calendars',
    async () => {
      for (const kind of world.kinds) {
        if (isRollup(kind) || !['date', 'datetime'].includes(kind.valueType)) continue
        const view = { structure: 'All', kind: 'calendar', name: kind.spec.key, date_field: kind.spec.key }
        const { row_view } = (await app.server.post('/v1/records/views', view)).body
        await open(`?view=${row_view.id}&month=2026-01`)
        await untilOneHas(page, '.event', 'first')
      }
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are filtered by: members are chosen by name, and "me" is the user',
    async () => {
      await page.setViewport({ width: 1280, height: 900 })
      await open('?direction=asc')
      await press(page, 'Filter')
      await page.waitForSelector('#new-filter:popover-open')
      const fields = await textsOf(page, '#new-filter button')
      const tested = keysOf(world.kinds.filter((kind) => !isRollup(kind)))
      expect(fields).toEqual(['name', ...tested, 'Created', 'Edited'])
      const chooseField = (key: string) => clickText(page, '#new-filter button', key)
      await chooseField('user')
      await untilCount(page, '#filter-0 input[type=checkbox]', 4)
      await page.click('#filter-0 input[value=me]')
      await untilText(page, '1 row')
      await press(page, 'Filter')
      await chooseField('users')
      await page.waitForSelector('#filter-1 input[type=checkbox]')
      await page.click('#filter-1 input[type=checkbox]')
      await untilCount(page, '.chip b', 2)
      await page.keyboard.press('Escape')
      expect(await textsIn('.chip .what')).toEqual(['user is me', 'users has any of owner'])
      expect(await accessibilityProblems(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are shown on a phone',
    async () => {
      await page.setViewport({ width: 390, height: 800 })
      await open('?direction=asc')
      await page.waitForSelector('.row-card')
      await open(`/${world.rows[0]}?direction=asc`)
      await page.waitForSelector('#value-selects')
      const orders = await (async () => {
        await open('?direction=asc')
        await page.waitForSelector('select[aria-label="Sort rows"]')
        return textsIn('select[aria-label="Sort rows"] option')
      })()
      const sortable = world.kinds.filter((kind) => !isSeveral(kind) && !isRollup(kind))
      for (const kind of world.kinds)
        expect([kind.spec.key, orders.some((order) => order.startsWith(`${kind.spec.key} `))]).toEqual([
          kind.spec.key,
          sortable.includes(kind),
        ])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are converted with a preview, in the notation that the user selects, and back from several values',
    async () => {
      const fields = [
        { key: 'day', type: 'text', label: 'Day' },
        { key: 'price', type: 'text', label: 'Price' },
        { key: 'tags', type: 'text', label: 'Tags' },
      ]
      const { structure } = (await app.server.post('/v1/records/structures', { name: 'Old', fields })).body
      const rows = [{ data: { day: '02/03/2026', price: '1.234,5', tags: 'a; b' } }]
      await app.server.post('/v1/records', { structure: 'Old', rows })
      await page.setViewport({ width: 1280, height: 900 })
      const convert = async (label: string) => {
        await page.goto(`${app.server.url}/app/records/${structure.id}/structure`)
        await press(page, `Convert ${label}`)
      }
      const dataOf = async () => (await app.server.get('/v1/records?structure=Old')).body.records[0].data
      const converted = async (key: string) => {
        await untilText(page, '1 can be converted, 0 are empty.')
        await press(page, 'Convert')
        await until(async () => (await dataOf())[key] !== undefined)
      }
      await convert('Day')
      await choose(page, 'New type', 'date')
      await untilText(page, 'with the month or the day first')
      await choose(page, 'Dates are written', 'dmy')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1280, height: 900 })
      await converted('day_new')
      await convert('Price')
      await choose(page, 'Decimal sign', ',')
      await converted('price_new')
      await convert('Tags')
      await choose(page, 'New type', 'select')
      await page.click('dialog input[type=checkbox]')
      await converted('tags_new')
      expect(await dataOf()).toMatchObject({ day_new: '2026-03-02', price_new: 1234.5, tags_new: ['a', 'b'] })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are computed by formulas: the editor completes names, shows the result for a row, and the place of a mistake',
    async () => {
      const fields = [
        { key: 'name', type: 'text' },
        { key: 'price', type: 'number' },
        { key: 'total', type: 'formula', expression: '{price} * 2' },
      ]
      const { structure } = (await app.server.post('/v1/records/structures', { name: 'Priced', fields })).body
      const rows = [{ data: { name: 'Ink', price: 3 } }, { data: { name: 'Pen', price: 5 } }]
      await app.server.post('/v1/records', { structure: 'Priced', rows })
      await page.goto(`${app.server.url}/app/records/${structure.id}/structure`)
      await untilTextIs(page, 'output', '10')
      await fill(page, 'Formula', 'rou')
      await press(page, 'ROUND(')
      await frames(page, 1)
      await page.keyboard.type('{pr')
      await page.keyboard.press('Tab')
      await frames(page, 1)
      await page.keyboard.type(' / 2, 0')
      await untilText(page, 'This parenthesis is not closed')
      await press(page, 'Position 0')
      await page.keyboard.press('End')
      await page.keyboard.type(')')
      await untilTextIs(page, 'output', '3')
      const [first] = (await app.server.get('/v1/records?structure=Priced&direction=asc')).body.records
      await page.select('select[aria-label="Row of the result"]', first.id)
      await untilTextIs(page, 'output', '2')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1280, height: 900 })
      await press(page, 'Save table')
      await untilText(page, 'Saved.')
      // A job computes the values of the rows after the table is saved.
      const query = '/v1/records?structure=Priced&sort=name&direction=asc'
      const ink = async () => (await app.server.get(query)).body.records[0].data
      await until(async () => (await ink()).total !== 6)
      expect(await ink()).toEqual({ name: 'Ink', price: 3, total: 2 })
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
