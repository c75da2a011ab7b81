import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, contentOf, press, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'

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
      await page.waitForSelector('[aria-label="Costs for first key"]')
      await page.select('[aria-label="Costs for first key"]', 'none')
      await page.waitForFunction(
        `document.querySelector('[aria-label="Costs for first key"]')?.value === 'none'`,
      )
      expect((await call('GET', '/v1/records?structure=Costs', key)).status).toBe(404)
      // By keyboard alone: a choice is one letter away, the next key of the table one Tab.
      await page.focus('[aria-label="Leads for first key"]')
      await page.keyboard.press('Tab')
      const focused = 'document.activeElement?.getAttribute("aria-label")'
      expect(await page.evaluate(focused)).toBe('Costs for first key')
      await page.keyboard.type('r')
      const costs = () => call('GET', '/v1/records?structure=Costs', key)
      while ((await costs()).status === 404) await Bun.sleep(50)
      expect((await call('POST', '/v1/records', key, { structure: 'Costs', data: {} })).status).toBe(403)
      expect(await page.evaluate(focused)).toBe('Costs for first key')
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
          await page.evaluate(`document.getElementById('access').scrollIntoView()`)
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
          // Phones show every choice, beside the name of its object.
          if (width === 390)
            expect(
              await page.evaluate(`[...document.querySelectorAll('.access-table td')].every((cell) => {
                const { left, right } = cell.getBoundingClientRect()
                return left >= 0 && right <= innerWidth
              }) && document.querySelector('.access-table').scrollWidth <= document.querySelector('.access-table').clientWidth`),
            ).toBe(true)
          expect(await accessibilityProblems(page, [[width, scheme]])).toEqual([])
        }
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
