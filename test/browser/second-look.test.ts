import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS, untilStill } from '../support/application.ts'
import {
  type Application,
  press,
  startApplication,
  until,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { keyboardOn } from '../support/keyboard.ts'
import { clickText } from '../support/page-acts.ts'
import { upload } from '../support/page-requests.ts'
import { untilAddress, untilFocused, untilFocusIn, untilNoTextIn } from '../support/waits.ts'

/** A picture of 1 by 1 pixel. */
const DOT = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

describe.skipIf(!hasBrowser)('a second look at notes', () => {
  let app: Application
  let page: Page

  const noteOf = async (title: string, content = '', more: object = {}): Promise<string> =>
    (await app.server.post('/v1/notes', { title, content, ...more })).body.note.id
  const stored = async (id: string) => (await app.server.get(`/v1/notes/${id}`)).body.note
  const go = async (path: string, wanted: string) => {
    await page.setViewport({ width: 1280, height: 800 })
    await page.goto(`${app.server.url}/app/${path}`)
    await page.waitForSelector(wanted)
  }
  const editor = '#note .cm-content'

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage()
    await app.signIn(page)
    await page.bringToFront()
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'no half-typed title is stored, no link whose completion is open, and the own new note can be undone',
    async () => {
      await noteOf('Basic formatting syntax')
      await go('notes/new', '#note .title-field')
      await page.keyboard.type('Weekly', { delay: 40 })
      await page.waitForSelector(editor)
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      const { changes } = (await app.server.get('/v1/changes?before=now&limit=5')).body
      const titles = changes.filter((change: { id: string }) => change.id === id)
      expect(titles.map(({ op }: { op: string }) => op)).toEqual(['created'])
      expect((await stored(id)).title).toBe('Weekly')

      await page.click(editor)
      await page.keyboard.type('See [[Basic form')
      await untilTextIn(page, '.cm-tooltip-autocomplete', 'Basic formatting syntax')
      await page.click('.cm-tooltip-autocomplete li')
      await until(async () => (await stored(id)).content === 'See [[Basic formatting syntax]]')
      // The taken link leads to an existing note at once.
      expect(await page.$$('.md-dead')).toHaveLength(0)
      const { dangling = [] } = (await app.server.get(`/v1/notes/${id}/links`)).body
      expect(dangling).toEqual([])

      await go('changes', 'main h3')
      await untilTextIn(page, 'main', 'Weekly')
      await clickText(page, 'a, button', 'Undo…')
      await page.waitForSelector('[class*=side] button.main, aside button.main, .pane.side button.main')
      expect(
        await page.$$eval('.pane.side', (sides) => sides.map(({ textContent }) => textContent).join()),
      ).not.toContain('Changed since')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a shared page reads like the note: callouts, pictures below tasks, lines, colours of code and the face',
    async () => {
      const file = await upload(page, 'dot.gif', DOT)
      const id = await noteOf(
        'Glaze',
        `> [!warning] Mind the gas\n> valve\n\n- [x] mixed\n- [ ] fired\n\n![[file:${file}|dot.gif]]\n\n$x^2$\nbold this\n\n\`\`\`js\nconst heat = 1\n\`\`\``,
      )
      const { share } = (await app.server.post('/v1/shares', { kind: 'note', target_id: id })).body
      const visitor = await app.newPage()
      await visitor.goto(share.url)
      await visitor.waitForSelector('main img')
      expect(await visitor.$('li main img, main li img')).toBeNull()
      const callout = '[class*=callout]'
      const hues = await visitor.$eval(callout, (element) => {
        const style = (
          globalThis as unknown as { getComputedStyle(of: unknown): Record<string, string> }
        ).getComputedStyle(element)
        return [style.backgroundColor, style.borderInlineStartColor]
      })
      expect(hues).not.toContain('rgba(0, 0, 0, 0)')
      expect(await visitor.$eval(callout, ({ textContent }) => textContent)).toContain('Mind the gas')
      expect(
        await visitor.$$eval('[class^=code-]', (parts) => parts.map(({ textContent }) => textContent)),
      ).toContain('const')
      expect(
        await visitor.$$eval('main p:has(br)', (found) =>
          found.some(({ textContent }) => textContent?.includes('bold this')),
        ),
      ).toBe(true)
      expect(await visitor.evaluate(() => getComputedStyle(document.body).fontFamily)).toStartWith('Daybook')
      await visitor.waitForFunction(() => [...document.fonts].some(({ status }) => status === 'loaded'))
      expect(await accessibilityProblems(visitor)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the finder leads into the note, which the list shows and marks; N starts a note, or what the screen is about',
    async () => {
      const { server } = app
      const second = await noteOf('Anchor chain')
      const first = await noteOf('Anchor stone')
      for (let number = 0; number < 30; number++) await noteOf(`Filler ${number}`)
      await server.post('/v1/records/structures', { name: 'Jobs', fields: [{ key: 'what', type: 'text' }] })
      await server.post('/v1/presets', { name: 'Meeting', content: '## Agenda\n' })
      await go('notes', '#list .item')
      const keys = keyboardOn(page)
      await keys.hold('Control', 'k')
      await keys.type('anchor st')
      await untilTextIn(page, '#found', 'Anchor stone')
      await keys.press('Enter')
      await untilAddress(page, ({ pathname }) => pathname.endsWith(first))
      await untilFocusIn(page, '#note')
      await page.waitForFunction(() => {
        const box = document.querySelector('#list .chosen')?.getBoundingClientRect()
        return box && box.top >= 0 && box.bottom <= innerHeight
      })

      const { structures } = (await server.get('/v1/records/structures')).body
      for (const path of ['views/presets', 'changes', 'settings', 'files']) {
        await go(path, 'main')
        await page.waitForSelector('main h1, main h2')
        await untilStill(page)
        await keys.press('n')
        await untilAddress(page, ({ pathname }) => /\/(notes|presets)\/new$/.test(pathname))
      }
      await go(`records/${structures[0].id}`, '.grid')
      await keys.press('n')
      await untilTextIn(page, '.pane.side h2', 'New row')
      await go(`notes/${first}`, editor)
      await page.click(editor)
      await keys.type('/meet')
      await untilTextIn(page, '.cm-tooltip-autocomplete', 'Meeting')
      const offered = await page.$$eval('.cm-tooltip-autocomplete li', (all) =>
        all.map(({ textContent }) => textContent),
      )
      expect(offered.join()).not.toContain('Numbered list')
      await page.click('.cm-tooltip-autocomplete li')
      await untilTextIn(page, editor, 'Agenda')

      const read: string[] = []
      page.on('request', (request) => read.push(request.url()))
      await page.setViewport({ width: 390, height: 800 })
      await page.goto(`${server.url}/app/notes/${second}`)
      await page.waitForSelector(editor)
      await untilStill(page)
      expect(read.filter((address) => address.includes('limit=200&offset='))).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the open tasks of all notes are in one list, and ticked there',
    async () => {
      const id = await noteOf(
        'Van',
        '- [ ] call [[Mira|her]]\n- [x] pay\n\n```\n- [ ] no task\n```\n1. [ ] **load**',
      )
      await noteOf('Bread', 'No task.')
      await go('notes/today', '.day-bar')
      await keyboardOn(page).enter('Tasks')
      await untilTextIn(page, '#note', 'open task')
      const shown = () => page.$$eval('.tasks li', (all) => all.map(({ textContent }) => textContent))
      expect(await shown()).toEqual(expect.arrayContaining(['call her', 'load']))
      expect((await shown()).join()).not.toMatch(/no task|pay/)
      expect(await accessibilityProblems(page)).toEqual([])
      await page.focus('.tasks input')
      await keyboardOn(page).press('Space')
      await until(async () => (await stored(id)).content.startsWith('- [x] call'))
      await untilNoTextIn(page, '.tasks', 'call her')
      await untilFocused(page, '.tasks input')
      await press(page, 'Van')
      await untilAddress(page, ({ pathname }) => pathname.endsWith(id))
    },
    BROWSER_TIMEOUT_MS,
  )

  test('no page had an error', () => expect(app.problems).toEqual([]))
})
