import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ElementHandle, Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, contentOf, fill, press, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { fitsAcross, focusedName, shownText } from '../support/page-acts.ts'
import { chooseRoleOfNew, setupLinkOf } from '../support/screens/members.ts'
import { chooseAccess, focusAccess, untilAccess } from '../support/screens/settings.ts'
import { untilGone, untilNoTextIn } from '../support/waits.ts'

const select = async (page: Page, label: string, value: string) => {
  const field = await page.waitForSelector(`xpath///label[span="${label}"]/select`)
  await (field as ElementHandle).select(value)
}

describe.skipIf(!hasBrowser)('the access table', () => {
  let app: Application

  beforeAll(async () => {
    app = await startApplication()
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'narrows a key, and makes one for a website with the lines that use it',
    async () => {
      const call = (method: string, path: string, key: string | undefined, body?: object) =>
        fetch(app.server.url + path, {
          method,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
      const { key } = app.server
      const fields = [{ key: 'email', type: 'text' }]
      for (const name of ['Leads', 'Costs'])
        await call('POST', '/v1/records/structures', key, { name, fields })
      const page = await app.newPage()
      await app.signIn(page)
      await page.goto(`${app.server.url}/app/settings/access`)
      await chooseAccess(page, { object: 'Costs', to: 'first key', access: 'none' })
      await untilAccess(page, { object: 'Costs', to: 'first key', access: 'none' })
      expect((await call('GET', '/v1/records?structure=Costs', key)).status).toBe(404)
      // By keyboard alone: a choice is one letter away, the next key of the table one Tab.
      await focusAccess(page, 'Leads', 'first key')
      await page.keyboard.press('Tab')
      expect(await focusedName(page)).toBe('Costs for first key')
      await page.keyboard.type('r')
      const costs = () => call('GET', '/v1/records?structure=Costs', key)
      while ((await costs()).status === 404) await Bun.sleep(50)
      expect((await call('POST', '/v1/records', key, { structure: 'Costs', data: {} })).status).toBe(403)
      expect(await focusedName(page)).toBe('Costs for first key')
      await press(page, 'Create website key')
      const secret = String(await contentOf(page, 'Website key for Leads'))
      const lines = String(await contentOf(page, 'Code for the website'))
      await new Function(`return (async () => { ${lines} })()`)()
      expect((await call('GET', '/v1/records?structure=Leads', secret)).status).toBe(403)
      const listed = await call('GET', '/v1/records?structure=Leads', key)
      const rows = (await listed.json()) as { records: { data: object }[] }
      expect(rows.records.map(({ data }) => data)).toEqual([{ email: 'text' }])
      for (const width of [1440, 1280, 768, 390])
        for (const scheme of ['light', 'dark'] as const) {
          await page.setViewport({ width, height: 900 })
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
          await page.$eval('#access', (section) => section.scrollIntoView())
          expect(await fitsAcross(page)).toBe(true)
          // Phones show every choice, beside the name of its object.
          if (width === 390)
            expect(
              await page.$eval('.access-table', (table) => {
                const isInside = (cell: Element) => {
                  const { left, right } = cell.getBoundingClientRect()
                  return left >= 0 && right <= innerWidth
                }
                return (
                  table.scrollWidth <= table.clientWidth && [...table.querySelectorAll('td')].every(isInside)
                )
              }),
            ).toBe(true)
          expect(await accessibilityProblems(page, [[width, scheme]])).toEqual([])
        }
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is set in the invitation; a reader of notes and a table has no controls for writing',
    async () => {
      const { server } = app
      const fields = [{ key: 'name', type: 'text' }]
      await server.post('/v1/records/structures', { name: 'Polls', fields })
      await server.post('/v1/records', { structure: 'Polls', data: { name: 'May' } })
      const page = await app.newPage()
      await app.signIn(page)
      await page.goto(`${server.url}/app/settings/members`)
      await fill(page, 'New member’s name', 'mira')
      await chooseRoleOfNew(page, 'editor')
      await press(page, 'Limit access…')
      await select(page, 'Notes', 'read')
      await select(page, 'Polls', 'read')
      await select(page, 'Other tables', 'none')
      await press(page, 'Add member')
      const link = await setupLinkOf(page, 'mira')
      expect(await accessibilityProblems(page)).toEqual([])
      const reader = await app.newPage()
      await app.setUp(reader, link)
      await reader.goto(`${server.url}/app/records`)
      await reader.waitForSelector('.grid td[data-row="0"]')
      await untilNoTextIn(reader, '.rail', 'New table')
      const text = await shownText(reader)
      for (const control of ['New row', 'Fields', 'New table', 'Import CSV', 'Ctrl V', 'Leads'])
        expect([control, text.includes(control)]).toEqual([control, false])
      expect(await reader.$('.grid tfoot .new-row')).toBeNull()
      expect(await reader.$('.grid .margin input')).toBeNull()
      expect(await reader.$('.grid .add-field')).toBeNull()
      const { note } = (await server.post('/v1/notes', { title: 'House rules', content: 'Be kind.' })).body
      await reader.goto(`${server.url}/app/notes/${note.id}`)
      await reader.waitForSelector('#note h2.title:not(:has(textarea))')
      await untilGone(reader, '[aria-label="New note (N)"]')
      await reader.keyboard.press('n')
      expect(new URL(reader.url()).pathname).toBe(`/app/notes/${note.id}`)
      // A later change of access revokes an unused link, and offers a new one.
      await fill(page, 'New member’s name', 'noah')
      await press(page, 'Add member')
      await setupLinkOf(page, 'noah')
      await page.goto(`${server.url}/app/settings/access`)
      await chooseAccess(page, { object: 'Polls', to: 'noah', access: 'none' })
      await press(page, 'Create a new link')
      const later = await app.newPage()
      await app.setUp(later, await setupLinkOf(page, 'noah'))
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
