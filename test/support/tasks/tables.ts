import { expect } from 'bun:test'
import { untilTextIn } from '../application-server.ts'
import { cell, gridOn } from '../grid.ts'
import { newFolder } from '../process.ts'
import { untilShareLink } from '../screens/shares.ts'
import { untilAddress, untilFocused, untilTextIs } from '../waits.ts'
import { type Desk, makeOrders, type Task } from './task.ts'

const LEAST_TITLE_PX = 100
const PHONE = 720

// biome-ignore lint/suspicious/noExplicitAny: the API says what it holds
const rowsOf = async ({ app }: Desk, table: string): Promise<any[]> =>
  (await app.server.get(`/v1/records?structure=${table}&sort=title&direction=asc&limit=500`)).body.records

const countOf = async ({ app }: Desk, table: string): Promise<number> =>
  (await app.server.get(`/v1/records?structure=${table}&limit=1`)).body.total

const viewsOf = async ({ app }: Desk, table: string) =>
  (await app.server.get(`/v1/records/views?structure=${table}`)).body.row_views

/** The title of the first row; phones show rows as cards. */
const firstTitle = ({ width }: Desk) => (width < PHONE ? '.row-card b' : cell(0, 1))

/** Opens a table sorted by title. */
export async function openRows(desk: Desk, table: string): Promise<void> {
  await desk.go(`records/${table}?sort=title&direction=asc`)
  await desk.page.waitForSelector(firstTitle(desk))
  await desk.keys.skip()
}

async function openFields(desk: Desk, table: string): Promise<void> {
  await desk.go(`records/${table}/structure`)
  await desk.page.waitForSelector('.definition')
  await desk.keys.skip()
}

/** Opens a table, and focuses its first cell or card. */
async function openCells(desk: Desk, table: string): Promise<void> {
  await openRows(desk, table)
  await desk.keys.reach(/^Order 1(?!\d)/)
}

