import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { KeyInput, Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
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
import { cell, focusCell, gridOn } from '../support/grid.ts'
import { choose } from '../support/page-acts.ts'
import { send } from '../support/page-requests.ts'
import { newFolder } from '../support/process.ts'
import {
  untilAddress,
  untilCount,
  untilFocused,
  untilRead,
  untilTextIs,
  untilTexts,
  untilValue,
} from '../support/waits.ts'

const FIELDS = [
  { key: 'title', type: 'text', label: 'Title' },
  { key: 'state', type: 'select', label: 'State', options: ['New', 'Sent'] },
  { key: 'due', type: 'date', label: 'Due' },
  { key: 'price', type: 'number', label: 'Price' },
  { key: 'paid', type: 'bool', label: 'Paid' },
  { key: 'site', type: 'text', label: 'Site' },
]

describe.skipIf(!hasBrowser)('a table on a desktop', () => {
  let app: Application
  let page: Page
  let table: string

  const rows = async () =>
    (await app.server.get('/v1/records?structure=Orders&sort=title&direction=asc')).body
  const heads = () =>
    page.$$eval('.grid thead th .cut', (all) => all.map(({ textContent }) => textContent)) as Promise<
      string[]
    >
  const untilHeads = (...wanted: string[]) => untilTexts(page, '.grid thead th .cut', wanted)
  const open = async (query = '') => {
    await page.goto(`${app.server.url}/app/records/${table}?sort=title&direction=asc${query}`)
    await page.waitForSelector(cell(0, 1))
  }
  const alt = async (key: KeyInput) => {
    await page.keyboard.down('Alt')
    await page.keyboard.press(key)
    await page.keyboard.up('Alt')
  }

  beforeAll(async () => {
    app = await startApplication()
    const made = await app.server.post('/v1/records/structures', { name: 'Orders', fields: FIELDS })
    table = made.body.structure.id
    await app.server.post('/v1/records', {
      structure: 'Orders',
      rows: ['Bowls', 'Cups', 'Plates'].map((title, at) => ({
        data: {
          title,
          state: at === 0 ? 'New' : 'Sent',
          due: `2026-11-2${at}`,
          price: 1000 * (at + 1),
          paid: at === 1,
          site: 'https://www.example.test/pots/',
        },
      })),
    })
    page = await app.newPage({ width: 1440 })
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'columns are moved, frozen and hidden with keys alone, for this person, in every browser',
    async () => {
      await open()
      await press(page, 'Columns')
      await page.waitForSelector('#columns-menu input', { visible: true })
      const boxes = await page.$$eval('#columns-menu input', (all) =>
        all.map(
          (one) =>
            (one as unknown as { getBoundingClientRect(): { top: number } }).getBoundingClientRect().top,
        ),
      )
      expect(new Set(boxes).size).toBe(FIELDS.length)
      await page.keyboard.press('Escape')
      await page.focus('.grid thead th[data-drop=price] button')
      await alt('ArrowDown')
      await page.waitForSelector('#column-menu button:focus')
      await press(page, 'Move left')
      await untilHeads('Title', 'State', 'Price', 'Due', 'Paid', 'Site')
      await page.focus('.grid thead th[data-drop=state] button')
      await alt('ArrowDown')
      await press(page, 'Freeze up to here')
      await untilCount(page, '.grid thead .frozen', 2)
      await page.focus('.grid thead th[data-drop=paid] button')
      await alt('ArrowDown')
      await page.waitForSelector('#column-menu:popover-open')
      expect(await accessibilityProblems(page, [[1440, 'light']])).toEqual([])
      await press(page, 'Hide column')
      await untilHeads('Title', 'State', 'Price', 'Due', 'Site')
      const stored = async () => JSON.stringify((await send(page, 'GET', '/app/api/preferences')).body)
      await until(async () => /"frozen":2/.test(await stored()))
      await until(async () => (await stored()).includes('"price","due","site"'))

      const other = await app.newPage({ width: 1440 })
      await app.signIn(other)
      await other.goto(`${app.server.url}/app/records/${table}`)
      await untilCount(other, '.grid thead .frozen', 2)
      await untilCount(other, '.grid thead th', 6)
      await other.close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a column is moved by dragging its heading',
    async () => {
      await open('&columns=title,state,due,price,paid,site')
      const middle = async (key: string) => {
        const box = await (await page.$(`.grid thead th[data-drop=${key}] button`))?.boundingBox()
        return [(box?.x ?? 0) + 20, (box?.y ?? 0) + 8] as const
      }
      await page.mouse.move(...(await middle('site')))
      await page.mouse.down()
      await page.mouse.move(...(await middle('due')), { steps: 6 })
      await page.waitForSelector('th.over')
      await page.mouse.up()
      await untilHeads('Title', 'State', 'Site', 'Due', 'Price', 'Paid')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'cells show coloured choices, clickable checkboxes, links, and formatted dates',
    async () => {
      await open('&columns=title,state,due,price,paid,site')
      expect(await page.$eval(`${cell(0, 2)} .choice-chip`, ({ className }) => className)).toContain('hue-0')
      expect(await page.$eval(`${cell(1, 2)} .choice-chip`, ({ className }) => className)).toContain('hue-1')
      expect(await page.$eval(cell(0, 3), ({ textContent }) => textContent)).toBe('Nov 20, 2026')
      expect(await page.$eval(`${cell(0, 6)} a`, ({ textContent }) => textContent)).toBe('example.test/pots')
      await page.click(`${cell(0, 5)} input`)
      await until(async () => (await rows()).records[0].data.paid === true)
      await focusCell(page, 0, 3)
      await page.keyboard.press('Enter')
      const typed = await page.waitForSelector('.input.cell:focus')
      expect(await typed?.evaluate((one) => (one as { value?: string }).value)).toBe('2026-11-20')
      await page.keyboard.press('Escape')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the footer sums a column over the filtered rows, and offers other figures',
    async () => {
      await open('&columns=title,price')
      await untilTextIn(page, 'tfoot .number .figure', 'Sum 6,000')
      // Two columns share the remaining width; the margin does not grow with them.
      const widths = await page.$$eval('.grid thead th', (all) =>
        all.map((one) => (one as unknown as { offsetWidth: number }).offsetWidth),
      )
      expect(widths[0]).toBe(56)
      expect(widths.reduce((sum, one) => sum + one)).toBeGreaterThan(1000)
      await page.select('tfoot select[aria-label="Summary of Price"]', 'average')
      await untilTextIn(page, 'tfoot .number .figure', 'Average 2,000')
      await page.goto(
        `${app.server.url}/app/records/${table}?filter=${encodeURIComponent('[{"field":"state","op":"eq","value":"Sent"}]')}`,
      )
      await untilTextIn(page, 'tfoot', 'Average 2,500')
      await page.select('tfoot select[aria-label="Summary of Price"]', 'sum')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a filter condition is changed in its chip',
    async () => {
      await page.goto(
        `${app.server.url}/app/records/${table}?filter=${encodeURIComponent('[{"field":"state","op":"eq","value":"Sent"}]')}`,
      )
      await untilTextIn(page, '.bar small', '2 rows of 3')
      await page.click('.chip .what')
      await page.waitForSelector('#filter-0:popover-open [value=Sent]:checked')
      expect(await accessibilityProblems(page, [[1440, 'light']])).toEqual([])
      // Each tick acts at once; the counts leave out the filter itself.
      await untilTextIn(page, '#filter-0 .values', 'New1Sent2')
      await page.click('#filter-0 [value=New]')
      await untilTextIn(page, '.bar small', '3 rows of 3')
      await untilTextIn(page, '.chip', 'State is one of Sent, New')
      await page.click('#filter-0 [value=Sent]')
      await untilTextIn(page, '.bar small', '1 row of 3')
      await untilTextIn(page, '.chip', 'State is New')
      await page.keyboard.press('Escape')
      // A new filter is a chip at once, and a condition with its first value.
      await press(page, 'Filter')
      await page.waitForSelector('#new-filter:popover-open')
      await press(page, 'Price')
      await page.waitForSelector('#filter-1:popover-open [name=value]:focus')
      await page.select('#filter-1 [name=op]', 'lte')
      await page.focus('#filter-1 [name=value]')
      await page.keyboard.type('1.0')
      const price = '.chip + div + .chip'
      await untilTextIn(page, price, 'Price is at most 1')
      await untilTextIn(page, '.bar small', '0 rows of 3')
      // The text stays as it is typed.
      await page.keyboard.type('5')
      await untilTextIn(page, price, 'Price is at most 1.05')
      await page.keyboard.press('Escape')
      // Without its last value, a filter stays open for another one, and its neighbour is the same.
      await page.click('.chip .what')
      await page.waitForSelector('#filter-0:popover-open [value=New]')
      await page.click('#filter-0 [value=New]')
      await untilTextIs(page, '.chip', 'State')
      await page.click('#filter-0:popover-open [value=Sent]')
      await untilTextIn(page, '.chip', 'State is Sent')
      await untilTextIn(page, price, 'Price is at most 1.05')
      await press(page, 'Clear')
      await page.waitForSelector('#filter-1', { hidden: true })
      await untilTextIn(page, '.chip', 'Price is at most 1.05')
      expect(await page.$eval(':focus', (one) => one.textContent)).toBe('Filter')
      // The search looks into one field.
      await page.goto(`${app.server.url}/app/records/${table}`)
      await fill(page, 'Search all fields', 'sent')
      await untilTextIn(page, '.bar small', '2 rows of 3')
      await page.select('[aria-label="Search in"]', 'title')
      await untilTextIn(page, '.bar small', '0 rows of 3')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'rows are grouped by month and by number, with subtotals, and one level within the other',
    async () => {
      await open()
      const groups = () => page.$$eval('tr.group', (all) => all.map(({ textContent }) => textContent))
      const untilGroups = async (...wanted: string[]) =>
        until(async () => JSON.stringify(await groups()) === JSON.stringify(wanted))
      await page.focus('.grid thead th[data-drop=due] button')
      await alt('ArrowDown')
      await press(page, 'Group by this field')
      await untilGroups('3November 2026, 3 rowsSum 6,000')
      await press(page, 'Group: Due')
      await page.waitForSelector('#group-menu:popover-open')
      await page.select('#group-menu .line + .line select', 'price')
      await untilGroups(
        '3November 2026, 3 rowsSum 6,000',
        '11,000, 1 rowSum 1,000',
        '12,000, 1 rowSum 2,000',
        '13,000, 1 rowSum 3,000',
      )
      expect(await accessibilityProblems(page, [[1440, 'light']])).toEqual([])
      await press(page, 'Collapse all')
      await untilGroups('3November 2026, 3 rowsSum 6,000')
      await press(page, 'Expand all')
      await page.select('#group-menu select', '')
      await page.waitForSelector('tr.group', { hidden: true })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a row is added by typing below the last one; a refused row stays, with the reason',
    async () => {
      await open('&columns=title,state,price')
      await fill(page, 'New row: Title', 'Vases')
      await page.keyboard.press('Tab')
      await page.keyboard.type('Sent')
      await page.keyboard.press('Tab')
      await page.keyboard.type('many')
      await page.keyboard.press('Enter')
      await untilTextIn(page, 'tfoot .note-row', 'Price must be a number')
      expect(await accessibilityProblems(page, [[1440, 'light']])).toEqual([])
      await page.reload()
      await fill(page, 'New row: Price', '700')
      await page.keyboard.press('Enter')
      await gridOn(page).shows(3, 1, 'Vases')
      const [, , , vases] = (await rows()).records
      expect(vases.data).toEqual({ title: 'Vases', state: 'Sent', price: 700 })
      await untilValue(page, '[name=title]:focus', '')
      expect(await heads()).toEqual(['Title', 'State', 'Price'])
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})

describe.skipIf(!hasBrowser)('a new workspace', () => {
  const folder = newFolder()
  let app: Application
  let page: Page

  beforeAll(async () => {
    app = await startApplication(['--backup-dir', folder.file('backups')])
    page = await app.newPage({ width: 1280 })
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    folder.remove()
  }, BROWSER_TIMEOUT_MS)

  const notes = async () => (await app.server.get('/v1/notes?limit=200')).body
  /** Sets the type of a column of an import. */
  const setType = async (column: number, type: string) => {
    const select = (await page.$$('.mapping select'))[column]
    await select?.select(type)
  }
  const chooseFiles = async (selector: string, ...files: string[]) => {
    const input = await page.waitForSelector<'input'>(selector as 'input')
    await input?.uploadFile(...files)
  }

  test(
    'an empty workspace offers four ways to start, and its sample is removed with one click',
    async () => {
      await untilText(page, 'Import a folder')
      expect(await accessibilityProblems(page)).toEqual([])
      await press(page, 'Try the sampleTwo notes and a table of books. Remove them with one click.')
      await untilAddress(page, ({ pathname }) => pathname.startsWith('/app/notes/'))
      expect((await notes()).total).toBe(2)
      await page.goto(`${app.server.url}/app/notes`)
      await press(page, 'Remove sample')
      await untilText(page, 'Import a folder')
      expect((await notes()).total).toBe(0)
      expect((await app.server.get('/v1/records/structures')).body.structures).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a csv file becomes a table, whose inferred types are shown first',
    async () => {
      const lines = ['Film,Released,Minutes,Rating', 'Up,2009-05-29,96,PG', 'Heat,1995-12-15,170,R']
      await Bun.write(folder.file('films.csv'), lines.join('\n'))
      await page.goto(`${app.server.url}/app/records/new`)
      await chooseFiles('input[accept^=".csv"]', folder.file('films.csv'))
      await page.waitForSelector('.mapping')
      const types = await page.$$eval('.mapping select', (all) =>
        all.map((one) => (one as { value?: string }).value),
      )
      expect(types).toEqual(['text', 'date', 'number', 'text'])
      await setType(3, 'select')
      expect(await accessibilityProblems(page)).toEqual([])
      await press(page, 'Create table with 2 rows')
      await untilText(page, 'Done. 2 new, 0 refused.')
      const { structure } = (await app.server.get('/v1/records/structures/films')).body
      expect(structure.fields.map(({ key, type }: Record<string, string>) => [key, type])).toEqual([
        ['film', 'text'],
        ['released', 'date'],
        ['minutes', 'number'],
        ['rating', 'select'],
      ])
      expect(structure.record_count).toBe(2)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'dates of a csv file are read with the month or the day first, and asked about where both fit',
    async () => {
      const lines = [
        'Day,Unclear,Year,Price,Area',
        ...['10/13/1998,01/02/2003,2019,"$1,250.50",North', '1/7/2001,03/04/2005,2020,$3.00,South'],
        ...Array.from({ length: 100 }, () => '12/31/1999,05/06/2007,2021,$1.00,North'),
      ]
      await Bun.write(folder.file('polls.csv'), lines.join('\n'))
      await page.goto(`${app.server.url}/app/records/new`)
      await chooseFiles('input[accept^=".csv"]', folder.file('polls.csv'))
      await page.waitForSelector('.mapping')
      expect(await page.$('input[name=new-name]')).toBeNull()
      expect(await accessibilityProblems(page)).toEqual([])
      await setType(1, 'date dmy')
      await setType(3, 'number')
      await press(page, 'Create table with 102 rows')
      await untilText(page, 'Done. 102 new, 0 refused.')
      const { structure } = (await app.server.get('/v1/records/structures/polls')).body
      expect(
        structure.fields.map(({ type, format }: { type: string; format?: object }) => [type, format]),
      ).toEqual([
        ['date', undefined],
        ['date', undefined],
        ['number', { style: 'plain' }],
        ['number', undefined],
        ['select', undefined],
      ])
      const { records } = (await app.server.get('/v1/records?structure=polls&direction=asc&limit=2')).body
      expect(records.map(({ data }: { data: object }) => data)).toEqual([
        { day: '1998-10-13', unclear: '2003-02-01', year: 2019, price: 1250.5, area: 'North' },
        { day: '2001-01-07', unclear: '2005-04-03', year: 2020, price: 3, area: 'South' },
      ])
      // In the order of the file, and years have neither separators nor a sum.
      await gridOn(page).shows(0, 3, '2019')
      const cells = await page.$$eval('tr[aria-rowindex="2"] td', (all) =>
        all.map(({ textContent }) => textContent),
      )
      expect(cells.slice(3, 5)).toEqual(['2019', '1,250.5'])
      await untilTextIn(page, 'tfoot', 'Sum')
      expect(await page.$$eval('tfoot .figure b', (all) => all.length)).toBe(1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a new table begins as a grid: rows are typed at its end, and fields are added and renamed at their heads',
    async () => {
      await page.setViewport({ width: 1280, height: 800 })
      await page.goto(`${app.server.url}/app/records/new`)
      await untilValue(page, ':focus', 'Untitled')
      await page.keyboard.type('Kilns')
      await page.keyboard.press('Enter')
      await untilFocused(page, '[aria-label="New row: Name"]')
      for (const name of ['Red', 'Blue']) {
        await page.keyboard.type(name)
        await page.keyboard.press('Enter')
        await untilTextIn(page, '.grid tbody', name)
      }
      const names = () =>
        page.$$eval('.grid tbody td[data-column="1"]', (all) => all.map(({ textContent }) => textContent))
      expect(await names()).toEqual(['Red', 'Blue'])
      await press(page, 'New field')
      await page.waitForSelector('dialog:modal input:focus')
      await page.keyboard.type('Cone')
      await page.select('dialog select', 'number')
      await page.keyboard.press('Enter')
      await untilTextIn(page, '.grid thead', 'Cone')
      await page.hover('.grid th[data-drop="cone"]')
      await press(page, 'Column Cone')
      await press(page, 'Rename…')
      await page.waitForSelector('dialog:modal input:focus')
      await page.keyboard.down('Control')
      await page.keyboard.press('a')
      await page.keyboard.up('Control')
      await page.keyboard.type('Heat')
      await page.keyboard.press('Enter')
      await untilTextIn(page, '.grid thead', 'Heat')
      await press(page, 'Column Heat')
      await press(page, 'Filter by this field')
      await untilTextIn(page, '.chip', 'Heat')
      await page.waitForSelector('#filter-0:popover-open [name=value]:focus')
      // A filter without a value is discarded.
      await page.keyboard.press('Escape')
      await page.waitForSelector('.chip', { hidden: true })
      const { structure } = (await app.server.get('/v1/records/structures/Kilns')).body
      expect(structure.fields).toMatchObject([
        { key: 'name', type: 'text' },
        { key: 'cone', type: 'number', label: 'Heat' },
      ])
      expect(await accessibilityProblems(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'theme, dates, numbers and weeks are set for every browser, and the settings show the age of backups',
    async () => {
      await page.goto(`${app.server.url}/app/settings/appearance`)
      const select = (label: string, value: string) => choose(page, label, value, '#appearance')
      await select('Theme', 'dark')
      await select('Numbers', 'de-DE')
      await select('Dates', 'iso')
      await untilText(page, '1.234.567,8')
      await page.waitForFunction(() => getComputedStyle(document.documentElement).colorScheme === 'dark')
      await untilRead(page, '/app/api/preferences', ({ preferences }) => preferences.dates === 'iso')
      const other = await app.newPage()
      await app.signIn(other)
      await other.waitForFunction(() => document.documentElement.style.colorScheme === 'dark')
      await other.close()
      await select('Theme', '')
      await page.goto(`${app.server.url}/app/settings/backup`)
      await untilText(page, 'Automatic backups are on. The newest is')
      await untilNoText(page, 'NaN')
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
