import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'

describe.skipIf(!hasBrowser)('the finder', () => {
  let app: Application
  let page: Page
  const refused: string[] = []

  beforeAll(async () => {
    app = await startApplication()
    const { server } = app
    await server.post('/v1/notes', { title: 'Wheel building', content: 'Spokes cross three times.' })
    await server.post('/v1/notes', { title: 'Gear indexing' })
    await server.post('/v1/records/structures', {
      name: 'Orders',
      fields: [
        { key: 'number', type: 'text' },
        { key: 'about', type: 'text' },
      ],
    })
    await server.post('/v1/records', { structure: 'Orders', data: { number: '2026-1187', about: 'new hub' } })
    page = await app.newPage()
    await app.signIn(page)
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`)
    })
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  async function open() {
    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    await page.waitForSelector('dialog.palette:modal input:focus')
  }
  const isClosed = () => page.waitForSelector('dialog:modal', { hidden: true })
  const TITLES = `JSON.stringify([...document.querySelectorAll('.palette [role=option] > span')].map((one) => one.textContent))`
  /** Waits until exactly these titles are found. */
  const shows = (titles: string[]) =>
    page.waitForFunction(`${TITLES} === ${JSON.stringify(JSON.stringify(titles))}`)
  const showsAnything = () => page.waitForSelector('.palette [role=option]')

  test(
    'finds notes by their text and opens one, with the keyboard alone',
    async () => {
      await open()
      await page.keyboard.type('spokes cro')
      await shows(['Wheel building', 'New note “spokes cro”'])
      await page.keyboard.press('Enter')
      await isClosed()
      expect(page.url()).toMatch(/\/app\/notes\/[\w-]{36}$/)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'offers the note with exactly this title first, then those whose title begins so; Esc closes it',
    async () => {
      const { server } = app
      await server.post('/v1/notes', { title: 'Tax return 2026' })
      await server.post('/v1/notes', { title: 'Tax return 2026, letters' })
      for (let day = 1; day <= 8; day++)
        await server.post('/v1/notes', {
          title: `2026-09-0${day}`,
          content: 'The tax return 2026 and again the tax return 2026.',
        })
      await open()
      await page.keyboard.type('tax return 2026')
      await page.waitForFunction(`${TITLES}.startsWith('["Tax return 2026","Tax return 2026, letters"')`)
      await page.keyboard.press('Escape')
      await isClosed()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'finds a row by any of its values, and shows what it is called',
    async () => {
      await open()
      await page.keyboard.type('hub')
      await shows(['2026-1187', 'New note “hub”'])
      await page.keyboard.press('Enter')
      await isClosed()
      expect(page.url()).toMatch(/\/app\/records\/[\w-]{36}\/[\w-]{36}$/)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'never opens what was found for an older text',
    async () => {
      await open()
      await showsAnything()
      await page.keyboard.type('wheel')
      await page.keyboard.press('Enter')
      await isClosed()
      const id = page.url().split('/').at(-1)
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.title).toBe('Wheel building')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'goes to places, and makes a note with what was typed as its title',
    async () => {
      await open()
      await page.keyboard.type('webh')
      await shows(['Webhooks', 'New note “webh”'])
      await page.keyboard.press('Enter')
      await isClosed()
      expect(page.url()).toEndWith('/app/webhooks')
      await open()
      await page.keyboard.type('Frame alignment')
      await shows(['New note “Frame alignment”'])
      await page.keyboard.press('Enter')
      await page.waitForFunction(`location.pathname.startsWith('/app/notes/')`)
      const { notes } = (await app.server.get('/v1/notes?search=alignment')).body
      expect(notes.map(({ title }: { title: string }) => title)).toEqual(['Frame alignment'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows the keys at a question mark, but not while a text is written',
    async () => {
      await open()
      await page.keyboard.type('?')
      await showsAnything()
      expect(await page.$('.keys-dialog:modal')).toBeNull()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await isClosed()
      await page.evaluate('document.activeElement?.blur()')
      await page.keyboard.press('?')
      await page.waitForSelector('.keys-dialog:modal')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.keyboard.press('Escape')
      await isClosed()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is accessible, and asks nobody but the server',
    async () => {
      await open()
      await showsAnything()
      expect(await accessibilityProblems(page)).toEqual([])
      expect([...app.problems, ...refused]).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
