import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, press as clickOn, fill, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { gridOn } from '../support/grid.ts'

const HOOK = 'https://hooks.example.com/parts'

describe.skipIf(!hasBrowser)('the form of a structure', () => {
  let app: Application
  let page: Page

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  /** Creates a structure, and opens its form. */
  async function make(name: string, { rows = [] as object[], isEmptied = false, hook = false } = {}) {
    const { server } = app
    const fields = ['Part', 'Bin', 'Shelf'].map((label) => ({
      key: label.toLowerCase(),
      type: 'text',
      label,
    }))
    const { structure } = (await server.post('/v1/records/structures', { name, fields })).body
    if (rows.length > 0) {
      const { records } = (await server.post('/v1/records', { structure: name, rows })).body
      for (const { id } of isEmptied ? records : []) await server.delete(`/v1/records/${id}`)
    }
    if (hook) {
      const made = await server.post('/v1/webhooks', { structure: name, url: HOOK, fields: ['bin'] })
      expect(made.status).toBe(201)
    }
    await page.goto(`${server.url}/app/records/${structure.id}/structure`)
    await page.waitForSelector('.definition')
    return structure.id as string
  }
  const has = (text: string) => gridOn(page).has(text)
  const read = async (id: string) =>
    (await app.server.get(`/v1/records/structures/${id}`)).body.structure.fields.map(
      ({ key }: { key: string }) => key,
    )

  test(
    'explains that a field is permanent once there were rows, even if all were deleted',
    async () => {
      await make('Emptied', { rows: [{ data: { part: 'A' } }], isEmptied: true })
      await has('This table had rows. You can add, relabel, hide or convert fields, but not delete them.')
      expect(await page.$$eval('.definition .fixed', ({ length }) => length)).toBe(6)
      expect(await page.$$eval('[aria-label^="Remove"]', ({ length }) => length)).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'names the users of a field that is removed before there are rows',
    async () => {
      const id = await make('Hooked', { hook: true })
      await clickOn(page, 'Remove Bin')
      await has('"bin" is named by')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1280, height: 800 })
      await clickOn(page, 'Save table')
      await has('"bin" is named by')
      expect(await read(id)).toEqual(['part', 'bin', 'shelf'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'renames the key of a field before there are rows',
    async () => {
      const id = await make('Renamed')
      await fill(page, 'API name', 'number')
      await clickOn(page, 'Save table')
      await has('Saved.')
      expect(await read(id)).toEqual(['number', 'bin', 'shelf'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'names rows that violate a new unique combination',
    async () => {
      const rows = [
        { data: { part: 'A', bin: '1' } },
        { data: { part: 'A', bin: '2' } },
        { data: { part: 'A', bin: '2' } },
        { data: { part: 'B' } },
        { data: { part: 'B' } },
      ]
      await make('Sets', { rows })
      await clickOn(page, 'Add combination')
      await page.locator('.checks label:nth-of-type(1) input').click()
      await page.locator('.checks label:nth-of-type(2) input').click()
      await has('The fields "part" and "bin" together cannot become unique while rows collide')
      await page.locator('.checks label:nth-of-type(3) input').click()
      await gridOn(page).hasNot('cannot become unique')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows that a name is taken before a table is created',
    async () => {
      await make('Taken')
      await page.goto(`${app.server.url}/app/records/new`)
      await clickOn(page, 'Set up fields and rules first')
      await page.waitForSelector('.definition')
      await page.type('input[name=name]', 'TAKEN')
      await has('A table named “Taken” already exists')
    },
    BROWSER_TIMEOUT_MS,
  )

  test('has no error on the console', () => {
    expect(app.problems).toEqual([])
  })
})
