import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUIDv7 } from 'bun'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  press,
  startApplication,
  untilNoText,
  untilText,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'

const NOTES = 230

describe.skipIf(!hasBrowser)('many notes at once', () => {
  let app: Application
  let page: Page

  beforeAll(async () => {
    app = await startApplication()
    const changes = Array.from({ length: NOTES }, (_, at) => ({
      kind: 'note',
      op: 'created',
      id: randomUUIDv7(),
      data: { title: `Note ${at + 1}`, tags: at % 2 === 0 ? ['even'] : [] },
    }))
    await app.server.post('/v1/changes/apply', { changes })
    await app.server.post('/v1/properties', { key: 'stars', type: 'number', label: 'Stars' })
    page = await app.newPage()
    await app.signIn(page)
    await page.goto(`${app.server.url}/app/notes?sort=title`)
    await page.waitForSelector('.notes-rows a')
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const total = async (query: string) => (await app.server.get(`/v1/notes?limit=1&${query}`)).body.total
  /** Returns the changes of the newest write, and the user who undid it. */
  const newest = async () => (await app.server.get('/v1/changes/transactions?limit=1')).body.transactions[0]

  test(
    'are selected by keys and checkboxes, and tagged and given a property in one transaction that Undo reverts',
    async () => {
      await page.keyboard.press('k')
      await page.waitForSelector('.notes-rows a:focus')
      await page.keyboard.press('x')
      await untilText(page, '1 selected')
      await page.keyboard.down('Shift')
      await page.locator('.notes-rows > li:nth-child(5) .pick').click()
      await page.keyboard.up('Shift')
      await untilText(page, '5 selected')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1280, height: 800 })
      await press(page, 'Tag…')
      await page.type('#bulk-tag', 'chosen')
      await page.keyboard.press('Enter')
      await untilText(page, '5 notes tagged #chosen.')
      expect([await total('tag=chosen'), await total('tag=even')]).toEqual([5, NOTES / 2])
      const tagging = (await newest()).transaction
      await press(page, 'Property…')
      await page.waitForSelector('#bulk-value')
      await page.type('#bulk-value', '4')
      await page.keyboard.press('Enter')
      await untilText(page, 'Stars of 5 notes set.')
      expect((await newest()).counts).toMatchObject([{ kind: 'note', op: 'updated', n: 5 }])
      await press(page, 'Undo')
      await untilNoText(page, 'Stars of 5 notes set.')
      await press(page, 'Tag…')
      await page.type('#bulk-tag', 'chosen')
      await press(page, 'Remove')
      await untilText(page, '#chosen removed from 5 notes.')
      expect(await total('tag=chosen')).toBe(0)
      expect((await newest()).transaction).not.toBe(tagging)
      await page.keyboard.press('Escape')
      await untilNoText(page, '5 selected')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are changed without overwriting concurrent changes of another user',
    async () => {
      await press(page, 'Select')
      await press(page, `Select all ${NOTES}`)
      await untilText(page, `${NOTES} selected`)
      const [{ id }] = (await app.server.get('/v1/notes?sort=title&limit=1')).body.notes
      await app.server.post(`/v1/notes/${id}/tags`, { tags: ['theirs'] })
      await press(page, 'Tag…')
      await page.type('#bulk-tag', 'all')
      await page.keyboard.press('Enter')
      await untilText(page, `${NOTES} notes tagged #all.`)
      expect([await total('tag=all'), await total('tag=theirs'), await total('tag=even')]).toEqual([
        NOTES,
        1,
        NOTES / 2,
      ])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are trashed together and restored with one Undo',
    async () => {
      await press(page, 'Move to trash')
      await untilText(page, `${NOTES} notes moved to the trash.`)
      expect(await total('')).toBe(0)
      expect((await newest()).counts).toMatchObject([{ kind: 'note', op: 'deleted', n: NOTES }])
      await press(page, 'Undo')
      await page.waitForSelector('.notes-rows a')
      expect(await total('')).toBe(NOTES)
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
