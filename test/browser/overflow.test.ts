import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS, untilStill } from '../support/application.ts'
import { type Application, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { hasManyCases } from '../support/counts.ts'

/** The widths of a phone, a tablet, a small and a large desktop. Each screen is loaded on the phone and then widened. */
const WIDTHS = hasManyCases ? [390, 768, 1280, 1440] : [390, 1280]

/** The sections of the settings. The ones with wide tables are always checked. */
const SETTINGS = hasManyCases
  ? ['', 'sign-in', 'offline', 'keys', 'agents', 'members', 'access', 'shares', 'workspaces', 'backup']
  : ['', 'keys', 'members', 'access']

/** Names content that is cut off: it extends beyond the window or its box, without a scroll bar or an ellipsis. */
const cutOff = () => {
  const scrolls = (overflow: string) => ['auto', 'scroll'].includes(overflow)
  const isHidden = ({ clipPath, opacity }: CSSStyleDeclaration, { width, height }: DOMRect) =>
    clipPath !== 'none' || opacity === '0' || width < 2 || height < 2
  const nameOf = ({ tagName, className, textContent }: Element) => {
    const classes =
      typeof className === 'string' && className !== '' ? `.${className.trim().replaceAll(' ', '.')}` : ''
    return `${tagName.toLowerCase()}${classes} “${(textContent ?? '').trim().slice(0, 40)}”`
  }
  const found: string[] = []
  const visit = (element: Element, isInScroller: boolean) => {
    const style = getComputedStyle(element)
    // Elements without a box are never visible; their children can be.
    const isSeen = element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    if (!isSeen && style.display !== 'contents') return
    const box = element.getBoundingClientRect()
    if (style.display !== 'contents' && isHidden(style, box)) return
    if (!isInScroller && style.display !== 'contents' && (box.right > innerWidth + 1 || box.left < -1))
      found.push(`beyond the window: ${nameOf(element)}`)
    const isText = ![...element.children].length && element.textContent?.trim() !== ''
    const isClamped = style.webkitLineClamp !== 'none' || style.textOverflow === 'ellipsis'
    const clips = ['hidden', 'clip'].includes(style.overflowX)
    if (clips && isText && !isClamped && element.scrollWidth > element.clientWidth + 1)
      found.push(`cut at its side: ${nameOf(element)}`)
    if (
      ['hidden', 'clip'].includes(style.overflowY) &&
      isText &&
      !isClamped &&
      element.scrollHeight > element.clientHeight + 2
    )
      found.push(`cut at its foot: ${nameOf(element)}`)
    // The content of a button or a day must not overlap its neighbour.
    if (
      element.matches('button, .cal-day') &&
      !clips &&
      (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 2)
    )
      found.push(`over its neighbour: ${nameOf(element)}`)
    for (const child of element.children) visit(child, isInScroller || scrolls(style.overflowX) || clips)
  }
  visit(document.body, false)
  const isWide = (pane: Element) => pane.checkVisibility() && pane.getBoundingClientRect().width > 200
  if (![...document.querySelectorAll('main > .pane')].some(isWide)) found.push('there is nothing to be seen')
  return [...new Set(found)]
}

describe.skipIf(!hasBrowser)('no screen', () => {
  let app: Application
  let page: Page
  const addresses: Record<string, string> = {}

  beforeAll(async () => {
    app = await startApplication(['--webhook-allow', '127.0.0.1'])
    const { server } = app
    const long = 'A name that is as long as names become when nobody stops to think about them'
    const note = (
      await server.post('/v1/notes', { title: long, content: `# ${long}\n\n- one\n- two`, tags: ['a/b'] })
    ).body
    const fields = Array.from({ length: 16 }, (_, at) => ({
      key: `f${at}`,
      type: ['text', 'number', 'date', 'bool'][at % 4],
      label: at === 0 ? 'Title' : `Column number ${at}`,
    }))
    const choice = { key: 'state', type: 'select', label: 'State', options: ['New', 'Sent'] }
    const { structure } = (
      await server.post('/v1/records/structures', { name: long, fields: [...fields, choice] })
    ).body
    const today = new Date().toISOString().slice(0, 10)
    await server.post('/v1/records', {
      structure: structure.id,
      rows: Array.from({ length: 30 }, (_, at) => ({
        data: {
          f0: `${long} ${at}`,
          f1: 123456789,
          f2: today,
          f3: at % 2 === 0,
          f5: 987654321.12,
          state: 'New',
        },
      })),
    })
    const view = async (body: object) =>
      (await server.post('/v1/records/views', { structure: structure.id, ...body })).body.row_view.id
    const board = await view({ name: 'Board', kind: 'board', group_by: 'state' })
    const calendar = await view({ name: 'Calendar', kind: 'calendar', date_field: 'f2' })
    const { webhook } = (
      await server.post('/v1/webhooks', {
        structure: structure.id,
        url: `http://127.0.0.1:1/${'long/'.repeat(30)}`,
        description: long,
        filter: [{ field: 'f0', op: 'contains', value: long }],
        headers: { 'X-A-Header-With-A-Long-Name': long },
        format: 'text',
        template: `${long} {event} {record.f0}`,
      })
    ).body
    const { source } = (
      await server.post('/v1/sources', {
        name: long,
        structure: structure.id,
        provider: 'none',
        options: { unverified: true },
        map: { f0: '/a_key_that_is_long/name', f1: { path: '/amount', as: 'cents' } },
        when: [{ path: '/a_key_that_is_long/name', op: 'in', value: [long, 'other'] }],
        on_conflict: 'update',
      })
    ).body
    for (const [name, amount] of [
      [long, 100],
      [long, 'no number'],
      ['none', 1],
    ])
      await server.post(new URL(source.url).pathname, {
        a_key_that_is_long: { name, more: [{ deep: { deeper: long } }] },
        amount,
        without_blanks: 'x'.repeat(300),
      })
    const table = `/app/records/${structure.id}`
    Object.assign(addresses, {
      notes: '/app/notes',
      note: `/app/notes/${note.note.id}`,
      'new note': '/app/notes/new',
      today: '/app/notes/today',
      table,
      'filtered table': `${table}?filter=${encodeURIComponent(JSON.stringify([{ field: 'f0', op: 'contains', value: 'long' }]))}`,
      'new row': `${table}?pane=new`,
      board: `${table}?view=${board}`,
      month: `${table}?view=${calendar}`,
      week: `${table}?view=${calendar}&week=${today}`,
      fields: `${table}/structure`,
      'new table': '/app/records/new',
      changes: '/app/changes',
      ...Object.fromEntries(SETTINGS.map((name) => [`settings ${name}`, `/app/settings/${name}`])),
      webhooks: '/app/webhooks',
      'new webhook': '/app/webhooks/new',
      webhook: `/app/webhooks/${webhook.id}`,
      'change of a webhook': `/app/webhooks/${webhook.id}/edit`,
      sources: '/app/webhooks/in',
      'new source': '/app/webhooks/in/new',
      source: `/app/webhooks/in/${source.id}`,
      'a new address': `/app/webhooks/in/${source.id}?setup=secret`,
      'events to map': `/app/webhooks/in/${source.id}?status=unmapped`,
      files: '/app/files',
      import: '/app/import',
    })
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const open = async (address: string) => {
    await page.setViewport({ width: WIDTHS[0] ?? 390, height: 844 })
    await page.goto(app.server.url + address)
    await page.waitForSelector('main')
    await untilStill(page)
  }

  test(
    'cuts anything off at any width',
    async () => {
      const problems: string[] = []
      for (const [name, address] of Object.entries(addresses)) {
        await open(address)
        for (const width of WIDTHS) {
          await page.setViewport({ width, height: 844 })
          await untilStill(page)
          for (const problem of await page.evaluate(cutOff))
            problems.push(`${name} at ${width} px: ${problem}`)
        }
      }
      expect(problems).toEqual([])
    },
    2 * BROWSER_TIMEOUT_MS,
  )

  test.skipIf(!hasManyCases)(
    'has an accessibility problem at any size, light or dark',
    async () => {
      const problems: string[] = []
      for (const [name, address] of Object.entries(addresses)) {
        await open(address)
        const looks = WIDTHS.flatMap((width) => [[width, 'light'] as const, [width, 'dark'] as const])
        for (const problem of await accessibilityProblems(page, looks)) problems.push(`${name}: ${problem}`)
      }
      expect(problems).toEqual([])
    },
    10 * BROWSER_TIMEOUT_MS,
  )
})
