import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, newSession, startApplication, untilTextIn } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { addMember } from '../support/page-requests.ts'
import { untilCount, untilGone } from '../support/waits.ts'
import { until } from '../support/webhooks.ts'

describe.skipIf(!hasBrowser)('people in a note', () => {
  let app: Application
  let page: Page
  let cookie: string

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage({ width: 1440 })
    await app.signIn(page)
    await addMember(page, 'edith', 'editor')
    cookie = `daybook_session_${new URL(app.server.url).port}=${await newSession(app.file, 'edith')}`
  }, BROWSER_TIMEOUT_MS * 2)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  /** Edith opens a note: a client that follows its presence. */
  async function enter(note: string) {
    const path = `${app.server.url}/v1/notes/${note}/presence`
    const leaving = new AbortController()
    const stream = await fetch(path, { headers: { cookie }, signal: leaving.signal })
    let received = ''
    const reading = (async () => {
      for await (const part of stream.body ?? []) received += Buffer.from(part).toString()
    })().catch(() => {})
    return {
      received: () => received,
      write: (line: number) =>
        fetch(path, {
          method: 'POST',
          headers: { cookie, origin: app.server.url, 'content-type': 'application/json' },
          body: JSON.stringify({ writing: true, line }),
        }),
      leave: () => {
        leaving.abort()
        return reading
      },
    }
  }

  test(
    'another person appears in the bar and beside the line that they write, until they leave',
    async () => {
      const { body } = await app.server.post('/v1/notes', { title: 'Shared', content: 'one\ntwo\nthree' })
      const note = body.note.id
      await page.goto(`${app.server.url}/app/notes/${note}`)
      await page.waitForSelector('.cm-content')
      expect(await page.$('.here')).toBeNull()
      const edith = await enter(note)
      await untilTextIn(page, '.here', 'edith')
      expect((await edith.write(2)).status).toBe(200)
      await untilTextIn(page, '.writing', 'edith is writing')
      await page.waitForSelector('.cm-line[data-initial=E]')
      expect(await page.$eval('.here-line', (line) => line.textContent)).toBe('two')
      expect(await accessibilityProblems(page)).toEqual([])
      // The other person sees where this one writes.
      await page.focus('.cm-content')
      await page.keyboard.type('x')
      await until(() => edith.received().includes('"writing":true,"line":1'))
      await edith.leave()
      await untilGone(page, '.here, .here-line')
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'two notes side by side show the people in each, and a note in both panes is followed once',
    async () => {
      const create = async (title: string): Promise<string> =>
        (await app.server.post('/v1/notes', { title, content: 'one\ntwo' })).body.note.id
      const first = await create('First of two')
      const second = await create('Second of two')
      const edith = await enter(second)
      await page.goto(`${app.server.url}/app/notes/${first}?beside=${second}`)
      await untilTextIn(page, '#beside .here', 'edith')
      expect(await page.$('#note .here')).toBeNull()
      await edith.write(2)
      await untilTextIn(page, '#beside .writing', 'edith is writing')
      await page.waitForSelector('#beside .cm-line[data-initial=E]')
      expect(await page.$('#note .here-line')).toBeNull()
      expect(await accessibilityProblems(page)).toEqual([])
      await page.focus('#beside .cm-content')
      await page.keyboard.type('x')
      await until(() => edith.received().includes('"writing":true,"line":1'))

      await page.goto(`${app.server.url}/app/notes/${second}?beside=${second}`)
      await untilTextIn(page, '#note .here', 'edith')
      await untilTextIn(page, '#beside .here', 'edith')
      await page.click('#beside [aria-label="Close second note"]')
      await untilGone(page, '#beside')
      expect(await page.$('#note .here')).not.toBeNull()
      await edith.leave()
      await untilGone(page, '.here')
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'formulas are drawn from their source, which stays as it is, under the content security policy',
    async () => {
      const content = [
        'Mass $E = mc^2$ costs $5 and $6.',
        '$$\n\\int_0^1 x^2 \\, dx = \\frac{1}{3}\n$$',
        'Wrong $\\frac{1$ here.',
        // Marks of a quotation are no part of the formula.
        '> $$\n> a_1\n> $$',
        // Labels get no id, which could be that of an element of the application.
        '$$x \\tag{1} \\label{main}$$',
        // A macro that expands to hundreds of thousands of letters stays text, like a link.
        `$$\\def\\a{${'x'.repeat(900)}}${'\\a '.repeat(350)}$$`,
        '$\\href{javascript:alert(1)}{x}$',
        '',
      ].join('\n\n')
      const { body } = await app.server.post('/v1/notes', { title: 'Formulas', content })
      await page.goto(`${app.server.url}/app/notes/${body.note.id}`)
      await untilCount(page, '.cm-content math', 4)
      expect(await page.$('math :is([id], [href])')).toBeNull()
      expect(await page.$eval('.md-formula.display', (one) => one.querySelector('mfrac') !== null)).toBe(true)
      expect(await page.$eval('.cm-content', (one) => one.textContent)).toContain('costs $5 and $6.')
      await page.goto(`${app.server.url}/app/notes/${body.note.id}?show=preview`)
      await untilCount(page, '.read math', 4)
      expect((await app.server.get(`/v1/notes/${body.note.id}`)).body.note.content).toBe(content)
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
