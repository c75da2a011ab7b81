import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS, untilStill } from '../support/application.ts'
import {
  type Application,
  fill,
  press,
  startApplication,
  until,
  untilNoText,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { setOffline } from '../support/offline.ts'
import { choose } from '../support/page-acts.ts'
import { untilAddress, untilCount, untilFocused, untilGone, untilTextIs } from '../support/waits.ts'

/** The group headings by state, and whether the groups are open. */
const GROUPS = [
  ['2New, 2 rows', 'true'],
  ['1Drying, 1 row', 'true'],
  ['1Sent, 1 row', 'true'],
  ['1Not set, 1 row', 'true'],
]

describe.skipIf(!hasBrowser)('table views in a browser', () => {
  let app: Application
  let page: Page
  let structure: string

  const rows = async (query = '') => (await app.server.get(`/v1/records?structure=Orders${query}`)).body
  const row = async (title: string) =>
    (await rows(`&search=${encodeURIComponent(title)}`)).records[0] as {
      id: string
      data: Record<string, string>
    }
  const views = async () => (await app.server.get('/v1/records/views')).body.row_views
  const dragTo = async (from: string, to: string) => {
    const middle = async (selector: string) => {
      const box = await (await page.waitForSelector(selector))?.boundingBox()
      if (!box) throw new Error(`${selector} is not seen`)
      return [box.x + box.width / 2, box.y + Math.min(20, box.height / 2)] as const
    }
    await page.waitForSelector(from)
    // Content that loads above it would move it away from the mouse.
    await untilStill(page)
    const [x, y] = await middle(from)
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 12, y + 12)
    await page.waitForSelector('.lifted')
    const [toX, toY] = await middle(to)
    await page.mouse.move(toX, toY + 30, { steps: 5 })
  }
  const control = async (key: 'ArrowRight' | 'ArrowLeft' | 'ArrowDown' | 'z') => {
    await page.keyboard.down('Control')
    await page.keyboard.press(key)
    await page.keyboard.up('Control')
  }
  const stateOf = async (title: string) => (await row(title)).data.state

  beforeAll(async () => {
    app = await startApplication()
    const made = await app.server.post('/v1/records/structures', {
      name: 'Orders',
      fields: [
        { key: 'what', type: 'text', label: 'What' },
        { key: 'state', type: 'select', label: 'State', options: ['New', 'Drying', 'Sent'] },
        { key: 'due', type: 'date', label: 'Due' },
        { key: 'price', type: 'text', label: 'Price' },
      ],
    })
    structure = made.body.structure.id
    const month = new Date().toISOString().slice(0, 8)
    const orders = ['Bowls', 'Cups', 'Plates', 'Vases', 'Tiles'].map((what, at) => ({
      data: {
        what,
        state: ['New', 'New', 'Drying', 'Sent', null][at],
        due: at < 4 ? `${month}1${at}` : null,
        price: at === 2 ? 'ask' : String(at * 10),
      },
    }))
    await app.server.post('/v1/records', { structure: 'Orders', rows: orders })
    page = await app.newPage({ width: 1440 })
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'filters and an order are saved as a view, followed by its address, changed, locked and deleted',
    async () => {
      await page.goto(`${app.server.url}/app/records/${structure}?q=s&sort=what&direction=asc`)
      await untilText(page, 'Vases')
      await press(page, 'New view')
      await fill(page, 'Name', 'With an s')
      await press(page, 'Create view')
      await untilTextIn(page, '.row-tabs [aria-current]', 'With an s')
      const [view] = await views()
      expect(view).toMatchObject({
        name: 'With an s',
        search: 's',
        sort: 'what',
        direction: 'asc',
        kind: 'table',
      })
      await page.goto(`${app.server.url}/app/records/${structure}?view=${view.id}`)
      await untilAddress(page, ({ search }) => search.includes('q=s'))
      await page.goto(`${app.server.url}/app/records/${structure}?view=${view.id}&q=Cups`)
      await press(page, 'Save in “With an s”')
      await until(async () => (await views())[0].search === 'Cups')
      expect((await views())[0].sort).toBeNull()
      await press(page, 'Columns')
      await page.waitForSelector('#columns-menu input')
      await page.click('#columns-menu label:has(input:checked) input')
      await untilCount(page, '.grid th', 4)
      await page.keyboard.press('Escape')
      await press(page, 'Save in “With an s”')
      await until(async () => (await views())[0].columns?.length === 3)
      await app.server.patch(`/v1/records/views/${view.id}`, { search: 'Plates' })
      await untilAddress(page, ({ search }) => search.includes('q=Plates'))
      await press(page, 'Actions for With an s')
      await press(page, 'Lock')
      await until(async () => (await views())[0].locked)
      await untilText(page, ', locked')
      expect(await accessibilityProblems(page)).toEqual([])
      await press(page, 'Actions for With an s')
      await press(page, 'Unlock')
      await until(async () => !(await views())[0].locked)
      await untilNoText(page, ', locked')
      await press(page, 'Actions for With an s')
      await press(page, 'Delete view')
      await untilTextIn(page, 'dialog:modal', 'The rows stay.')
      await press(page, 'Delete view')
      await until(async () => (await views()).length === 0)
      await untilTextIn(page, '.row-tabs [aria-current]', 'All rows')
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'rows of a view are grouped, folded by mouse and keys, and filled by dragging a corner',
    async () => {
      await app.server.post('/v1/records/views', { structure, name: 'Grouped', group_by: 'state' })
      const grouped = (await views())[0].id
      const groups = () =>
        page.$$eval('tr.group', (all) =>
          all.map(({ textContent, ariaExpanded }) => [textContent, ariaExpanded]),
        )
      const titles = () =>
        page.$$eval('tbody tr:not(.group, .space) td[data-column="1"]', (all) =>
          all.map(({ textContent }) => textContent),
        )
      const untilTitles = (count: number) =>
        untilCount(page, 'tbody tr:not(.group, .space, [aria-busy]) td[data-column="1"]', count)
      await page.goto(`${app.server.url}/app/records/${structure}?view=${grouped}`)
      await page.waitForSelector('tr.group')
      await untilTitles(5)
      expect(await groups()).toEqual(GROUPS)
      expect(await accessibilityProblems(page)).toEqual([])
      const all = await titles()
      await page.click('tr.group .group-name')
      await untilTitles(3)
      expect(await titles()).toEqual(all.slice(2))
      await page.focus('tr.group [tabindex="0"]')
      await page.keyboard.press('ArrowRight')
      await untilTitles(5)
      await page.keyboard.press('ArrowLeft')
      await untilTitles(3)
      await page.reload()
      await untilTitles(3)
      await page.click('tr.group .group-name')
      await untilTitles(5)
      // Another user moves a row to another group.
      const moved = await row(all[0] ?? '')
      await app.server.patch(`/v1/records/${moved.id}`, { data: { state: 'Sent' } })
      await untilTextIs(page, 'tr.group .margin', '1')
      await app.server.patch(`/v1/records/${moved.id}`, { data: { state: 'New' } })
      await untilTextIs(page, 'tr.group .margin', '2')
      await untilTitles(5)
      // The price of the first row, dragged over the next group.
      await page.click('[data-row="1"][data-column="4"]')
      const box = await (await page.waitForSelector('.fill-handle'))?.boundingBox()
      const target = await (await page.waitForSelector('[data-row="4"][data-column="4"]'))?.boundingBox()
      if (!box || !target) throw new Error('the corner is not seen')
      await page.mouse.move(box.x + 4, box.y + 4)
      await page.mouse.down()
      await page.mouse.move(box.x + 4, target.y + 10, { steps: 5 })
      await untilText(page, '3 cells selected')
      const prices = async () => {
        const { records } = await rows()
        return records.map(({ data }: { data: { price: string } }) => data.price)
      }
      const before = await prices()
      await page.mouse.up()
      const first = (await row((await titles())[0] ?? '')).data.price
      await until(async () => (await prices()).filter((price: string) => price === first).length === 3)
      await control('z')
      await until(async () => JSON.stringify(await prices()) === JSON.stringify(before))
      await app.server.delete(`/v1/records/views/${grouped}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a board is created, its cards are moved by mouse and keys and undone; changes of others appear',
    async () => {
      await page.goto(`${app.server.url}/app/records/${structure}`)
      await press(page, 'New view')
      await fill(page, 'Name', 'Workshop')
      await choose(page, 'Layout', 'board')
      await press(page, 'Create view')
      await page.waitForSelector('.board')
      await untilCount(page, '.column', 4)
      expect(await accessibilityProblems(page)).toEqual([])
      const [bowls, cups] = [await row('Bowls'), await row('Cups')]
      await dragTo(`#card-${bowls.id}`, '.column[data-drop="2"]')
      await page.mouse.up()
      await until(async () => (await stateOf('Bowls')) === 'Sent')
      await page.waitForSelector(`.column[data-drop="2"] #card-${bowls.id}`)
      expect(page.url()).not.toContain(bowls.id)
      await page.focus(`#card-${cups.id}`)
      await control('ArrowRight')
      await until(async () => (await stateOf('Cups')) === 'Drying')
      await page.waitForSelector(`.column[data-drop="1"] #card-${cups.id}`)
      await untilText(page, 'Cups moved to Drying.')
      await untilFocused(page, `#card-${cups.id}`)
      await control('z')
      await until(async () => (await stateOf('Cups')) === 'New')
      await app.server.patch(`/v1/records/${cups.id}`, { data: { state: null } })
      await page.waitForSelector(`.column[data-drop="3"] #card-${cups.id}`)
      await dragTo(`#card-${cups.id}`, '.column[data-drop="0"]')
      await page.keyboard.press('Escape')
      await page.mouse.up()
      await page.waitForSelector('.lifted', { hidden: true })
      expect(await stateOf('Cups')).toBeUndefined()
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a card that is moved without a network stays there, and is sent like an edited cell',
    async () => {
      const bowls = await row('Bowls')
      await setOffline(page, true)
      await page.focus(`#card-${bowls.id}`)
      await control('ArrowLeft')
      await page.waitForSelector(`.column[data-drop="1"] #card-${bowls.id}`)
      await untilText(page, 'Not saved. Will save when the server is back.')
      expect(await stateOf('Bowls')).toBe('Sent')
      await setOffline(page, false)
      await until(async () => (await stateOf('Bowls')) === 'Drying')
      await untilText(page, 'Bowls moved to Drying.')
      expect(await page.$(`.column[data-drop="1"] #card-${bowls.id}`)).not.toBeNull()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a calendar shows the month, and its rows are moved by mouse and keys',
    async () => {
      await page.goto(`${app.server.url}/app/records/${structure}`)
      await press(page, 'New view')
      await fill(page, 'Name', 'Due')
      await choose(page, 'Layout', 'calendar')
      await press(page, 'Create view')
      await page.waitForSelector('.calendar')
      await untilText(page, 'No date 1')
      expect(await accessibilityProblems(page)).toEqual([])
      const vases = await row('Vases')
      const month = vases.data.due?.slice(0, 8)
      const event = `.calendar [data-row-id="${vases.id}"]`
      await dragTo(event, `[data-drop="${month}20"]`)
      await page.mouse.up()
      await until(async () => (await row('Vases')).data.due === `${month}20`)
      await page.waitForSelector(`[data-drop="${month}20"] [data-row-id="${vases.id}"]`)
      // The row keeps the focus wherever it moves: by mouse, by another user, and by keyboard.
      await page.focus(event)
      const untilFocusedOn = (day: string) =>
        untilFocused(page, `${event}:is([data-drop="${month}${day}"] *)`)
      await app.server.patch(`/v1/records/${vases.id}`, { data: { due: `${month}22` } })
      await untilFocusedOn('22')
      // Twice, without waiting for the server.
      await control('ArrowLeft')
      await control('ArrowLeft')
      await untilFocusedOn('20')
      await control('ArrowRight')
      await untilFocusedOn('21')
      await until(async () => (await row('Vases')).data.due === `${month}21`)
      await page.keyboard.press('PageDown')
      await untilGone(page, event)
      await page.keyboard.press('PageUp')
      await untilFocusedOn('21')
      const tiles = await row('Tiles')
      await dragTo(`.undated [data-row-id="${tiles.id}"]`, `[data-drop="${month}05"]`)
      await page.mouse.up()
      await until(async () => (await row('Tiles')).data.due === `${month}05`)
      await untilNoText(page, 'No date')
      await press(page, 'Next month')
      await untilTextIn(page, '.foot [role=status]', '0 rows')
      await page.locator('.tools h3 ~ .button').click()
      await page.waitForSelector(event)
      await page.focus(event)
      await page.keyboard.press('w')
      await untilCount(page, '.cal-day', 7)
      expect(await accessibilityProblems(page)).toEqual([])
      await page.click('.segments input')
      await page.waitForSelector(event)
      await page.setViewport({ width: 390, height: 800 })
      await page.waitForSelector(event)
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1440, height: 800 })
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a calendar opens on the nearest month with rows, draws a span as one bar, and picks months by name',
    async () => {
      const { server } = app
      const { body } = await server.post('/v1/records/structures', {
        name: 'Trips',
        fields: [
          { key: 'what', type: 'text' },
          { key: 'from', type: 'date' },
          { key: 'to', type: 'date' },
        ],
      })
      const id = body.structure.id
      const trips = ['Alps', 'Bay', 'Cape', 'Dunes', 'Elba'].map((what) => ({
        data: { what, from: '2012-05-08', to: '2012-05-11' },
      }))
      await server.post('/v1/records', { structure: 'Trips', rows: trips })
      const view = await server.post('/v1/records/views', {
        structure: 'Trips',
        name: 'When',
        kind: 'calendar',
        date_field: 'from',
        end_field: 'to',
      })
      await page.setViewport({ width: 1440, height: 900 })
      await page.goto(`${server.url}/app/records/${id}?view=${view.body.row_view.id}`)
      await untilTextIn(page, '.tools h3', 'May 2012')
      await page.waitForSelector('.event')
      const bars = await page.$$eval('.event', (all) =>
        all.map((bar) => [
          bar.textContent,
          Math.round(
            bar.getBoundingClientRect().width / (bar.closest('.cal-day')?.getBoundingClientRect().width ?? 1),
          ),
        ]),
      )
      expect(bars).toEqual([
        ['Alps', 4],
        ['Bay', 4],
        ['Cape', 4],
      ])
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1440, height: 900 })
      await press(page, '2 more')
      await untilCount(page, '.whole-week .event', 5)
      await page.click('.segments input')
      await page.click('.tools h3 button')
      await untilFocused(page, '.month-picker:popover-open input')
      await page.keyboard.type('2013', { delay: 20 })
      await press(page, 'Jan')
      await untilTextIn(page, '.tools h3', 'January 2013')
      // The week of this Tuesday begins in the month before.
      await page.goto(`${server.url}/app/records/${id}?view=${view.body.row_view.id}&week=2012-05-01`)
      await page.waitForSelector('.whole-week')
      await page.click('.segments input')
      await untilTextIn(page, '.tools h3', 'May 2012')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a field is converted after a preview of invalid values; the table gets an icon',
    async () => {
      await page.goto(`${app.server.url}/app/records/${structure}/structure`)
      await press(page, 'Convert Price')
      await untilText(page, '1 cannot be converted')
      await untilTextIn(page, '.forecast', 'ask')
      expect(await accessibilityProblems(page)).toEqual([])
      await press(page, 'Convert')
      await until(async () => (await row('Cups')).data.price_new !== undefined)
      const fields = (await app.server.get('/v1/records/structures/Orders')).body.structure.fields
      expect(fields.at(-1)).toMatchObject({ key: 'price_new', type: 'number', label: 'Price' })
      await page.click('input[aria-label="cart"]')
      await page.click('input[aria-label="jade"]')
      await press(page, 'Save table')
      await until(
        async () => (await app.server.get('/v1/records/structures/Orders')).body.structure.icon === 'cart',
      )
      await page.waitForSelector('.rail .tile')
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
