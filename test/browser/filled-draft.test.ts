import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, contentOf, startApplication, untilText } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { untilAddress } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('the address of a new note', () => {
  let app: Application
  let page: Page

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  interface Listed {
    readonly id: string
    readonly title: string
    readonly content: string
    readonly tags: readonly string[]
  }
  const notes = async () => (await app.server.get('/v1/notes')).body.notes as Listed[]

  test(
    'opens a filled draft that is stored only at the first edit, as one note with that address',
    async () => {
      const given = { title: 'Hubs & rims', text: 'First line\nsecond line', tags: 'bike, #work/parts,,bike' }
      await page.goto(`${app.server.url}/app/new?${new URLSearchParams(given)}`)
      await page.waitForSelector('.text-field')
      expect(await contentOf(page, 'Title')).toBe(given.title)
      expect(await contentOf(page, 'Text')).toBe(given.text)
      expect(await page.$eval('[aria-label=Tags]', (tags) => tags.textContent)).toBe('bikework/parts')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.reload()
      await page.waitForSelector('.text-field')
      expect(await contentOf(page, 'Text')).toBe(given.text)
      expect(await notes()).toEqual([])

      await page.focus('.text-field')
      await page.keyboard.down('Control')
      await page.keyboard.press('End')
      await page.keyboard.up('Control')
      await page.keyboard.type('!')
      await untilAddress(page, ({ pathname }) => /^.app.notes.[0-9a-f-]{36}$/.test(pathname))
      await untilText(page, 'Saved')
      const [note, ...others] = await notes()
      expect(others).toEqual([])
      expect(note).toMatchObject({
        title: given.title,
        content: `${given.text}!`,
        tags: ['bike', 'work/parts'],
      })
      expect(await page.evaluate(() => location.pathname + location.search)).toBe(`/app/notes/${note?.id}`)
      await page.reload()
      await page.waitForSelector('.cm-content')
      expect(await notes()).toHaveLength(1)
    },
    BROWSER_TIMEOUT_MS,
  )
})
