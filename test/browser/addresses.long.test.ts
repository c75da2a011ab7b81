import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import type { Page } from 'puppeteer-core'
import { ALL_LOOKS, accessibilityProblems, BROWSER_TIMEOUT_MS, untilStill } from '../support/application.ts'
import { type Application, follow, press, startApplication, until } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { hasManyCases } from '../support/counts.ts'
import { fitsAcross, textsOf } from '../support/page-acts.ts'
import { watchPolicy } from '../support/page-policy.ts'
import { upload } from '../support/page-requests.ts'

/** The application's table of screens; the addresses below must cover all of them. */
const table = await Bun.file(resolve('src/web/pages/screens.ts')).text()
const screens = [...table.matchAll(/^ {2}(\w+): \(\) => import\(/gm)].map(([, name = '']) => name)
const settings = [
  ...(await Bun.file(resolve('src/web/pages/settings/screen.tsx')).text()).matchAll(
    /\{ name: '(\w+)', title: /g,
  ),
].map(([, name = '']) => name)

/** An address below `/app/`, and the text on its loaded screen. */
type Place = readonly [address: string, shown: string]

/**
 * The outline of a screen as a screen reader presents it: landmarks, headings, selected links and fields with their
 * values. While a user writes on a phone, the writing toolbar replaces the navigation.
 */
const outlineOf = () => {
  const all = (selector: string) =>
    [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility())
  const name = (one: Element) =>
    (
      one.ariaLabel ??
      (one as Partial<HTMLInputElement>).labels?.[0]?.textContent ??
      one.textContent ??
      ''
    ).trim()
  const contentOf = ({ type, value }: HTMLInputElement) => (type === 'file' ? '' : value)
  return JSON.stringify({
    title: document.title,
    mains: all('main').length,
    navigation: all('nav[aria-label=Main], [role=toolbar][aria-label=Formatting]').length,
    headings: all('h1, h2, h3, h4')
      .filter((one) => !one.closest('.read'))
      .map((one) => [Number(one.localName[1]), name(one)]),
    chosen: all('[aria-current]').map(name),
    fields: all('main :is(input, select, textarea)').map((one) => [
      name(one),
      contentOf(one as HTMLInputElement),
    ]),
    isLoading: document.body.textContent.includes('Loading…'),
  })
}

const LINKS =
  'Today,Inbox,Notes,Tables,Webhooks,Files,Graph,Changes,Settings,Orders1,New table,All notes1,Wheels,Trash0,Views, tags, properties,wheels1'

/** Covers both widths and both schemes at each address, all four combinations in each screen with several addresses. */
const looksAt = (at: number) =>
  ALL_LOOKS.filter(
    ([width, scheme]) => hasManyCases || (width === 360) === (scheme === (at % 2 === 0 ? 'light' : 'dark')),
  )

interface Outline {
  readonly title: string
  readonly mains: number
  readonly navigation: number
  readonly headings: readonly (readonly [level: number, text: string])[]
}

describe.skipIf(!hasBrowser)('every address of the application', () => {
  let app: Application
  let page: Page
  let places: Record<string, readonly Place[]>

  beforeAll(async () => {
    app = await startApplication(['--webhook-allow', '127.0.0.1'])
    const { server } = app
    const made = async (path: string, body: object) => (await server.post(path, body)).body
    const { note } = await made('/v1/notes', {
      title: 'Hubs',
      content: '# Hubs\n\n[[Hubs]]',
      tags: ['wheels'],
    })
    await server.patch(`/v1/notes/${note.id}`, { content: '# Hubs\n\nSee [[nowhere]].' })
    const fields = [
      { key: 'ref', type: 'text', label: 'Ref' },
      { key: 'total', type: 'number', label: 'Total' },
    ]
    const { structure } = await made('/v1/records/structures', { name: 'Orders', fields })
    const { records } = await made('/v1/records', { structure: 'Orders', data: { ref: 'R1', total: 5 } })
    const hook = { structure: 'Orders', url: 'http://127.0.0.1:9/', enabled: false, description: 'Books' }
    const { webhook } = await made('/v1/webhooks', hook)
    await server.post(`/v1/webhooks/${webhook.id}/test`)
    const { view } = await made('/v1/views', { name: 'Wheels' })
    const { preset } = await made('/v1/presets', { name: 'Reviewed', tags: ['wheels'] })
    const { lens } = await made('/v1/lenses', { name: 'Everything' })
    const { property } = await made('/v1/properties', { key: 'stars', type: 'number' })
    const tag = (await server.get('/v1/tags')).body.tags[0].id
    page = await app.newPage()
    await watchPolicy(page)
    await app.signIn(page)
    const file = await upload(page, 'hub.txt', btoa('hub'))
    const notes = [
      'notes',
      'notes?list=trash',
      `notes?view=${view.id}`,
      'notes?tag=wheels',
      'notes?search=hub',
      'notes?sort=title',
    ]
    const shownInNotes: readonly Place[] = [
      ...notes.map((address): Place => [address, '#list :is(.notes-rows a, .empty)']),
      [`notes/${note.id}`, '.cm-content'],
      [`notes/${note.id}?show=preview&search=hub`, '.read'],
      [`notes/${note.id}?pane=details`, '#details .ledger li'],
    ]
    places = {
      // The tags beside them load separately.
      notes: shownInNotes.map(([address, shown]) => [
        address,
        `body:has(.rail-sub a[href*="tag=wheels"]) :is(${shown})`,
      ]),
      import: [['import', 'main input[type=file]']],
      inbox: [['inbox', 'main .empty']],
      new: [['new?title=Draft&text=Some+text&tags=wheels', '.text-field']],
      records: [
        ['records', 'td[data-row="0"]'],
        ['records/new', 'main form, main input'],
        [`records/${structure.id}`, 'td[data-row="0"]'],
        [`records/${structure.id}?sort=ref&direction=asc&q=R1`, 'td[data-row="0"]'],
        [`records/${structure.id}?chart=count`, 'td[data-row="0"]'],
        [`records/${structure.id}/${records[0].id}?chart=total&by=value:ref`, '.uplot'],
        [`records/${structure.id}?pane=new`, '#value-ref'],
        [`records/${structure.id}?pane=import`, '#csv-file'],
        [`records/${structure.id}?pane=deleted`, '.side .empty'],
        [`records/${structure.id}/${records[0].id}`, '.side [id^=value-]'],
        [`records/${structure.id}/${records[0].id}?tab=comments`, '.comments textarea'],
        [`records/${structure.id}/${records[0].id}?tab=history`, '.side .ledger li'],
        [`records/${structure.id}/structure`, '.definition'],
      ],
      webhooks: [
        ['webhooks', 'main a[href*="/webhooks/"]'],
        ['webhooks/new', '[name=url]'],
        [`webhooks/${webhook.id}`, '.facts'],
        [`webhooks/${webhook.id}?status=failed`, '.facts'],
        [`webhooks/${webhook.id}?side=open`, '.facts'],
        [`webhooks/${webhook.id}/edit`, '[name=url]'],
      ],
      files: [
        ['files', '.item'],
        ['files?q=hub', '.item'],
        [`files/${file}`, '.side .facts'],
      ],
      graph: [
        ['graph', '.side .section li'],
        [`graph?lens=${lens.id}&node=${note.id}`, '.side .section li'],
        ['graph?list=1', '.side .section li'],
      ],
      changes: [
        ['changes', '.ledger li'],
        ['changes?kind=note', '.ledger li'],
      ],
      settings: [
        ['settings', '.setting select'],
        ['settings/sessions', '#sessions :is(ul, button)'],
        ...settings.map((name): Place => [`settings/${name}`, `#${name} :is(table, ul, button, select)`]),
      ],
      views: [
        ['views', '.tabs'],
        ...Object.entries({
          views: view,
          presets: preset,
          lenses: lens,
          properties: property,
          tags: { id: tag },
        }).flatMap(([section, { id }]): Place[] => [
          [`views/${section}`, `.content a[href*="${id}"]`],
          [`views/${section}/${id}`, 'main form, main input'],
        ]),
        ...['views', 'presets', 'lenses', 'properties'].map(
          (section): Place => [`views/${section}/new`, 'main input'],
        ),
      ],
      'no screen': [
        ['nowhere', 'main h1'],
        ['notes/%zz', 'main h1'],
        ['%', 'main h1'],
      ],
    }
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const untilShown = (address: string, shown: string) =>
    page.waitForSelector(shown).catch((cause) => {
      throw new Error(`${address} does not show ${shown}`, { cause })
    })

  test('is covered here: no screen of the route table is missing', () => {
    expect(settings).toContain('members')
    expect(screens.length).toBeGreaterThan(5)
    expect(
      Object.keys(places)
        .filter((name) => name !== 'no screen')
        .toSorted(),
    ).toEqual(screens.toSorted())
  })

  const outline = async (): Promise<string> => {
    await untilStill(page)
    return page.evaluate(outlineOf)
  }
  const untilLinked = (address: string) =>
    until(async () => (await textsOf(page, '.rail a')).join() === LINKS).catch(async (cause: unknown) => {
      throw new Error(`beside ${address} the rail is ${await textsOf(page, '.rail a')}`, { cause })
    })
  /** Waits until the screen equals its earlier state. */
  const untilSame = (address: string, before: string) =>
    until(async () => (await page.evaluate(outlineOf)) === before).catch(async () => {
      expect(`${address} ${await page.evaluate(outlineOf)}`).toBe(`${address} ${before}`)
    })

  /**
   * The screen has a name and one landmark with its content under one first-level heading, and skips no heading level.
   */
  const expectSound = (address: string, text: string) => {
    const { title, mains, navigation, headings } = JSON.parse(text) as Outline
    expect([address, title]).toEqual([address, expect.stringMatching(/^\w.* – daybook$/)])
    expect([address, mains, navigation]).toEqual([address, 1, 1])
    const firsts = headings.filter(([level]) => level === 1)
    expect([address, firsts]).toEqual([address, [[1, expect.stringMatching(/\w/)]]])
    const gaps = headings.filter(([level], at) => level > (headings[at - 1]?.[0] ?? level) + 1)
    expect([address, gaps]).toEqual([address, []])
  }

  for (const screen of [...screens, 'no screen'])
    test(
      `of ${screen} is accessible, has the same rail, and shows the same when loaded and when navigated to`,
      async () => {
        for (const [at, [address, shown]] of (places[screen] ?? []).entries()) {
          await follow(page, address)
          await page.reload()
          await untilShown(address, shown)
          await untilLinked(address)
          const before = await outline()
          const url = page.url()
          expectSound(address, before)
          await page.setViewport({ width: 360, height: 800 })
          expectSound(`${address} on a phone`, await outline())
          expect([address, await fitsAcross(page)]).toEqual([address, true])
          await page.setViewport({ width: 1280, height: 800 })
          await untilSame(address, before)
          await press(page, screen === 'changes' ? 'Files' : 'Changes')
          await until(async () => (await page.evaluate(outlineOf)) !== before)
          await page.goBack()
          await untilSame(address, before)
          expect(page.url()).toBe(url)
          expect([address, await accessibilityProblems(page, looksAt(at))]).toEqual([address, []])
          await page.setViewport({ width: 1280, height: 800 })
        }
        expect(app.problems).toEqual([])
      },
      BROWSER_TIMEOUT_MS * 4,
    )
})
