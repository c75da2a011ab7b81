import { expect } from 'bun:test'
import { untilTextIn } from '../application-server.ts'
import { untilAddress, untilAtLeast, untilGone, untilValue } from '../waits.ts'
import { contentOf, idShown, openDetails, untilSaved } from './notes.ts'
import { openRows } from './tables.ts'
import { makeNote, makeOrders, type Task } from './task.ts'

/** Narrower screens show one pane. */
const PHONE = 720

/** Tasks of every day with tables in notes, groups, comments and daily notes. */
export const DAILY_TASKS: readonly Task[] = [
  {
    does: 'writes a table in a note, and goes on below it',
    run: async (desk) => {
      const { keys, page, number } = desk
      await desk.go('notes')
      await page.waitForSelector('.notes-rows a')
      await keys.press('n')
      await page.waitForSelector('.title-field:focus')
      await keys.type(`Table ${number}`)
      await keys.press('Enter')
      await page.waitForSelector('.cm-content:focus')
      await keys.type('| A | B |\n| --- | --- |\n| one |')
      await keys.type(' two |')
      await keys.press('Enter', 'Enter')
      await keys.type('below')
      await untilSaved(desk)
      await desk.until(async () => /\n\n?below$/.test(await contentOf(desk, idShown(desk))))
      expect(await contentOf(desk, idShown(desk))).toMatch(
        /^\| A \| B \|\n\| --- \| --- \|\n\| +one +\| +two +\|\n/,
      )
    },
  },
  {
    does: 'groups rows by two fields, which a reload keeps',
    run: async (desk) => {
      const { keys, page } = desk
      await openRows(desk, await makeOrders(desk))
      await keys.enter('Group')
      await page.waitForSelector('#group-menu:popover-open')
      await keys.reach('Group by')
      await keys.type('State')
      await untilAtLeast(page, '#group-menu select', 2)
      await keys.reach('Then by')
      await keys.type('Price')
      await keys.press('Escape')
      const grouped = 'tr[aria-level="2"]:not([aria-busy])'
      await untilAtLeast(page, grouped, 3)
      await page.reload()
      await untilAtLeast(page, grouped, 3)
    },
  },
  {
    does: 'comments on a note',
    run: async (desk) => {
      const { keys, app, number } = desk
      const note = await makeNote(desk, `Plan ${number}`, 'A first draft.')
      await openDetails(desk, note)
      await keys.reach('Add a comment')
      await keys.type('Which one?')
      await keys.hold('Control', 'Enter')
      await desk.until(
        async () => (await app.server.get(`/v1/comments?note_id=${note}`)).body.comments.length === 1,
      )
      await desk.says('Which one?')
    },
  },
  {
    does: 'opens a day in the month of daily notes',
    run: async (desk) => {
      const { keys, page } = desk
      await desk.go('notes/today?day=2026-10-05')
      await page.waitForSelector('.day-bar')
      await keys.skip()
      await keys.enter('Month')
      await page.waitForSelector('.days.month')
      await keys.skip()
      await keys.enter(/^21\D/)
      await untilAddress(page, ({ search }) => search.includes('title=2026-10-21'))
      // The new note takes the focus once.
      await page.waitForSelector('#note .text-field:focus')
      await keys.skip()
      await keys.enter('Month')
    },
  },
  {
    does: 'opens a second note beside the first, writes in it, and closes it; a phone opens it alone',
    run: async (desk) => {
      const { keys, page, number, width } = desk
      const second = await makeNote(desk, `Second ${number}`, 'Kept.')
      const first = await makeNote(desk, `First ${number}`, `See [[Second ${number}]].`)
      await openDetails(desk, first)
      await keys.reach(`Second ${number}`)
      await keys.hold('Alt', 'Enter')
      const pane = width < PHONE ? '#note' : '#beside'
      await untilValue(page, `${pane} .title-field`, `Second ${number}`)
      await page.waitForSelector(`${pane} .cm-content`)
      if (width < PHONE) return
      await keys.reach('Text of the note')
      await keys.type('Both. ')
      await desk.until(async () => (await contentOf(desk, second)) === 'Both. Kept.')
      await page.reload()
      await page.waitForSelector('#beside .cm-content')
      await page.focus('#beside .cm-content')
      await keys.press('Escape', 'Escape')
      await untilGone(page, '#beside')
    },
  },
  {
    does: 'ticks a task in the list of all tasks',
    run: async (desk) => {
      const { keys, page, number } = desk
      const note = await makeNote(desk, `Errands ${number}`, `- [ ] post letter ${number}`)
      await desk.go('notes/tasks')
      // The list of notes shows the text as well.
      await untilTextIn(page, '#note', `post letter ${number}`)
      await keys.skip()
      await keys.reach(`post letter ${number}`)
      await keys.press('Space')
      await desk.until(async () => (await contentOf(desk, note)) === `- [x] post letter ${number}`)
    },
  },
  {
    does: 'gives a row a date in words',
    run: async (desk) => {
      const { keys, page, app } = desk
      const table = await makeOrders(desk)
      const { records } = (await app.server.get(`/v1/records?structure=${table}&sort=title&direction=asc`))
        .body
      await desk.go(`records/${table}/${records[0].id}`)
      await page.waitForSelector('#value-due')
      await keys.skip()
      // The head of the column has the name of the field.
      while ((await page.$('#value-due:focus')) === null) {
        await keys.press('Tab')
        await keys.reach('Due')
      }
      await keys.type('3 dec 2031')
      await keys.press('Tab')
      await desk.until(
        async () =>
          (await app.server.get(`/v1/records/${records[0].id}`)).body.record.data.due === '2031-12-03',
      )
    },
  },
]
