import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, press as clickOn, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { cell, focusCell, type GridPage, gridOn } from '../support/grid.ts'
import { daybook, newFolder } from '../support/process.ts'
import { untilAddress, untilCount, untilGone, untilNoTextIn } from '../support/waits.ts'

const FIELDS = [
  { key: 'ref', type: 'text', label: 'Ref', required: true, unique: true },
  { key: 'bike', type: 'text', label: 'Bike' },
  { key: 'status', type: 'select', label: 'Status', options: ['in repair', 'ready'] },
  { key: 'due', type: 'date', label: 'Due' },
  { key: 'total', type: 'number', label: 'Total', min: 0 },
]
const ROWS = 1_200

interface Stored {
  readonly id: string
  readonly data: Record<string, unknown>
}

describe.skipIf(!hasBrowser)('the records screen', () => {
  let app: Application
  let page: Page
  let grid: GridPage
  let orders: string

  beforeAll(async () => {
    app = await startApplication()
    const { server } = app
    const made = await server.post('/v1/records/structures', { name: 'Orders', fields: FIELDS })
    orders = made.body.structure.id
    for (let start = 0; start < ROWS; start += 400)
      await server.post('/v1/records', {
        structure: 'Orders',
        rows: Array.from({ length: 400 }, (_, place) => ({ data: orderOf(start + place) })),
      })
    page = await app.newPage()
    grid = gridOn(page)
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const orderOf = (number: number) => ({
    ref: `R${number + 1}`,
    bike: `Bike ${number % 7}`,
    status: number % 2 === 0 ? 'in repair' : 'ready',
    total: number,
  })
  /** Returns the row with this Ref, as stored on the server. */
  const stored = async (ref: string): Promise<Stored | undefined> => {
    const filter = encodeURIComponent(JSON.stringify([{ field: 'ref', op: 'eq', value: ref }]))
    return (await app.server.get(`/v1/records?structure=Orders&filter=${filter}`)).body.records[0]
  }
  async function open(query = '', part = '') {
    await page.goto(`${app.server.url}/app/records/${orders}${part}${query}`)
    await page.waitForSelector(part === '/structure' ? '.definition' : cell(0, 1))
  }
  const openSorted = async () => {
    await open('?sort=total&direction=asc')
    await grid.shows(0, 1, 'R1')
  }
  test(
    'edits a cell and undoes it with the keyboard alone',
    async () => {
      await openSorted()
      await focusCell(page, 0, 1)
      await grid.press('ArrowDown', 'ArrowRight', 'Enter')
      await page.waitForSelector('.input.cell:focus')
      await page.keyboard.type('Tandem')
      await grid.press('Enter')
      await grid.shows(1, 2, 'Tandem')
      await grid.saved()
      expect((await stored('R2'))?.data.bike).toBe('Tandem')
      await grid.withControl('z')
      await grid.shows(1, 2, 'Bike 1')
      await grid.saved()
      expect((await stored('R2'))?.data.bike).toBe('Bike 1')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'opens rows by keyboard, and goes to the last one',
    async () => {
      await openSorted()
      await focusCell(page, 0, 1)
      await grid.withControl('End')
      await grid.shows(ROWS - 1, 1, `R${ROWS}`)
      await page.waitForSelector(`${cell(ROWS - 1, 5)}:focus`)
      await grid.press('Space')
      await page.waitForSelector('.side h2')
      expect(page.url()).toContain((await stored(`R${ROWS}`))?.id ?? 'a row')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows a refusal at its cell, with the stored value',
    async () => {
      await openSorted()
      await focusCell(page, 2, 5)
      await page.keyboard.type('-40')
      await grid.press('Enter')
      await page.waitForSelector(`${cell(2, 5)}[aria-invalid="true"]`)
      const why = await page.$eval('.note-row .why', ({ textContent }) => textContent ?? '')
      expect(why).toMatch(/at least 0.* The stored value is 2\.$/)
      expect((await stored('R3'))?.data.total).toBe(2)
      await grid.press('Escape')
      await grid.shows(2, 5, '2')
      expect(await page.$('.note-row')).toBeNull()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'Delete clears the block and Ctrl D fills it with its first row; one undo reverts either',
    async () => {
      await openSorted()
      await focusCell(page, 10, 2)
      await page.keyboard.down('Shift')
      await grid.press('ArrowDown', 'ArrowDown')
      await page.keyboard.up('Shift')
      const bikes = async () =>
        Promise.all(['R11', 'R12', 'R13'].map(async (ref) => (await stored(ref))?.data.bike))
      await grid.press('Delete')
      await grid.shows(10, 2, '')
      await grid.shows(12, 2, '')
      await grid.saved()
      expect(await bikes()).toEqual([undefined, undefined, undefined])
      await grid.withControl('z')
      await grid.shows(12, 2, 'Bike 5')
      await grid.saved()
      expect(await bikes()).toEqual(['Bike 3', 'Bike 4', 'Bike 5'])
      await grid.withControl('d')
      await grid.shows(12, 2, 'Bike 3')
      await grid.saved()
      expect(await bikes()).toEqual(['Bike 3', 'Bike 3', 'Bike 3'])
      await grid.withControl('z')
      await grid.shows(12, 2, 'Bike 5')
      await grid.saved()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'rows selected by keys and checkboxes are changed or deleted together, each as one transaction',
    async () => {
      const transactions = async () =>
        (await app.server.get('/v1/changes/transactions?kinds=record&limit=2')).body.transactions.map(
          ({ counts }: { counts: { op: string; n: number }[] }) =>
            counts.map(({ op, n }) => `${op} ${n}`).join(),
        )
      await openSorted()
      await focusCell(page, 20, 2)
      await page.keyboard.down('Shift')
      await grid.press('ArrowDown', 'Space')
      await page.keyboard.up('Shift')
      await grid.has('2 selected')
      await page.locator('input[aria-label="Select row 30"]').click()
      await grid.has('3 selected')
      expect(await accessibilityProblems(page, [[1280, 'light']])).toEqual([])
      await clickOn(page, 'Set a field…')
      await page.select('#bulk-field', 'bike')
      await page.type('#value-bike', 'Chosen')
      await clickOn(page, 'Set in 3 rows')
      await grid.shows(29, 2, 'Chosen')
      await grid.hasNot('3 selected')
      await grid.has('3 rows changed.')
      expect((await transactions())[0]).toBe('updated 3')
      for (const ref of ['R21', 'R22', 'R30']) expect((await stored(ref))?.data.bike).toBe('Chosen')
      await focusCell(page, 20, 2)
      await grid.withControl('z')
      await grid.shows(29, 2, 'Bike 1')
      await grid.hasNot('3 rows changed.')
      await focusCell(page, 12, 2)
      await grid.press('Delete')
      await grid.shows(12, 2, '')
      await grid.saved()
      await page.keyboard.down('Shift')
      await grid.press('Space')
      await page.keyboard.up('Shift')
      await clickOn(page, 'Select all 1,200 rows')
      await grid.has('1,200 selected')
      await clickOn(page, 'Delete 1,200 rows')
      await grid.has('1,200 rows deleted.')
      await grid.has('No rows yet.')
      expect(await transactions()).toEqual(['deleted 200', 'deleted 1000'])
      await clickOn(page, 'Restore')
      await grid.shows(0, 1, 'R1')
      expect((await app.server.get('/v1/records?structure=Orders&limit=1')).body.total).toBe(ROWS)
      // Undo skips restored values and continues with earlier edits.
      await focusCell(page, 20, 2)
      await grid.withControl('z')
      await grid.shows(12, 2, 'Bike 5')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'columns of a wide table are readable at any width, and are resized permanently by keys and by dragging',
    async () => {
      const fields = Array.from({ length: 16 }, (_, at) => ({
        key: `f${at}`,
        type: at % 3 === 0 ? 'text' : 'number',
        label: `Column ${at}`,
      }))
      const { body } = await app.server.post('/v1/records/structures', { name: 'Wide', fields })
      await app.server.post('/v1/records', { structure: 'Wide', data: { f0: 'Some title of a film', f1: 1 } })
      const widths = () =>
        page.$$eval('.grid thead th', (heads) => heads.map(({ offsetWidth }) => offsetWidth))
      for (const width of [1280, 768]) {
        await page.setViewport({ width, height: 800 })
        await page.goto(`${app.server.url}/app/records/${body.structure.id}`)
        await page.waitForSelector(cell(0, 1))
        expect(Math.min(...((await widths()) as number[]).slice(1))).toBeGreaterThanOrEqual(100)
        const isWhole = await page.$eval(cell(0, 1), (one) => one.scrollWidth <= one.clientWidth)
        expect(isWhole).toBe(true)
      }
      await page.$eval('.grid section, section.scroll', (scroller) => scroller.scrollBy(900, 0))
      const left = await page.$eval(cell(0, 1), (one) => one.getBoundingClientRect().left)
      expect(left).toBeLessThan(120)
      await page.focus('.resizer[aria-label="Width of Column 0"]')
      await grid.press('ArrowRight', 'ArrowRight')
      const [, wider] = (await widths()) as number[]
      expect(wider).toBe(232)
      await page.reload()
      await page.waitForSelector(cell(0, 1))
      expect(((await widths()) as number[])[1]).toBe(232)
      await page.setViewport({ width: 1280, height: 800 })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows both values when another user changed the edited cell',
    async () => {
      await openSorted()
      const row = await stored('R5')
      await focusCell(page, 4, 2)
      await grid.press('Enter')
      await page.waitForSelector('.input.cell:focus')
      await page.keyboard.type('Mine')
      await app.server.patch(`/v1/records/${row?.id}`, { data: { bike: 'Theirs', total: 4.5 } })
      await grid.shows(4, 5, '4.5')
      await grid.press('Enter')
      await grid.has('Someone else changed Bike to Theirs. You entered Mine.')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1280, height: 800 })
      expect((await stored('R5'))?.data.bike).toBe('Theirs')
      await clickOn(page, 'Use Mine')
      await grid.shows(4, 2, 'Mine')
      await grid.saved()
      expect((await stored('R5'))?.data.bike).toBe('Mine')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows an edit by the API in the open grid at any scroll position',
    async () => {
      await open('?sort=total&direction=asc')
      await app.server.patch(`/v1/records/${(await stored('R1'))?.id}`, { data: { bike: 'Seen at the top' } })
      await grid.shows(0, 2, 'Seen at the top')
      await focusCell(page, 0, 1)
      await grid.withControl('End')
      await grid.shows(ROWS - 2, 1, `R${ROWS - 1}`)
      const { id } = (await stored(`R${ROWS - 1}`)) ?? {}
      await app.server.patch(`/v1/records/${id}`, { data: { bike: 'Seen at the end' } })
      await grid.shows(ROWS - 2, 2, 'Seen at the end')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'sorts and filters by clicking, and keeps both in the address',
    async () => {
      await open()
      await clickOn(page, 'Total')
      await grid.shows(0, 1, 'R1')
      await clickOn(page, 'Total')
      await grid.shows(0, 1, `R${ROWS}`)
      await clickOn(page, 'Filter')
      await page.waitForSelector('#new-filter:popover-open')
      await clickOn(page, 'Status')
      await page.waitForSelector('#filter-0 [value="in repair"]')
      await page.click('#filter-0 [value="in repair"]')
      await grid.has(`of ${new Intl.NumberFormat('en-US').format(ROWS / 2)}`)
      await page.reload()
      await grid.shows(0, 1, `R${ROWS - 1}`)
      await clickOn(page, 'Remove filter: Status')
      await grid.shows(0, 1, `R${ROWS}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'writes a pasted block as one batch, or nothing of it',
    async () => {
      await openSorted()
      const before = (await app.server.get('/v1/records?structure=Orders&limit=1')).body.total
      await focusCell(page, 0, 1)
      await grid.paste('P1\tCargo\nR7\tRoad')
      await clickOn(page, 'Add as 2 new rows')
      await grid.has('Nothing was changed')
      expect((await app.server.get('/v1/records?structure=Orders&limit=1')).body.total).toBe(before)
      await clickOn(page, 'Cancel')
      await focusCell(page, 0, 1)
      await grid.paste('P1\tCargo\nP2\t"Road, ""54"""')
      await clickOn(page, 'Add as 2 new rows')
      await untilNoTextIn(page, 'main', 'cells, starting at')
      expect((await stored('P2'))?.data).toEqual({ ref: 'P2', bike: 'Road, "54"' })
      const feed = (await app.server.get('/v1/changes?before=now&limit=2')).body.changes
      expect(new Set(feed.map(({ transaction }: { transaction: string }) => transaction)).size).toBe(1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'deletes and restores a row',
    async () => {
      const { id } = (await stored('R9')) ?? {}
      await open('', `/${id}`)
      await clickOn(page, 'Delete')
      await grid.has('Row deleted.')
      expect(await stored('R9')).toBeUndefined()
      await clickOn(page, 'Restore')
      await untilNoTextIn(page, 'main', ' deleted.')
      expect((await stored('R9'))?.id).toBe(id)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'lists the deleted rows, and restores one of them',
    async () => {
      const { id } = (await stored('R13')) ?? {}
      await app.server.delete(`/v1/records/${id}`)
      await open('?pane=deleted')
      await clickOn(page, 'Restore R13')
      await grid.has('Rows you delete appear here')
      expect((await stored('R13'))?.id).toBe(id)
      await app.server.delete(`/v1/records/${id}`)
      await grid.has('1 to 1 of 1')
      expect(await accessibilityProblems(page)).toEqual([])
      await app.server.post(`/v1/records/${id}/restore`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows who changed a row, and restores an older version',
    async () => {
      const { id } = (await stored('R11')) ?? {}
      await app.server.patch(`/v1/records/${id}`, { data: { bike: 'Unicycle' } })
      await open('?tab=history', `/${id}`)
      await grid.has('Bike 3→Unicycle')
      await clickOn(page, 'Restore this version')
      await grid.has('Unicycle→Bike 3')
      expect((await stored('R11'))?.data.bike).toBe('Bike 3')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'imports a csv file, and lists refused rows',
    async () => {
      const csv = [
        'Ref,Total,Bike,Ignored',
        'C1,5,City,x',
        'R1,6,Road,x',
        'C2,many,Road,x',
        'C3,-1,Road,x',
        'C4,8,"Long, tail",x',
      ]
      const folder = newFolder()
      await Bun.write(folder.file('orders.csv'), csv.join('\n'))
      await open('?pane=import')
      await (await page.waitForSelector<'input[type=file]'>('input[type=file]'))?.uploadFile(
        folder.file('orders.csv'),
      )
      await page.waitForSelector('.mapping')
      await clickOn(page, 'Import')
      await grid.has('Done. 2 new, 3 refused.')
      await untilCount(page, '.refused tbody .margin', 3)
      const lines = await page.$$eval('.refused tbody .margin', (cells) =>
        cells.map(({ textContent }) => textContent),
      )
      expect(lines.toSorted()).toEqual(['3', '4', '5'])
      expect((await stored('C4'))?.data).toEqual({ ref: 'C4', total: 8, bike: 'Long, tail' })
      expect(await stored('C3')).toBeUndefined()
      folder.remove()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'creates a table, previews which changes are refused, and deletes it when its name is typed',
    async () => {
      await page.goto(`${app.server.url}/app/records/new`)
      await clickOn(page, 'Set up fields and rules first')
      await page.waitForSelector('.definition')
      await page.type('input[name=name]', 'Parts')
      await page.type('.definition input[name^=label]', 'Part number')
      await clickOn(page, 'Create table')
      await untilAddress(page, ({ pathname }) => /records\/[\w-]{36}$/.test(pathname))
      const { structures } = (await app.server.get('/v1/records/structures')).body
      const parts = structures.find(({ name }: { name: string }) => name === 'Parts')
      expect(parts.fields).toMatchObject([{ key: 'part_number', label: 'Part number', type: 'text' }])
      const rows = [{ data: { part_number: 'A' } }, { data: { part_number: 'A' } }]
      await app.server.post('/v1/records', { structure: 'Parts', rows })
      await page.goto(`${app.server.url}/app/records/${parts.id}/structure`)
      await page.waitForSelector('.flags input')
      await page.locator('.flags label:nth-child(2) input').click()
      await grid.has('The field "part_number" cannot become unique while rows collide')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1280, height: 800 })
      await clickOn(page, 'Delete Parts…')
      await page.waitForSelector('dialog:modal input:focus')
      await page.keyboard.type('Part')
      await grid.press('Enter')
      expect((await app.server.get(`/v1/records/structures/${parts.id}`)).status).toBe(200)
      await page.keyboard.type('s')
      await grid.press('Enter')
      await untilNoTextIn(page, '.rail', 'Parts')
      expect((await app.server.get(`/v1/records/structures/${parts.id}`)).status).toBe(404)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'writes a new row from its form, and shows errors at their fields',
    async () => {
      await open('?pane=new')
      await page.waitForSelector('#value-ref:focus')
      await grid.press('Tab')
      await page.keyboard.type('Recumbent')
      await clickOn(page, 'Add row')
      await page.waitForSelector('#value-ref[aria-invalid="true"]:focus')
      await page.keyboard.type('N1')
      await clickOn(page, 'Add row')
      await untilGone(page, '.side')
      expect((await stored('N1'))?.data).toEqual({ ref: 'N1', bike: 'Recumbent' })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'offers a viewer no changes of rows or tables',
    async () => {
      await daybook(['users', 'add', 'Vera', '--role', 'viewer', '--db', app.file])
      const viewer = await app.newPage()
      await app.signIn(viewer, 'Vera')
      await viewer.goto(`${app.server.url}/app/records/${orders}?sort=total&direction=asc`)
      await viewer.waitForSelector(cell(0, 1))
      await viewer.focus(cell(0, 1))
      await viewer.keyboard.press('Enter')
      await viewer.keyboard.type('x')
      await viewer.keyboard.press('Delete')
      expect(await viewer.$('.input.cell')).toBeNull()
      const words = await viewer.$eval('body', ({ textContent }) => textContent ?? '')
      for (const word of ['New row', 'New table', 'Import CSV', 'Ctrl V']) expect(words).not.toContain(word)
      await viewer.keyboard.press('Space')
      await viewer.waitForSelector('.side .facts')
      expect(await viewer.$('.side input, .side textarea, .side select')).toBeNull()
      await viewer.goto(`${app.server.url}/app/records/${orders}/structure`)
      await viewer.waitForSelector('main table')
      expect(await viewer.$('main form')).toBeNull()
      expect((await stored('R1'))?.data.ref).toBe('R1')
    },
    BROWSER_TIMEOUT_MS,
  )

  test('has no error on the console, and contacts no other host', () => {
    expect(app.problems).toEqual([])
  })
})
