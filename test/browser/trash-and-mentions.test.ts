import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  fill,
  press,
  startApplication,
  untilNoText,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'

describe.skipIf(!hasBrowser)('in a browser', () => {
  let app: Application
  let page: Page

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const make = async (title: string, content = ''): Promise<string> =>
    (await app.server.post('/v1/notes', { title, content })).body.note.id

  async function untilSaved(read: () => Promise<unknown>): Promise<void> {
    while ((await read()) === undefined) await Bun.sleep(20)
  }

  test(
    'notes are listed by their last edit with an excerpt, and backlinks with their context',
    async () => {
      const engines = await make('Engines', '# Steam\nThe **first** ones.')
      await make('Meeting', `Ask about [[${engines}#Steam|the engines]] & more, and engines at large.`)
      await make('Draft', 'Some engines without a link.')
      await app.server.patch(`/v1/notes/${engines}`, { title: 'Engine rooms', rewrite_links: true })
      await app.server.patch(`/v1/notes/${engines}`, { title: 'Engines', rewrite_links: true })
      await page.goto(`${app.server.url}/app/notes/${engines}`)
      await untilTextIn(page, '#list', 'The first ones.')
      expect(
        await page.$$eval('#list .item-title', (all) => all.map(({ textContent }) => textContent)),
      ).toEqual(['Engines', 'Draft', 'Meeting'])
      await untilTextIn(page, '#details', 'Ask about the engines & more')
      expect(await page.$eval('#details mark', ({ textContent }) => textContent)).toBe('the engines')
      await page.click('#details details.section > summary')
      await untilTextIn(page, '#details', 'Some engines without a link.')
      expect(await accessibilityProblems(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a preset gets its text in its form, and the finder creates a note from it',
    async () => {
      const { preset } = (await app.server.post('/v1/presets', { name: 'Meeting', tags: ['work'] })).body
      await page.goto(`${app.server.url}/app/views/presets/${preset.id}`)
      await fill(page, 'Text of a new note', '## Agenda\n{{title}}')
      await press(page, 'Save')
      await untilSaved(async () => (await app.server.get('/v1/presets/Meeting')).body.preset.content)
      await page.goto(`${app.server.url}/app/notes`)
      await page.waitForSelector('#list .item')
      await page.keyboard.down('Control')
      await page.keyboard.press('k')
      await page.keyboard.up('Control')
      await page.keyboard.type('from meeting')
      await untilTextIn(page, '#found', 'New note from Meeting')
      await page.locator('#found [id^=preset-]').click()
      await untilTextIn(page, '#note', 'Agenda')
      const { notes } = (await app.server.get('/v1/notes?tag=work')).body
      expect(notes[0].content).toBe(`## Agenda\n${notes[0].title}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a trashed note is read, restored and purged, and the trash is emptied',
    async () => {
      const ids = []
      for (const title of ['Old plan', 'Older plan', 'Oldest plan'])
        ids.push(await make(title, `**${title}** is text`))
      for (const id of ids) await app.server.delete(`/v1/notes/${id}`)
      await page.goto(`${app.server.url}/app/notes?list=trash`)
      await untilText(page, 'Oldest plan')
      await press(page, 'Old plan')
      await untilTextIn(page, 'dialog', 'Old plan is text')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.click('dialog[open] .actions button')
      await untilNoText(page, 'Old plan is text')
      expect((await app.server.get(`/v1/notes/${ids[0]}`)).status).toBe(200)
      await press(page, 'Older plan')
      await untilTextIn(page, 'dialog', 'Older plan is text')
      await press(page, 'Delete permanently…')
      await press(page, 'Delete note')
      await untilNoText(page, 'Older plan')
      expect((await app.server.get(`/v1/notes/trash/${ids[1]}`)).status).toBe(404)
      await press(page, 'Empty trash')
      await press(page, 'Delete all permanently')
      await untilText(page, 'The trash is empty.')
      expect((await app.server.get('/v1/notes/trash')).body.total).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )
})
