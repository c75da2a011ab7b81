import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, press, startApplication, untilTextIn } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { untilOneIs } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('the looks of notes and rows', () => {
  let app: Application
  let page: Page

  const go = async (path: string, wanted: string) => {
    await page.goto(`${app.server.url}/app/${path}`)
    await page.waitForSelector(wanted)
  }

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage({ width: 1440 })
    await page
      .browserContext()
      .overridePermissions(app.server.url, ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write'])
    await app.signIn(page)
    await page.bringToFront()
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'nested lists step in with a bullet for each level, callouts have room, and code is copied',
    async () => {
      const content =
        'start\n\n- one\n  - two\n    - three\n\n> [!note] Callout\n> text\n\n```js\nlet x = 1\n```\n\nend'
      const { id } = (await app.server.post('/v1/notes', { title: 'Looks', content })).body.note
      await go(`notes/${id}`, '.md-bullet')
      const bullets = await page.$$eval('.md-bullet', (all) =>
        all.map((one) => ({ text: one.textContent, x: one.getBoundingClientRect().x })),
      )
      expect(bullets.map(({ text }) => text?.trim())).toEqual(['•', '◦', '▪'])
      const [first, second, third] = bullets.map(({ x }) => x)
      expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(20)
      expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(20)
      const paddings = await page.$$eval('.cm-line.md-callout', (lines) =>
        lines.flatMap((line) => {
          const { paddingTop, paddingBottom } = getComputedStyle(line)
          return [paddingTop, paddingBottom]
        }),
      )
      expect(paddings.filter((padding) => padding !== '0px').length).toBeGreaterThanOrEqual(2)
      await page.hover('.cm-content')
      await page.click('.md-copy')
      await page.waitForFunction(() =>
        navigator.clipboard.readText().then((text) => text.trim() === 'let x = 1'),
      )
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a row shows the fields that are set; a conversion that reads nothing cannot be started',
    async () => {
      const { server } = app
      const others = Array.from({ length: 10 }, (_, at) => `f${at}`)
      const fields = ['what', 'price', ...others].map((key) => ({ key, type: 'text' }))
      const { structure } = (await server.post('/v1/records/structures', { name: 'Jobs', fields })).body
      const data = { what: 'Bench', price: 'ask' }
      const [record] = (await server.post('/v1/records', { structure: 'Jobs', rows: [{ data }] })).body
        .records
      await go(`records/${structure.id}/${record.id}`, '#value-what')
      await untilTextIn(page, '.pane.side', '8 empty fields')
      expect(await page.$('#value-f9')).toBeNull()
      await press(page, 'Show 8 empty fields')
      await page.waitForSelector('#value-f9')

      await go(`records/${structure.id}/structure`, '.definition')
      await press(page, 'Convert price')
      await page.waitForSelector('dialog.modal select')
      await page.select('dialog.modal select', 'number')
      await untilTextIn(page, 'dialog.modal', '1 cannot be converted')
      await untilOneIs(page, 'dialog.modal button:disabled', 'Convert')
    },
    BROWSER_TIMEOUT_MS,
  )

  test('no page had an error', () => expect(app.problems).toEqual([]))
})
