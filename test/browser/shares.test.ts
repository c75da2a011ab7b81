import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, fill, press, startApplication, untilText } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import {
  answerOf,
  askFirst,
  chooseShareTarget,
  createShareLink,
  firstQuestion,
  isAsked,
  replaceAnswer,
  submitShared,
  toggleQuestion,
  typeAnswer,
  untilAnswerAsked,
  untilNoLinks,
  untilShareListed,
} from '../support/screens/shares.ts'

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
      const link = await createShareLink(page)
      await visitor.goto(link)
      await untilText(visitor, 'Steps')
      expect(await visitor.title()).toBe('Guide')
      expect(await accessibilityProblems(visitor)).toEqual([])
      await press(page, 'Turn off')
      await press(page, 'Cancel')
      expect((await visitor.goto(link))?.status()).toBe(200)
      await press(page, 'Turn off')
      await press(page, 'Turn off link')
      await untilNoLinks(page)
      expect((await visitor.goto(link))?.status()).toBe(404)
      await press(page, 'Close')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a form is created in the settings, filled in by a visitor, and shows refusals at their fields',
    async () => {
      await page.goto(`${app.server.url}/app/settings/shares`)
      await chooseShareTarget(page, 'Form for Classes')
      await toggleQuestion(page, 'internal')
      await fill(page, 'Message after submitting (optional)', 'See you on Monday.')
      expect(await accessibilityProblems(page)).toEqual([])
      await visitor.goto(await createShareLink(page))
      expect(await isAsked(visitor, 'internal')).toBe(false)
      expect(await accessibilityProblems(visitor)).toEqual([])
      await typeAnswer(visitor, 'name', 'Noor')
      await typeAnswer(visitor, 'people', '9')
      await submitShared(visitor)
      await untilText(visitor, '“People” must be at most 8.')
      expect(await answerOf(visitor, 'name')).toContain('Noor')
      await replaceAnswer(visitor, 'people', '2')
      await submitShared(visitor)
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
        const link = await createShareLink(page)
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
      await toggleQuestion(page, 'internal')
      await askFirst(page, 'People', { question: 'How many come?', help: 'With children.' })
      await visitor.goto(await linkMade())
      await untilAnswerAsked(visitor, 'people')
      await untilText(visitor, 'How many come?')
      await untilText(visitor, 'With children.')
      expect(await firstQuestion(visitor)).toStartWith('people')
      expect(await isAsked(visitor, 'internal')).toBe(false)
      await page.goto(`${app.server.url}/app/settings/shares`)
      for (const what of ['All of them', 'Classes: By name']) await untilShareListed(page, what)
    },
    BROWSER_TIMEOUT_MS,
  )

  test('the application had no error, and no other host was contacted', () => {
    expect(app.problems.filter((problem) => !problem.includes('404') && !problem.includes('400'))).toEqual([])
  })
})
