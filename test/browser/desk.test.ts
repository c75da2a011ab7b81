import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  fieldOf,
  press,
  startApplication,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import {
  untilAddress,
  untilCount,
  untilRead,
  untilValue,
  untilValueStarts,
  untilVisible,
} from '../support/waits.ts'

describe.skipIf(!hasBrowser)('notes on a desktop', () => {
  let app: Application
  let page: Page

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage({ width: 1440 })
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const createNote = async (title: string, content = '', more: object = {}): Promise<string> =>
    (await app.server.post('/v1/notes', { title, content, ...more })).body.note.id
  const open = async (path: string) => {
    await page.setViewport({ width: 1440, height: 900 })
    await page.goto(`${app.server.url}/app/notes/${path}`)
    await page.waitForSelector('#note .cm-content, #note .text-field, #note .read')
  }
  const titleIs = (title: string) => untilValue(page, '#note .title-field', title)
  const storedContent = async (id: string): Promise<string> =>
    (await app.server.get(`/v1/notes/${id}`)).body.note.content

  test(
    'a code block has the colours of its language, in the editor and in the preview',
    async () => {
      const id = await createNote('Program', '```ts\nconst cone = 9 // hot\n```\n\n```nothing\nconst\n```\n')
      await open(id)
      await page.waitForSelector('.cm-line .code-keyword')
      const coloured = (within: string) =>
        page.$$eval(`${within} [class^=code-]`, (found) =>
          found.map(({ textContent, className }) => `${textContent} ${className}`),
        )
      const parts = ['const code-keyword', 'cone code-name', '9 code-value', '// hot code-comment']
      expect(await coloured('.cm-line')).toEqual(parts)
      await open(`${id}?show=preview`)
      await page.waitForSelector('.read .code-keyword')
      expect(await coloured('.read pre')).toEqual(parts)
      expect(await accessibilityProblems(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'headings in the outline, and links with a heading, scroll to that heading',
    async () => {
      const filler = 'Words.\n\n'.repeat(80)
      const id = await createNote(
        'Long one',
        `# First\n\n${filler}## Second **part**\n\n\`\`\`\n# no heading\n\`\`\`\n${filler}## Third\n\nend`,
      )
      const from = await createNote('Pointer', 'See [[Long one#Third]].')
      await open(id)
      await page.waitForSelector('.outline')
      const names = await page.$$eval('.outline li', (items) => items.map(({ textContent }) => textContent))
      expect(names).toEqual(['First', 'Second part', 'Third'])
      await press(page, 'Third')
      const atThird = () =>
        page.waitForFunction(() =>
          [...document.querySelectorAll('.cm-line')].some(
            (line) => line.textContent.includes('Third') && line.getBoundingClientRect().top < innerHeight,
          ),
        )
      await atThird()
      await open(from)
      await page.waitForSelector('a.md-to')
      await page.click('a.md-to')
      await titleIs('Long one')
      await atThird()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a note is duplicated with tags, properties and files; Undo restores a trashed one',
    async () => {
      await app.server.post('/v1/properties', { key: 'cone', label: 'Cone', type: 'number' })
      const id = await createNote('Glaze', 'Whiting', { tags: ['kiln'], properties: { cone: 9 } })
      await open(id)
      await press(page, 'More actions')
      await press(page, 'Duplicate')
      await titleIs('Glaze (copy)')
      const copy = page.url().split('/').at(-1) ?? ''
      const { note } = (await app.server.get(`/v1/notes/${copy}`)).body
      expect([note.content, note.tags]).toEqual(['Whiting', ['kiln']])
      expect((await app.server.get(`/v1/notes/${copy}/properties`)).body.properties.cone).toBe(9)
      await press(page, 'More actions')
      await press(page, 'Move to trash')
      await untilTextIn(page, '#list .banner', '“Glaze (copy)” is in the trash.')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1440, height: 900 })
      await press(page, 'Undo')
      await titleIs('Glaze (copy)')
      expect((await app.server.get(`/v1/notes/${copy}`)).status).toBe(200)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a daily note shows its week and due rows of tables, and leads to other days',
    async () => {
      const { server } = app
      await server.post('/v1/records/structures', {
        name: 'Orders',
        fields: [
          { key: 'what', type: 'text' },
          { key: 'due', type: 'date', label: 'Due' },
        ],
      })
      for (const [what, due] of [
        ['Six bowls', '2026-11-25'],
        ['Two vases', '2026-11-26'],
      ])
        await server.post('/v1/records', { structure: 'Orders', data: { what, due } })
      await createNote('2026-11-26', 'A day.')
      await open('today?day=2026-11-25')
      await untilTextIn(page, '.due', 'Six bowls')
      expect(await page.$eval('.due', ({ textContent }) => textContent?.includes('Two vases'))).toBe(false)
      await untilCount(page, '.day-bar .written', 1)
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1440, height: 900 })
      await page.click('.day-bar .written')
      await titleIs('2026-11-26')
      await untilTextIn(page, '.due', 'Two vases')
      await press(page, 'Month')
      const date = await fieldOf(page, 'Go to date')
      await date.evaluate((field) => {
        const input = field as unknown as { value: string; dispatchEvent(event: unknown): void }
        input.value = '2026-12-24'
        input.dispatchEvent(new Event('change', { bubbles: true }))
      })
      await untilAddress(page, ({ search }) => search.includes('title=2026-12-24'))
      await press(page, 'Month')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a daily note begins with the preset of its name, and its month leads to every day',
    async () => {
      await app.server.post('/v1/presets', {
        name: 'Daily note',
        content: '## Plan for {{date}}\n',
        tags: ['day'],
      })
      await open('today?day=2026-10-05')
      await untilValue(page, '.text-field', '## Plan for 2026-10-05\n')
      await untilTextIn(page, '.sheet .tags', 'day')
      await page.click('.day-bar > button')
      await untilCount(page, '.days.month > a:not(.icon-only)', 35)
      expect(await accessibilityProblems(page)).toEqual([])
      await page.click('.days.month > a[href*="2026-10-31"]')
      await untilAddress(page, ({ search }) => search.includes('title=2026-10-31'))
      await page.click('.day-bar > button')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the note of a day has the hours of its passages in the margin, and other notes have none',
    async () => {
      const today = new Intl.DateTimeFormat('sv-SE').format(new Date())
      const id = await createNote(today, 'Mixed the glaze.\n\n')
      await open(id)
      const hours = () =>
        page.$$eval('.hour-line', (lines) =>
          lines.map((line) => `${line.getAttribute('data-hour')} ${line.textContent}`),
        )
      await page.waitForSelector('.hour-line')
      expect(await hours()).toEqual([expect.stringMatching(/^\d\d:\d\d Mixed the glaze\.$/)])
      await page.evaluate(() => {
        Date.now = () => new Date().setHours(23, 59)
      })
      await page.click('.cm-content')
      await page.keyboard.down('Control')
      await page.keyboard.press('End')
      await page.keyboard.up('Control')
      await page.keyboard.type('Fired it.')
      await untilCount(page, '.hour-line', 2)
      expect((await hours())[1]).toBe('23:59 Fired it.')
      const isSeen = await page.$eval('.hour-line', (line) => {
        const { width, right } = getComputedStyle(line, '::after')
        const start = line.getBoundingClientRect().right - Number.parseFloat(right) - Number.parseFloat(width)
        return (
          start >= (line.closest('.cm-scroller')?.getBoundingClientRect().left ?? Number.POSITIVE_INFINITY)
        )
      })
      expect(isSeen).toBe(true)
      expect(await accessibilityProblems(page)).toEqual([])
      await open(await createNote('Other', 'Not of a day.'))
      expect(await page.$('.hour-line')).toBeNull()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a preset with a text starts a note with one click above the list',
    async () => {
      await app.server.post('/v1/presets', { name: 'Kiln log', content: '## Load\n', tags: ['kiln'] })
      await page.goto(`${app.server.url}/app/notes`)
      await press(page, 'Kiln log')
      await untilValueStarts(page, '#note .title-field', 'Kiln log, ')
      expect(await storedContent(page.url().split('/').at(-1) ?? '')).toContain('## Load')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a phone has a formatting bar above its keyboard',
    async () => {
      const id = await createNote('Phone', 'milk')
      await open(id)
      await page.setViewport({ width: 390, height: 844 })
      await page.focus('.cm-content')
      await page.keyboard.down('Control')
      await page.keyboard.press('End')
      await page.keyboard.up('Control')
      await untilVisible(page, '.writing-bar')
      await press(page, 'Task')
      await page.keyboard.press('Enter')
      await page.keyboard.type('bread')
      await press(page, 'Indent')
      await press(page, 'Bold')
      await page.keyboard.type('!')
      await untilRead(
        page,
        `/v1/notes/${id}`,
        ({ note }) => note.content === '- [ ] milk\n  - [ ] bread**!**',
      )
      await page.keyboard.press('Enter')
      await press(page, 'Insert')
      await page.waitForSelector('.cm-tooltip-autocomplete')
      expect(await accessibilityProblems(page, [[390, 'light']])).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test('no page had an error', () => expect(app.problems).toEqual([]))
})
