import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, press as clickOn, startApplication, until } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { cell, focusCell, type GridPage, gridOn } from '../support/grid.ts'
import { untilGone } from '../support/waits.ts'

const FIELDS = [
  { key: 'ref', type: 'text', label: 'Ref' },
  { key: 'bike', type: 'text', label: 'Bike' },
  { key: 'total', type: 'number', label: 'Total', min: 0 },
]
const ROWS = 400

interface Stored {
  readonly id: string
  readonly data: Record<string, unknown>
}

describe.skipIf(!hasBrowser)('a block pasted into the grid or copied from it', () => {
  let app: Application
  let page: Page
  let grid: GridPage
  let writes: string[] = []
  const structures = new Map<string, string>()

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage()
    grid = gridOn(page)
    await app.signIn(page)
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (request.method() !== 'GET' && pathname.startsWith('/v1/')) writes.push(request.method())
    })
  }, BROWSER_TIMEOUT_MS)
  beforeEach(async () => {
    for (const [name, unique] of [
      ['Keyed', true],
      ['Loose', false],
    ] as const) {
      const old = structures.get(name)
      if (old !== undefined)
        await app.server.patch(`/v1/records/structures/${old}`, { name: `Old ${old.slice(-12)}` })
      const fields = FIELDS.map((field) => ({ ...field, unique: unique && field.key === 'ref' }))
      const { body } = await app.server.post('/v1/records/structures', { name, fields })
      structures.set(name, body.structure.id)
      const rows = Array.from({ length: ROWS }, (_, at) => ({
        data: { ref: `R${at + 1}`, bike: `Bike ${at + 1}`, total: at },
      }))
      await app.server.post('/v1/records', { structure: name, rows })
    }
  })
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  /** Returns all rows, sorted by total. */
  const stored = async (name: string): Promise<Stored[]> =>
    (await app.server.get(`/v1/records?structure=${name}&sort=total&direction=asc&limit=500`)).body.records
  const bikes = async (name: string) => (await stored(name)).map(({ data }) => data.bike)
  const before = Array.from({ length: ROWS }, (_, at) => `Bike ${at + 1}`)
  /** Opens the rows sorted by total, and focuses a cell near the top. */
  async function open(name: string, row: number, column: number) {
    await page.goto(`${app.server.url}/app/records/${structures.get(name)}?sort=total&direction=asc`)
    await grid.shows(0, 1, 'R1')
    await focusCell(page, 0, column)
    for (let at = 0; at < row; at++) await page.keyboard.press('ArrowDown')
    await page.waitForSelector(`${cell(row, column)}:focus`)
    writes = []
  }
  /** Moves to the last row. */
  async function openEnd(name: string) {
    await open(name, 0, 2)
    await grid.withControl('ArrowDown')
    await page.waitForSelector(`${cell(ROWS - 1, 2)}:focus`)
  }
  const block = (length: number) => Array.from({ length }, (_, at) => `New ${at + 1}`).join('\n')
  const written = (length: number) => Array.from({ length }, (_, at) => `New ${at + 1}`)

  test(
    'overwrites rows that are not loaded yet, as one transaction',
    async () => {
      await open('Keyed', 5, 2)
      await grid.paste(block(300))
      await clickOn(page, 'Overwrite rows 6 to 305')
      await grid.hasNot('cells, starting at')
      expect(await bikes('Keyed')).toEqual([...before.slice(0, 5), ...written(300), ...before.slice(305)])
      expect(writes).toEqual(['POST'])
      const { changes } = (await app.server.get('/v1/changes?before=now&limit=300')).body
      expect(new Set(changes.map(({ transaction }: { transaction: string }) => transaction)).size).toBe(1)
      await grid.shows(5, 2, 'New 1')
      await grid.withControl('z')
      await grid.shows(5, 2, 'Bike 6')
      expect(await bikes('Keyed')).toEqual(before)
      expect(writes).toEqual(['POST', 'POST'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is one transaction also without a unique field',
    async () => {
      await open('Loose', 5, 2)
      const lines = Array.from({ length: 30 }, (_, at) => `New ${at + 1}\t${at}.5`)
      await grid.paste(lines.join('\n'))
      await clickOn(page, 'Overwrite rows 6 to 35')
      await grid.hasNot('cells, starting at')
      const totals = (await stored('Loose')).map(({ data }) => data.total)
      expect(totals.filter((total) => String(total).endsWith('.5'))).toHaveLength(30)
      expect(totals).toHaveLength(ROWS)
      expect(writes).toEqual(['POST'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test.each(['Keyed', 'Loose'])(
    'is undone in one step, with the rows that it added (%s)',
    async (name) => {
      await openEnd(name)
      await grid.paste(block(3))
      await clickOn(page, `Overwrite row ${ROWS}`)
      await grid.hasNot('cells, starting at')
      expect((await bikes(name)).slice(ROWS - 1)).toEqual(written(3))
      await grid.shows(ROWS - 1, 2, 'New 1')
      await grid.withControl('z')
      await grid.shows(ROWS - 1, 2, `Bike ${ROWS}`)
      await page.waitForSelector(`table.grid[aria-rowcount="${ROWS + 1}"]`)
      expect(await bikes(name)).toEqual(before)
    },
    BROWSER_TIMEOUT_MS,
  )

  test.each(['Keyed', 'Loose'])(
    'shows at its cell why the batch was refused, of which nothing was written (%s)',
    async (name) => {
      await open(name, 1, 2)
      await grid.paste('New 1\t7\nNew 2\t-7')
      await clickOn(page, 'Overwrite rows 2 to 3')
      await grid.has('Row 2: The field "total" must be at least 0. Nothing was changed.')
      await page.waitForSelector(`${cell(2, 3)}[aria-invalid="true"]`)
      expect(await page.$eval('.note-row .why', ({ textContent }) => textContent)).toBe(
        'The field "total" must be at least 0. The stored value is 2.',
      )
      expect(await bikes(name)).toEqual(before)
      await clickOn(page, 'Cancel')
      await untilGone(page, '.note-row')
      await grid.shows(2, 3, '2')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'goes to the row where it was pasted, also when rows arrive above it',
    async () => {
      await page.goto(`${app.server.url}/app/records/${structures.get('Loose')}?direction=desc`)
      await grid.shows(0, 1, `R${ROWS}`)
      await focusCell(page, 0, 2)
      await grid.paste('New 1\nNew 2')
      await grid.has('cells, starting at')
      await app.server.post('/v1/records', { structure: 'Loose', data: { ref: 'Later', bike: 'Later' } })
      await clickOn(page, 'Overwrite rows 2 to 3')
      await grid.hasNot('cells, starting at')
      const { records } = (await app.server.get('/v1/records?structure=Loose&limit=4')).body
      expect(records.map(({ data }: Stored) => data.bike)).toEqual([
        'Later',
        'New 1',
        'New 2',
        `Bike ${ROWS - 2}`,
      ])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is copied completely, also rows that are not loaded yet',
    async () => {
      const { origin } = new URL(app.server.url)
      await page.browserContext().overridePermissions(origin, ['clipboard-read', 'clipboard-sanitized-write'])
      await open('Loose', 2, 2)
      await page.keyboard.down('Shift')
      await grid.withControl('ArrowDown')
      await page.keyboard.up('Shift')
      await page.waitForSelector(`${cell(ROWS - 1, 2)}:focus`)
      await page.$eval(':focus', (focused) => {
        const clipboardData = new DataTransfer()
        focused.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }))
      })
      const copied = () => page.evaluate(() => navigator.clipboard.readText())
      await until(async () => (await copied()).split('\n').length === ROWS - 2)
      expect(await copied()).toBe(before.slice(2).join('\n'))
    },
    BROWSER_TIMEOUT_MS,
  )

  test('has no error on the console', () => {
    expect(app.problems).toEqual([])
  })
})
