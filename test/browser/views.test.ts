import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  fieldOf,
  fill,
  press,
  startApplication,
  untilText,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { untilAddress, untilCount, untilTexts } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('views, presets, lenses, tags and properties in a browser', () => {
  let app: Application
  let page: Page

  const go = async (where: string) => {
    await page.goto(`${app.server.url}/app/views/${where}`)
    await page.waitForSelector('.content .tabs')
  }
  const read = async (path: string) => (await app.server.get(path)).body
  /** Presses a button reached by keyboard. */
  const pressByKey = async (name: string) => {
    await page.waitForFunction(
      (wanted) => {
        const found = [...document.querySelectorAll<HTMLElement>('button, a')].find(
          (one) => (one.ariaLabel ?? one.textContent.trim()) === wanted,
        )
        found?.focus()
        return found !== undefined
      },
      {},
      name,
    )
    await page.keyboard.press('Enter')
  }
  const choose = async (label: string, value: string) => {
    await page.waitForSelector(`select[aria-label="${label}"]`)
    await page.select(`select[aria-label="${label}"]`, value)
  }
  const remove = async (name: string) => {
    await press(page, 'Delete…')
    await fill(page, `Type “${name}” to confirm`, name)
    await page.keyboard.press('Enter')
  }

  beforeAll(async () => {
    app = await startApplication()
    const { server } = app
    for (const [title, tags] of [
      ['Wheel building', ['method']],
      ['Wheel log', ['log']],
      ['Brakes', ['method']],
    ] as const)
      await server.post('/v1/notes', { title, tags })
    await server.post('/v1/properties', { key: 'stars', type: 'number' })
    await server.post('/v1/properties', { key: 'due', type: 'date' })
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'a filter is built by clicking, and shows its sentence and number of notes immediately',
    async () => {
      await go('views/new')
      await untilText(page, '3 notes')
      await fill(page, 'Name', 'Wheels')
      await pressByKey('Condition')
      await fill(page, 'Value', 'wheel')
      await untilText(page, 'title contains "wheel"')
      await untilText(page, '2 notes')
      await pressByKey('Condition')
      await untilCount(page, '.condition', 2)
      await page.select('.tree > ul > li:last-child select', 'tags')
      await untilText(page, 'title contains "wheel" and tagged "log"')
      await untilText(page, '1 note')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1280, height: 800 })
      await press(page, 'Save')
      await untilAddress(page, ({ pathname }) => !pathname.endsWith('/new'))
      const [view] = (await read('/v1/views')).views
      expect([view.name, view.filter_summary]).toEqual(['Wheels', 'title contains "wheel" and tagged "log"'])
      await page.reload()
      await untilText(page, '1 note')
      expect(await page.$eval('.preview .sentence', ({ textContent }) => textContent)).toBe(
        view.filter_summary,
      )
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'refusals appear in the form that caused them, and nothing is lost',
    async () => {
      await go('properties/new')
      await fill(page, 'API name', 'Not A Key')
      await press(page, 'Save')
      await page.waitForSelector('.editor .why')
      expect((await read('/v1/properties')).properties).toHaveLength(2)
      await fill(page, 'API name', 'state')
      await press(page, 'Save')
      await untilAddress(page, ({ pathname }) => !pathname.endsWith('/new'))
      expect((await read('/v1/properties')).properties.map(({ key }: { key: string }) => key)).toEqual([
        'stars',
        'due',
        'state',
      ])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'properties are put in order with the keyboard',
    async () => {
      await go('properties')
      await untilText(page, 'state')
      await pressByKey('Move state up')
      await untilTexts(page, '.things strong', ['stars', 'state', 'due'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a preset and a lens are created, and deleted after typing their names',
    async () => {
      await go('presets/new')
      await fill(page, 'Name', 'Meeting')
      await fill(page, 'Tags, separated by commas', 'method, log')
      await (await fieldOf(page, 'Add a property')).select('stars')
      await fill(page, 'Value of stars', '5')
      await press(page, 'Save')
      await untilAddress(page, ({ pathname }) => !pathname.endsWith('/new'))
      const [preset] = (await read('/v1/presets')).presets
      expect([preset.tags, preset.properties]).toEqual([['log', 'method'], [{ key: 'stars', value: 5 }]])
      await remove('Meeting')
      await page.waitForSelector('dialog.modal', { hidden: true })
      expect((await read('/v1/presets')).presets).toEqual([])

      await go('lenses/new')
      await fill(page, 'Name', 'Methods')
      await press(page, 'Save')
      await untilAddress(page, ({ pathname }) => !pathname.endsWith('/new'))
      expect((await read('/v1/lenses')).lenses[0].name).toBe('Methods')
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'tags are added to a condition by selecting them',
    async () => {
      await go('views/new')
      await pressByKey('Condition')
      await choose('Field', 'tags')
      await untilText(page, 'tagged "log"')
      await choose('Add a tag', String((await read('/v1/tags')).tags[1].id))
      await untilText(page, 'tagged with any of "log", "method"')
      await untilText(page, '3 notes')
    },
    BROWSER_TIMEOUT_MS,
  )
})
