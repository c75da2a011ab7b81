import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ElementHandle, Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  press as clickOn,
  contentOf,
  fieldOf,
  fill,
  startApplication,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { cell, focusCell, type GridPage, gridOn } from '../support/grid.ts'
import {
  untilAddress,
  untilCount,
  untilGone,
  untilNoTextIn,
  untilOneIs,
  untilTextIs,
  untilValue,
  untilValueStarts,
} from '../support/waits.ts'

const ROWS = 1_200
const DAYS = 364
const FIRST_DAY = Date.UTC(2025, 0, 1)

const dayOf = (number: number) =>
  new Date(FIRST_DAY + (number % DAYS) * 86_400_000).toISOString().slice(0, 10)

describe.skipIf(!hasBrowser)('reading rows', () => {
  let app: Application
  let page: Page
  let grid: GridPage
  let orders: string
  let customers: string
  let note: string
  let rowIds: string[] = []

  beforeAll(async () => {
    app = await startApplication()
    const { server } = app
    const make = async (name: string, fields: object[]) =>
      (await server.post('/v1/records/structures', { name, fields })).body.structure.id as string
    customers = await make('Customers', [{ key: 'name', type: 'text', label: 'Name' }])
    orders = await make('Orders', [
      { key: 'ref', type: 'text', label: 'Ref', unique: true },
      { key: 'customer', type: 'record', label: 'Customer', structure: 'Customers' },
      { key: 'story', type: 'note', label: 'Story' },
      { key: 'day', type: 'date', label: 'Day' },
      { key: 'total', type: 'number', label: 'Total' },
    ])
    note = (await server.post('/v1/notes', { title: 'The long story' })).body.note.id
    const ada = (await server.post('/v1/records', { structure: 'Customers', data: { name: 'Ada' } })).body
      .records[0].id
    for (let start = 0; start < ROWS; start += 400) {
      const rows = Array.from({ length: 400 }, (_, at) => {
        const number = start + at
        const day = number < 1_100 ? { day: dayOf(number) } : {}
        return { data: { ref: `R${number + 1}`, customer: ada, story: note, total: number, ...day } }
      })
      const { records } = (await server.post('/v1/records', { structure: 'Orders', rows })).body
      rowIds = [...rowIds, ...records.map(({ id }: { id: string }) => id)]
    }
    page = await app.newPage()
    grid = gridOn(page)
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  /** Opens the rows, smallest total first. */
  async function open(query = '', row = '') {
    const parameters = new URLSearchParams(`sort=total&direction=asc&${query}`)
    await page.goto(`${app.server.url}/app/records/${orders}${row}?${parameters}`)
    await page.waitForSelector('tr:not([aria-busy]) :is(td[data-row], .row-card)')
  }
  /** Phones show rows as cards. */
  const showsCard = (place: number, title: string) =>
    untilTextIs(page, `tr[aria-rowindex="${place + 2}"] .row-card b`, title)
  const untilAt = (pattern: RegExp) =>
    untilAddress(page, ({ href }) => pattern.test(decodeURIComponent(href)))
  /** Returns the number of the first visible row. */
  const firstSeen = async () =>
    Number(
      await page.$eval('.foot [role=status]', ({ textContent }) =>
        /Rows ([\d,]+)/.exec(textContent ?? '')?.[1]?.replace(',', ''),
      ),
    )

  test(
    'opens the target of a reference from its cell, and returns to the same cell',
    async () => {
      await open()
      await fill(page, 'Go to row', '900')
      await page.keyboard.press('Enter')
      await grid.shows(899, 2, 'Ada')
      await untilAt(/cell=900\.ref/)
      await (await page.waitForSelector(`${cell(899, 2)} a`))?.click()
      await untilAt(new RegExp(`/records/${customers}/`))
      await untilTextIs(page, '.side h2', 'Ada')
      await page.goBack()
      await grid.shows(899, 3, 'The long story')
      await (await page.waitForSelector(`${cell(899, 3)} a`))?.click()
      await untilAt(new RegExp(`/notes/${note}`))
      await page.goBack()
      await grid.shows(899, 1, 'R900')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'opens the target of a reference with the keyboard alone',
    async () => {
      await open()
      await focusCell(page, 4, 2)
      await page.keyboard.press('Space')
      await untilOneIs(page, '.side small a', 'Ada')
      await page.focus('.side small a')
      await page.keyboard.press('Enter')
      await untilAt(new RegExp(`/records/${customers}/`))
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'keeps a half-typed reference when the page is refreshed on return',
    async () => {
      await open('', `/${rowIds[5]}`)
      await untilValue(page, '#value-customer', 'Ada')
      await page.click('#value-customer', { count: 3 })
      await page.keyboard.type('Ad')
      const readAgain = page.waitForResponse((response) =>
        decodeURIComponent(response.url()).includes('"op":"in"'),
      )
      await page.evaluate(() => {
        for (const value of [true, false]) {
          Object.defineProperty(document, 'hidden', { value, configurable: true })
          document.dispatchEvent(new Event('visibilitychange'))
        }
      })
      await readAgain
      await page.keyboard.type('a')
      expect(await page.$eval('#value-customer:focus', (field) => (field as HTMLInputElement).value)).toBe(
        'Ada',
      )
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'keeps the cell in the address, also after a reload',
    async () => {
      await open()
      await focusCell(page, 3, 4)
      await untilAt(/cell=4\.day/)
      await page.$eval('.scroll', (scroller) => {
        scroller.scrollTop = 20_000
      })
      await untilAt(/at=\d{3}/)
      const seen = await firstSeen()
      expect(seen).toBeGreaterThan(500)
      expect(new URL(page.url()).searchParams.get('at')).toBe(String(seen))
      await page.reload()
      await grid.shows(seen - 1, 1, `R${seen}`)
      expect(await firstSeen()).toBe(seen)
      expect(new URL(page.url()).searchParams.get('at')).toBe(String(seen))
      // The cursor is elsewhere; the keyboard focus moves to the visible rows.
      await page.waitForSelector(`${cell(seen - 1, 4)}[tabindex="0"]`)
      await page.$eval('.scroll', (scroller) => {
        scroller.scrollTop = 0
      })
      await page.waitForSelector(`${cell(3, 4)}[tabindex="0"]`)
      await untilAt(/^(?!.*at=)/)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'opens the row of an address, also on a phone and beyond the last',
    async () => {
      await page.setViewport({ width: 360, height: 800 })
      await open('at=700')
      await showsCard(699, 'R700')
      expect(await firstSeen()).toBe(700)
      await open('at=5000')
      await showsCard(ROWS - 1, `R${ROWS}`)
      await page.setViewport({ width: 1280, height: 800 })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'can be sorted on a phone, which has no headings',
    async () => {
      await page.setViewport({ width: 360, height: 800 })
      await page.goto(`${app.server.url}/app/records/${orders}`)
      await showsCard(0, 'R1')
      const order = await fieldOf(page, 'Sort rows')
      expect(await order.isVisible()).toBeTrue()
      await page.select('select[aria-label="Sort rows"]', 'Total largest first')
      await showsCard(0, `R${ROWS}`)
      await page.reload()
      await showsCard(0, `R${ROWS}`)
      await page.setViewport({ width: 1280, height: 800 })
    },
    BROWSER_TIMEOUT_MS,
  )

  test.each([
    ['between phone and desk', 900],
    ['on a phone', 360],
  ])(
    'leads from one table to another %s',
    async (_, width) => {
      await page.setViewport({ width, height: 800 })
      await open()
      await clickOn(page, 'All tables')
      const link = await page.waitForFunction(() =>
        [...document.querySelectorAll('main a')].find(
          (one) => one.textContent.startsWith('Customers') && one.checkVisibility(),
        ),
      )
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width, height: 800 })
      if (width === 900) await page.$eval('#other-structures', (menu) => (menu as HTMLElement).showPopover())
      await (link.asElement() as ElementHandle | null)?.click()
      await (width === 900 ? grid.shows(0, 1, 'Ada') : showsCard(0, 'Ada'))
      await page.setViewport({ width: 1280, height: 800 })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'states which of many bars a chart draws, and shows every figure in its table',
    async () => {
      await open('chart=count&by=day:day')
      await page.waitForSelector('.uplot')
      await grid.has('Not shown: 100 without a date')
      await clickOn(page, `Showing the last 120 of ${DAYS} days. Show all as table`)
      await clickOn(page, 'Show 165 more')
      const lines = () =>
        page.$$eval('.numbers tbody tr', (rows) =>
          rows.map(({ cells }) => [...cells].map(({ textContent }) => textContent)),
        )
      await untilCount(page, '.numbers tbody tr', DAYS + 1)
      const all = await lines()
      expect(all[0]).toEqual([dayOf(0), '4'])
      expect(all.at(-2)).toEqual([dayOf(DAYS - 1), '3'])
      expect(all.at(-1)).toEqual(['no date', '100'])
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1280, height: 800 })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'names in a chart the rows that a field refers to',
    async () => {
      await open('chart=count&by=value:customer')
      await clickOn(page, 'Show as table')
      await untilTextIs(page, '.numbers tbody', `Ada${new Intl.NumberFormat('en-US').format(ROWS)}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows the whole history of a row, however long',
    async () => {
      const [id] = rowIds
      const rows = Array.from({ length: 230 }, (_, at) => ({ data: { ref: 'R1', total: at + 1 } }))
      await app.server.post('/v1/records', { structure: 'Orders', rows, on_conflict: 'update' })
      await open('tab=history', `/${id}`)
      await grid.has('229→230')
      for (const oldest of ['130→131', '30→31']) {
        await grid.has(oldest)
        expect(await page.$eval('.side', ({ textContent }) => textContent)).not.toContain('complete history')
        await clickOn(page, 'Show older')
      }
      await grid.has('This is the complete history.')
      const said = await page.$$eval('.ledger .item', (items) =>
        items.map(({ textContent }) => textContent ?? ''),
      )
      expect(said).toHaveLength(231)
      expect(said.at(-2)).toContain('0→1')
      expect(said.at(-1)).toContain('Created')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'resolves a typed reference by name, and lists the candidates if several match',
    async () => {
      const add = async (name: string): Promise<string> =>
        (await app.server.post('/v1/records', { structure: 'Customers', data: { name } })).body.records[0].id
      const grace = await add('Grace Hopper')
      const twins = [await add('Jo Twin'), await add('Jo Twin')]
      const newRow = async (ref: string, customer: string) => {
        await open('pane=new')
        await page.waitForSelector('#value-ref:focus')
        await fill(page, 'Ref', ref)
        await fill(page, 'Customer', customer)
        await clickOn(page, 'Add row')
      }
      const customerOf = async (ref: string) => {
        const filter = encodeURIComponent(JSON.stringify([{ field: 'ref', op: 'eq', value: ref }]))
        const { records } = (await app.server.get(`/v1/records?structure=Orders&filter=${filter}`)).body
        return records[0]?.data.customer
      }
      await newRow('by name', 'grace')
      await untilGone(page, '.side')
      expect(await customerOf('by name')).toBe(grace)

      await newRow('of two', 'jo twin')
      await page.waitForSelector('#value-customer[aria-invalid=true]')
      const why = await page.$eval('#value-customer-why', ({ textContent }) => textContent ?? '')
      expect(why).toStartWith('Several entries match “jo twin”. Select one from the list: “Jo Twin (…')
      expect(await contentOf(page, 'Customer')).toBe('jo twin')
      await fill(page, 'Customer', `Jo Twin (…${twins[1]?.slice(-6)})`)
      await clickOn(page, 'Add row')
      await untilGone(page, '.side')
      expect(await customerOf('of two')).toBe(twins[1])

      await open('', `/${rowIds[7]}`)
      await untilValueStarts(page, '#value-customer', 'Ada')
      await fill(page, 'Customer', 'nobody')
      await page.keyboard.press('Tab')
      await page.waitForSelector('#value-customer[aria-invalid=true]')
      await fill(page, 'Customer', 'hopper')
      await page.keyboard.press('Tab')
      await untilValue(page, '#value-customer', 'Grace Hopper')
      // The name is visible while its save is in flight.
      await untilNoTextIn(page, '.side', 'Saving…')
      expect(await customerOf('R8')).toBe(grace)
    },
    BROWSER_TIMEOUT_MS,
  )

  test('has no error on the console', () => {
    expect(app.problems).toEqual([])
  })
})
