import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page, WebWorker } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  fill,
  press,
  startApplication,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { runs } from '../support/counts.ts'
import { untilAddress, untilCount, untilValue } from '../support/waits.ts'

const NOTES = runs(2_000, 5_000)
const LAST = `Node ${NOTES - 1}`
/** The layout needs seconds of a processor that other tests may use too. */
const LAYOUT_TIMEOUT_MS = 2 * BROWSER_TIMEOUT_MS
/** The number of notes that the list shows before it loads more. */
const LISTED = 200

/** Each note links to two earlier notes, so that early notes have the most links. */
const contentOf = (number: number) =>
  number === 0 ? '' : `[[Node ${Math.floor(number / 2)}]] and [[Node ${Math.floor(number / 3)}]]`

interface Node {
  readonly id: string
  readonly title: string
}
interface Edge {
  readonly from: string
  readonly to: string
}

describe.skipIf(!hasBrowser)('a graph of thousands of notes in a browser', () => {
  let app: Application
  let page: Page
  let graph: { nodes: Node[]; edges: Edge[] }
  const titlesIn = (section: string) =>
    page.$$eval(`${section} li a`, (links) => links.map(({ textContent }) => textContent ?? ''))
  /** The titles that a note links to, as stored on the server. */
  const leadsTo = (node: Node | undefined) =>
    graph.edges
      .filter(({ from }) => from === node?.id)
      .map(({ to }) => graph.nodes.find(({ id }) => id === to)?.title ?? '')
  const chosen = () => graph.nodes.find(({ id }) => id === new URL(page.url()).searchParams.get('node'))

  beforeAll(async () => {
    app = await startApplication()
    for (let start = 0; start < NOTES; start += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, place) => {
          const number = start + place
          return app.server.post('/v1/notes', { title: `Node ${number}`, content: contentOf(number) })
        }),
      )
    graph = (await app.server.get('/v1/graph')).body
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS * 2)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'is laid out in a worker, whose code the page never loads',
    async () => {
      const started: WebWorker[] = []
      page.on('workercreated', (worker) => void started.push(worker))
      const ended = new Promise((resolve) => page.on('workerdestroyed', resolve))
      await page.goto(`${app.server.url}/app/graph`)
      await untilText(page, 'Laid out in')
      await ended
      expect(started).toHaveLength(1)
      const loaded = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map(({ name }) => name)
          .join(),
      )
      expect(loaded).toMatch(/\/assets\/screen-\w+\.js/)
      expect(loaded).not.toContain('layout-worker')
    },
    BROWSER_TIMEOUT_MS + LAYOUT_TIMEOUT_MS,
  )

  test(
    'is a picture whose nodes are selected by clicking; the list follows',
    async () => {
      const map = await (await page.waitForSelector('.map'))?.boundingBox()
      const middle = { x: (map?.x ?? 0) + (map?.width ?? 0) / 2, y: (map?.y ?? 0) + (map?.height ?? 0) / 2 }
      // Only the picture knows the node positions, so clicks search from its center outwards.
      for (let at = 0; at < 400 && chosen() === undefined; at++) {
        const [angle, radius] = [at * 2.4, Math.sqrt(at) * 6]
        await page.mouse.click(middle.x + radius * Math.cos(angle), middle.y + radius * Math.sin(angle))
      }
      const node = chosen()
      expect(node).toBeDefined()
      await untilTextIn(page, '.side .bar h2', node?.title ?? '')
      expect(await titlesIn('.side .section:nth-of-type(1)')).toEqual(leadsTo(node))
      await press(page, 'Open')
      await untilAddress(page, ({ pathname }) => pathname === `/app/notes/${node?.id}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is a list beside the picture, with the same nodes',
    async () => {
      expect(graph.nodes).toHaveLength(NOTES)
      await page.goto(`${app.server.url}/app/graph`)
      const count = `${NOTES.toLocaleString('en')} nodes, ${graph.edges.length.toLocaleString('en')} edges`
      await untilTextIn(page, '.graph-screen .bar', count)
      expect(await titlesIn('.side .section:last-child')).toEqual(
        graph.nodes.slice(0, LISTED).map(({ title }) => title),
      )
      await press(page, `Show ${(NOTES - LISTED).toLocaleString('en')} more`)
      await untilCount(page, '.side .section:last-child li', 2 * LISTED)
      expect(await titlesIn('.side .section:last-child')).toEqual(
        graph.nodes.slice(0, 2 * LISTED).map(({ title }) => title),
      )
      await fill(page, 'Find in this graph', LAST)
      await untilCount(page, '.side .section:last-child li', 1)
      await press(page, LAST)
      await untilTextIn(page, '.side .bar', LAST)
      expect(await titlesIn('.side .section:nth-of-type(1)')).toEqual(leadsTo(chosen()))
      await press(page, 'Open')
      await untilAddress(page, ({ pathname }) => pathname.startsWith('/app/notes/'))
      await untilValue(page, '.title-field', LAST)
    },
    BROWSER_TIMEOUT_MS,
  )

  test('has no error in its pages, and contacts no other host', () => {
    expect(app.problems).toEqual([])
  })
})