export const TABLE_TASKS: readonly Task[] = [
  {
    does: 'reads the titles of a table with 16 columns, also at its last column',
    run: async (desk) => {
      const { keys, page } = desk
      await openRows(desk, desk.tables.wide)
      await keys.reach(/^A film called/)
      const isRead = () =>
        page.$eval(
          firstTitle(desk),
          (title, least) => {
            const { left, right, top, width, height } = title.getBoundingClientRect()
            const middle = document.elementFromPoint(left + 20, top + height / 2)
            return width >= least && right <= innerWidth && title.contains(middle)
          },
          LEAST_TITLE_PX,
        )
      expect(await isRead()).toBe(true)
      if (desk.width < PHONE) return
      await keys.hold('Control', 'ArrowRight')
      await page.waitForSelector(`${cell(0, 16)}:focus`)
      expect(await isRead()).toBe(true)
    },
  },
  {
    does: 'makes a board of ten thousand rows and moves a card',
    run: async (desk) => {
      const { keys, page, number, tables } = desk
      const name = `Board ${number}`
      await openRows(desk, tables.large)
      await keys.enter('New view')
      await page.waitForSelector('dialog.modal input:focus')
      await keys.type(name)
      await keys.reach('Layout')
      await keys.type('Board')
      await keys.enter('Create view')
      await page.waitForSelector('.column [id^=card-]')
      await keys.skip()
      await keys.reach(/^Order \d+/)
      const id = await page.$eval(':focus', ({ id: card }) => card.replace('card-', ''))
      const state = async () => (await desk.app.server.get(`/v1/records/${id}`)).body.record.data.state
      expect(await state()).toBe('New')
      await keys.hold('Control', 'ArrowRight')
      await desk.until(async () => (await state()) === 'Sent')
      await untilFocused(page, `#card-${id}`)
      await keys.hold('Control', 'z')
      await desk.until(async () => (await state()) === 'New')
      for (const view of await viewsOf(desk, tables.large))
        await desk.app.server.delete(`/v1/records/views/${view.id}`)
    },
  },
  {
    does: 'makes a table from a csv file',
    run: async (desk) => {
      const { keys, page, number } = desk
      const folder = newFolder()
      await Bun.write(folder.file(`films-${number}.csv`), 'Film,Minutes\nUp,96\nHeat,170\n')
      await desk.go('records/new')
      await page.waitForSelector('input[type=file]')
      await page.waitForSelector('main input:focus')
      await keys.skip()
      await keys.reach('File')
      const choosing = page.waitForFileChooser()
      // A key press may overtake the command that passes the browser's dialog to the test.
      await page.evaluate(() => 0)
      await keys.press('Enter')
      await (await choosing).accept([folder.file(`films-${number}.csv`)])
      await page.waitForSelector('.mapping')
      await keys.enter('Create table with 2 rows')
      await desk.says('Done. 2 new, 0 refused.')
      folder.remove()
    },
  },
  {
    does: 'takes back a paste of 500 rows',
    run: async (desk) => {
      const { keys, page } = desk
      // Cards have no cells to paste into.
      if (desk.width < PHONE) return
      const table = await makeOrders(desk)
      await openCells(desk, table)
      const lines = Array.from({ length: 500 }, (_, at) => `Pasted ${at + 1}`)
      await gridOn(page).paste(lines.join('\n'))
      await desk.says('Paste 500 × 1 cells')
      await keys.skip()
      await keys.enter('Add as 500 new rows')
      await desk.until(async () => (await countOf(desk, table)) === 503)
      await page.waitForSelector('td:focus')
      await keys.hold('Control', 'z')
      await desk.until(async () => (await countOf(desk, table)) === 3)
    },
  },
  {
    does: 'chooses the columns',
    run: async (desk) => {
      const { keys, page } = desk
      await openRows(desk, await makeOrders(desk))
      await keys.enter('Columns')
      await page.waitForSelector('#columns-menu:popover-open input')
      await keys.reach('State')
      await keys.press('Space')
      await untilAddress(page, ({ searchParams }) => searchParams.get('columns') === 'title,due,price')
      if (desk.width < PHONE) await untilTextIs(page, '.row-card', 'Order 1Due Nov 10, 2026Price 10')
      else await untilTextIs(page, cell(0, 2), 'Nov 10, 2026')
      await keys.press('Escape')
    },
  },
  {
    does: 'filters rows, and saves them as a view',
    run: async (desk) => {
      const { keys, page, number } = desk
      const table = await makeOrders(desk)
      await openRows(desk, table)
      await keys.enter('Filter')
      await page.waitForSelector('#new-filter:popover-open')
      await keys.enter('State')
      await page.waitForSelector('#filter-0:popover-open [value=Sent]')
      await keys.reach(/^Sent/)
      await keys.press('Space')
      await keys.press('Escape')
      await untilTextIs(page, firstTitle(desk), 'Order 2')
      await keys.skip()
      await keys.enter('New view')
      await page.waitForSelector('dialog.modal input:focus')
      await keys.type(`Sent ${number}`)
      await keys.press('Enter')
      await desk.until(async () => (await viewsOf(desk, table)).length === 1)
      const [view] = await viewsOf(desk, table)
      expect(view.filter).toEqual([{ field: 'state', op: 'in', value: ['Sent'] }])
    },
  },
  {
    does: 'moves a row to the next day in a calendar',
    run: async (desk) => {
      const { keys, page, app } = desk
      const table = await makeOrders(desk, 1)
      const body = { structure: table, name: 'Due', kind: 'calendar', date_field: 'due' }
      const { row_view } = (await app.server.post('/v1/records/views', body)).body
      await desk.go(`records/${table}?view=${row_view.id}&week=2026-11-10`)
      await page.waitForSelector('.calendar [data-row-id]')
      await keys.skip()
      await keys.reach(/^Order 1/)
      await keys.hold('Control', 'ArrowRight')
      await desk.until(async () => (await rowsOf(desk, table))[0].data.due === '2026-11-11')
    },
  },
  {
    does: 'gives a field another type',
    run: async (desk) => {
      const { keys, page, app } = desk
      const table = await makeOrders(desk)
      await openFields(desk, table)
      await keys.enter('Convert Price')
      await page.waitForSelector('dialog.modal')
      await keys.reach('New type')
      await keys.type('Number')
      await untilTextIn(page, 'dialog.modal', '3 can be converted')
      await keys.enter('Convert')
      await desk.until(async () => (await rowsOf(desk, table))[0].data.price_new === 10)
      const { fields } = (await app.server.get(`/v1/records/structures/${table}`)).body.structure
      expect(fields.at(-1)).toMatchObject({ key: 'price_new', type: 'number' })
    },
  },
  {
    does: 'changes a field of several rows at once',
    run: async (desk) => {
      const { keys } = desk
      const table = await makeOrders(desk)
      await openCells(desk, table)
      if (desk.width < PHONE) {
        await keys.hold('Shift', 'Space')
        await keys.reach(/^Order 2/)
        await keys.hold('Shift', 'Space')
      } else await keys.hold('Shift', 'ArrowDown', 'Space')
      await desk.says('2 selected')
      await keys.skip()
      await keys.enter('Set a field…')
      await keys.reach('Field')
      await keys.type('State')
      await keys.reach('State')
      await keys.type('Done')
      await keys.enter('Set in 2 rows')
      await desk.until(async () =>
        (await rowsOf(desk, table)).slice(0, 2).every(({ data }) => data.state === 'Done'),
      )
    },
  },
  {
    does: 'makes a form that anybody can send',
    run: async (desk) => {
      const { keys, page, app } = desk
      const table = await makeOrders(desk)
      await openFields(desk, table)
      await keys.enter('Share a form')
      await page.waitForSelector('dialog.modal')
      await keys.enter('Create link')
      await untilShareLink(page)
      const { shares } = (await app.server.get('/v1/shares')).body
      const { kind } = shares.find((share: { target_id: string }) => share.target_id === table)
      expect(kind).toBe('form')
    },
  },
]
