import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isDeepStrictEqual } from 'node:util'
import type { HTTPRequest, Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication, until, untilTextIn } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { leaveFocus, textOf, textsOf } from '../support/page-acts.ts'
import { foundTitles, hiddenMarks } from '../support/screens/finder.ts'
import { untilAddress, untilFocused, untilTextStarts, untilTexts, untilValue } from '../support/waits.ts'

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
  /** Waits until the results are exactly these titles. */
  const shows = (titles: string[]) => until(async () => isDeepStrictEqual(await foundTitles(page), titles))
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
    'offers the note with exactly this title first, then titles that begin with it; Esc closes it',
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
      await until(async () => {
        const [first, second] = await foundTitles(page)
        return first === 'Tax return 2026' && second === 'Tax return 2026, letters'
      })
      await page.keyboard.press('Escape')
      await isClosed()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'lists a note found by alias before text hits, whose matches are visible',
    async () => {
      const { server } = app
      await server.post('/v1/notes', { title: 'Cost ledger', alias: 'Money book', tags: ['home/money'] })
      const content = `${'Nothing of note here. '.repeat(6)}The money book lies below [[Gear indexing]].`
      await server.post('/v1/notes', { title: 'Where things are', content })
      await open()
      await page.keyboard.type('money book')
      await shows(['Cost ledger', 'Where things are', 'New note “money book”'])
      expect(await textsOf(page, '.found :is(.group, .tag)')).toEqual([
        'Title',
        'home/money',
        'In the text',
        'Actions',
      ])
      expect(await hiddenMarks(page)).toBe(0)
      expect(await textOf(page, '.palette .clamp:has(mark)')).toEndWith(
        'The money book lies below Gear indexing.',
      )
      await page.keyboard.press('Enter')
      await untilValue(page, '#note .title-field', 'Cost ledger')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'opens the full list of results when there are more than it offers',
    async () => {
      for (let at = 0; at < 9; at++) await app.server.post('/v1/notes', { title: `Rim ${at}` })
      await open()
      await page.keyboard.type('rim')
      await page.waitForSelector('#all-notes')
      await page.click('#all-notes')
      await untilTextStarts(page, '#list .list-end', '9 notes')
      // The best match opens beside the list.
      await untilValue(page, '#note .title-field', 'Rim 8')
      expect(new URL(page.url()).search).toBe('?search=rim')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'sends one request for a word, of all that is asked meanwhile',
    async () => {
      // The page may still read its lists, whose addresses do not contain the word.
      const sent: string[] = []
      const note = (request: HTTPRequest) => {
        if (request.url().includes('1187')) sent.push(request.url().slice(app.server.url.length))
      }
      await open()
      await showsAnything()
      page.on('request', note)
      await page.keyboard.type('1187')
      await shows(['2026-1187', 'New note “1187”'])
      page.off('request', note)
      const searches = sent.filter((path) => path.startsWith('/v1/search?'))
      expect(searches.at(-1)).toContain('q=1187')
      expect(sent).toEqual(searches)
      expect(searches.length).toBeLessThanOrEqual(4)
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
    'never opens a result of an older query',
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
    'opens screens, and creates a note titled with the typed text',
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
      await untilAddress(page, ({ pathname }) => pathname.startsWith('/app/notes/'))
      const { notes } = (await app.server.get('/v1/notes?search=alignment')).body
      expect(notes.map(({ title }: { title: string }) => title)).toEqual(['Frame alignment'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'finds what is half remembered: beginnings of words, some of the words, and titles with a typing error',
    async () => {
      const { server } = app
      await server.post('/v1/notes', { title: 'House', content: 'Mind the gas valve, then order bricks.' })
      await server.post('/v1/notes', { title: 'Basic formatting syntax', content: 'Bold and more.' })
      await open()
      await page.keyboard.type('gas valv brick')
      await shows(['House', 'New note “gas valv brick”'])
      await page.keyboard.press('Escape')
      // The results of earlier keys stay until those of the last one arrive.
      const hasGroups = (groups: string[]) => untilTexts(page, '.palette .group', groups)
      for (const typed of ['basic syntax formating', 'formatt syntx']) {
        await open()
        await page.keyboard.type(typed)
        await shows(['Basic formatting syntax', `New note “${typed}”`])
        await hasGroups(['Similar titles', 'Actions'])
        await page.keyboard.press('Escape')
      }
      await open()
      await page.keyboard.type('bricks xylophone')
      await shows(['House', 'New note “bricks xylophone”'])
      await hasGroups(['Some of the words', 'Actions'])
      // The selected result is shown beside the list, and one kind of result can be shown alone.
      await untilTextIn(page, '.finder-preview', 'Mind the gas valve, then order bricks.')
      await page.click('.kinds button:last-child')
      await shows(['New note “bricks xylophone”'])
      await page.click('.kinds button:nth-child(2)')
      await shows(['House'])
      await page.keyboard.press('Enter')
      await untilValue(page, '#note .title-field', 'House')
      // Typing goes on in the opened note.
      await untilFocused(page, '.cm-content')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows the shortcuts at a question mark, but not while typing',
    async () => {
      await open()
      await page.keyboard.type('?')
      await showsAnything()
      expect(await page.$('.keys-dialog:modal')).toBeNull()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await isClosed()
      await leaveFocus(page)
      await page.keyboard.press('?')
      await page.waitForSelector('.keys-dialog:modal')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.keyboard.press('Escape')
      await isClosed()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is accessible, and contacts no other host',
    async () => {
      await open()
      await showsAnything()
      expect(await accessibilityProblems(page)).toEqual([])
      expect([...app.problems, ...refused]).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
