import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  press,
  startApplication,
  untilNoText,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { fitsAcross } from '../support/page-acts.ts'
import { focusUndo } from '../support/screens/history.ts'
import { untilTextIs, untilVisible } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('the changes in a browser', () => {
  let app: Application
  let page: Page
  let order: string

  const statusOf = async () => (await app.server.get(`/v1/records/${order}`)).body.record.data.status
  /** Returns the texts of the rows, newest first. */
  const rows = () =>
    page.$$eval('.ledger .item > div', (found) => found.map(({ textContent }) => textContent?.trim()))

  beforeAll(async () => {
    app = await startApplication()
    const { server } = app
    await server.post('/v1/records/structures', {
      name: 'Orders',
      label_field: 'number',
      fields: [
        { key: 'number', type: 'text' },
        { key: 'status', type: 'text', label: 'Status' },
      ],
    })
    const data = { number: '2026-1187', status: 'in repair' }
    order = (await server.post('/v1/records', { structure: 'Orders', data })).body.records[0].id
    await server.patch(`/v1/records/${order}`, { data: { status: 'ready' } })
    await server.post('/v1/notes', { title: 'Bench log' })
    page = await app.newPage()
    await app.signIn(page)
    await page.goto(`${server.url}/app/changes`)
    await page.waitForSelector('.ledger')
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'are listed newest first, with old and new values, and filtered by kind',
    async () => {
      await untilText(page, '2026-1187')
      expect(await rows()).toEqual([
        'Created the note Bench log',
        'Changed Status of 2026-1187Status in repair→ready',
        'Created 2026-1187',
        'Created the table Orders',
      ])
      await page.select('select[aria-label=Kind]', 'note')
      await untilNoText(page, '2026-1187')
      expect(page.url()).toEndWith('?kind=note')
      await page.reload()
      await untilText(page, 'Bench log')
      expect(await rows()).toEqual(['Created the note Bench log'])
      await page.goBack()
      await untilText(page, '2026-1187')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'appear as they happen, and can be filtered by author',
    async () => {
      await app.server.post('/v1/notes', { title: 'Written just now' })
      await untilText(page, 'Written just now')
      await press(page, 'Everyone')
      await (await page.$$('.side-nav a'))[1]?.focus()
      await page.keyboard.press('Enter')
      await untilText(page, 'Author:')
      expect(page.url()).toContain('who=')
      expect((await rows()).length).toBe(5)
      await press(page, 'Remove filter: author')
      await untilNoText(page, 'Author:')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'can be filtered by author also without room for the list of people',
    async () => {
      const { id } = (await app.server.get('/v1/me')).body.key
      for (const width of [360, 800]) {
        await page.setViewport({ width, height: 800 })
        await page.goto(`${app.server.url}/app/changes?who=nobody`)
        await untilText(page, 'No matching changes.')
        await untilVisible(page, 'select[aria-label=Author]')
        await page.select('select[aria-label=Author]', id)
        await untilText(page, '2026-1187')
        expect(page.url()).toEndWith(`?who=${id}`)
        expect(await fitsAcross(page)).toBe(true)
      }
      await page.setViewport({ width: 1280, height: 800 })
      expect(await page.$eval('select[aria-label=Author]', (one) => one.checkVisibility())).toBe(false)
      await page.goto(`${app.server.url}/app/changes`)
      await untilText(page, '2026-1187')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are undone with the keyboard, after a preview that writes nothing',
    async () => {
      await focusUndo(page, 'Changed Status')
      await page.keyboard.press('Enter')
      await untilText(page, 'It can be undone.')
      expect(await page.$eval('.undo-list', ({ textContent }) => textContent)).toBe(
        '2026-1187ready→in repair',
      )
      expect(await statusOf()).toBe('ready')
      await page.keyboard.press('Escape')
      await untilNoText(page, 'It can be undone.')
      await page.goBack()
      await untilText(page, 'It can be undone.')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.focus('.side .button.main')
      await page.keyboard.press('Enter')
      await untilText(page, '1 change undone.')
      expect(await statusOf()).toBe('in repair')
      await untilTextIn(page, '.ledger .item > div', 'ready→in repair')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'of a text show removed and inserted words, in the list and in the preview of undo',
    async () => {
      const note = { title: 'Kiln log', content: 'Loaded at noon.\nHeld 40 minutes at 1,240.\n' }
      const { id } = (await app.server.post('/v1/notes', note)).body.note
      await app.server.patch(`/v1/notes/${id}`, { content: 'Loaded at noon.\nHeld 45 minutes at 1,240.\n' })
      await app.server.patch(`/v1/notes/${id}`, { content: 'Loaded at noon.\nHeld 45 minutes at 1,260.\n' })
      const hasPieces = (within: string, wanted: string) =>
        page.waitForFunction(
          (selector, pieces) =>
            [...document.querySelectorAll(selector)]
              .map(({ localName, textContent }) => `${localName} ${textContent.trim()}`)
              .join('|') === pieces,
          {},
          `${within} .differences > p > *`,
          wanted,
        )
      await hasPieces(
        '.ledger',
        'span Held 45 minutes at 1,|del 240|ins 260|span .|span Held|del 40|ins 45|span minutes at 1,240.',
      )
      await focusUndo(page, '260')
      await page.keyboard.press('Enter')
      await untilText(page, 'It can be undone.')
      await hasPieces('.side', 'span Held 45 minutes at 1,|del 260|ins 240|span .')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.keyboard.press('Escape')
      await untilNoText(page, 'It can be undone.')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'of one write are counted exactly, and undone writes are marked',
    async () => {
      const batch = Array.from({ length: 500 }, (_, n) => ({ data: { number: `batch ${n}` } }))
      await app.server.post('/v1/records', { structure: 'Orders', rows: batch })
      await untilText(page, 'Created 500 rows in Orders')
      await focusUndo(page, '500 rows')
      await page.keyboard.press('Enter')
      await untilText(page, 'All 500 changes can be undone.')
      await untilText(page, 'batch 450')
      await page.focus('.side .button.main')
      await page.keyboard.press('Enter')
      await untilText(page, '500 changes undone')
      await untilText(page, 'Deleted 500 rows in Orders')
      await page.waitForFunction(() =>
        [...document.querySelectorAll('.ledger li')].some(
          (row) => row.textContent.includes('Created 500 rows') && row.textContent.endsWith('undone'),
        ),
      )
      // The values of earlier writes are still visible.
      expect(await rows()).toContain('Changed Status of 2026-1187Status in repair→ready')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'that are older are loaded on demand, and counted in the list of people',
    async () => {
      for (let count = 0; count < 200; count++) await app.server.post('/v1/notes', { title: `Note ${count}` })
      await page.goto(`${app.server.url}/app/changes`)
      const counted = '.side-nav li:nth-child(2) .at-end'
      await untilTextIs(page, counted, '200')
      await press(page, 'Show older')
      await page.waitForFunction(
        (selector) => Number(document.querySelector(selector)?.textContent) > 200,
        {},
        counted,
      )
      await untilTextIn(page, '.content > .list-end', 'all that are stored')
      const total = (await page.$$('.ledger .item')).length
      expect(total).toBeGreaterThan(200)
      expect(
        await page.$$eval('.side-nav .at-end', (all) =>
          all.reduce((sum, one) => sum + Number(one.textContent), 0),
        ),
      ).toBe(total)
      await press(page, 'Notes')
      await page.goBack()
      await untilTextIs(page, counted, '200')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    "that were overtaken show the server's reason why they cannot be undone",
    async () => {
      for (const status of ['ready', 'fetched'])
        await app.server.patch(`/v1/records/${order}`, { data: { status } })
      const [, older] = (await app.server.get('/v1/changes?before=now&kinds=record')).body.changes
      await page.goto(`${app.server.url}/app/changes?undo=${older.transaction}`)
      await untilText(page, 'Changed since then')
      expect(await page.$('.side .button.main')).toBeNull()
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
