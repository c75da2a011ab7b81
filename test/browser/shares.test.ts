import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  contentOf,
  fill,
  press,
  startApplication,
  untilText,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { untilGone, untilOneIs } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('shares in a browser', () => {
  let app: Application
  let page: Page
  let visitor: Page
  let note: string

  beforeAll(async () => {
    app = await startApplication()
    await app.server.post('/v1/records/structures', {
      name: 'Classes',
      fields: [
        { key: 'name', type: 'text', label: 'Your name', required: true },
        { key: 'people', type: 'number', label: 'People', max: 8 },
        { key: 'internal', type: 'text', label: 'Internal' },
      ],
    })
    const content = '# Guide\n\n## Steps\n\n- [x] done\n\n<img src=x onerror="document.title=1">'
    note = (await app.server.post('/v1/notes', { title: 'Guide', content })).body.note.id
    page = await app.newPage()
    await app.signIn(page)
    visitor = await app.newPage()
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'a note is shared from its menu, readable without an account, and hidden when the link is turned off',
    async () => {
      await page.goto(`${app.server.url}/app/notes/${note}`)
      await press(page, 'More actions')
      await press(page, 'Share by link')
      await press(page, 'Create link')
      const link = String(await contentOf(page, 'Link'))
      await visitor.goto(link)
      await untilText(visitor, 'Steps')
      expect(await visitor.title()).toBe('Guide')
      expect(await accessibilityProblems(visitor)).toEqual([])
      await press(page, 'Turn off')
      await press(page, 'Cancel')
      expect((await visitor.goto(link))?.status()).toBe(200)
      await press(page, 'Turn off')
      await press(page, 'Turn off link')
      await untilGone(page, 'dialog table')
      expect((await visitor.goto(link))?.status()).toBe(404)
      await press(page, 'Close')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a form is created in the settings, filled in by a visitor, and shows refusals at their fields',
    async () => {
      await page.goto(`${app.server.url}/app/settings/shares`)
      await page.waitForSelector('#share-target')
      const value = await page.$eval('#share-target', (select) => {
        const options = [...(select as unknown as { options: { text: string; value: string }[] }).options]
        return options.find(({ text }) => text === 'Form for Classes')?.value ?? ''
      })
      await page.select('#share-target', value)
      await page.locator('input[name=field][value=internal]').click()
      await fill(page, 'Message after submitting (optional)', 'See you on Monday.')
      expect(await accessibilityProblems(page)).toEqual([])
      await press(page, 'Create link')
      await visitor.goto(String(await contentOf(page, 'Link')))
      expect(await visitor.$('[name=internal]')).toBeNull()
      expect(await accessibilityProblems(visitor)).toEqual([])
      await visitor.type('#f-name', 'Noor')
      await visitor.type('#f-people', '9')
      await visitor.$eval('form', (form) => form.setAttribute('novalidate', ''))
      await Promise.all([visitor.waitForNavigation(), visitor.click('form button')])
      await untilText(visitor, '“People” must be at most 8.')
      expect(
        await visitor.$eval('#f-name', (input) => input.getAttribute('value') ?? input.textContent),
      ).toContain('Noor')
      await visitor.$eval('#f-people', (input) => input.setAttribute('value', '2'))
      await Promise.all([visitor.waitForNavigation(), visitor.click('form button')])
      await untilText(visitor, 'See you on Monday.')
      const { records } = (await app.server.get('/v1/records?structure=Classes')).body
      expect(records.map(({ data }: { data: object }) => data)).toEqual([{ name: 'Noor', people: 2 }])
      await untilText(page, 'Form')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a view of notes, a view of rows and a form are shared from their own screens, and listed in the settings',
    async () => {
      const { body } = await app.server.get('/v1/records/structures/Classes')
      const { id } = body.structure
      const rowView = { structure: id, name: 'By name', columns: [{ key: 'name' }] }
      const { row_view } = (await app.server.post('/v1/records/views', rowView)).body
      const { view } = (await app.server.post('/v1/views', { name: 'All of them' })).body
      const linkMade = async () => {
        await press(page, 'Create link')
        const link = String(await contentOf(page, 'Link'))
        expect(await accessibilityProblems(page)).toEqual([])
        await press(page, 'Close')
        return link
      }
      await page.goto(`${app.server.url}/app/views/views/${view.id}`)
      await press(page, 'Share by link')
      await visitor.goto(await linkMade())
      await untilText(visitor, 'Guide')
      await page.goto(`${app.server.url}/app/records/${id}?view=${row_view.id}`)
      await press(page, 'Actions for By name')
      await press(page, 'Share by link…')
      await visitor.goto(await linkMade())
      await untilText(visitor, 'Noor')
      await page.goto(`${app.server.url}/app/records/${id}/structure`)
      await press(page, 'Share a form')
      await page.locator('dialog input[name=field][value=internal]').click()
      await page.type('dialog [aria-label="Question for People"]', 'How many come?')
      await page.type('dialog [aria-label="Help for People"]', 'With children.')
      await page.click('dialog [aria-label="Move People up"]')
      await visitor.goto(await linkMade())
      await visitor.waitForSelector('#f-people')
      await untilText(visitor, 'How many come?')
      await untilText(visitor, 'With children.')
      expect(await visitor.$$eval('form [id^=f-]', ([first]) => first?.id)).toStartWith('f-people')
      expect(await visitor.$('[name=internal]')).toBeNull()
      await page.goto(`${app.server.url}/app/settings/shares`)
      for (const what of ['All of them', 'Classes: By name'])
        await untilOneIs(page, '[aria-label="Shared links"] a', what)
    },
    BROWSER_TIMEOUT_MS,
  )

  test('the application had no error, and no other host was contacted', () => {
    expect(app.problems.filter((problem) => !problem.includes('404') && !problem.includes('400'))).toEqual([])
  })
})
