import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  contentOf,
  fill,
  press,
  startApplication,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/browser-client.ts'
import { watchPolicy } from '../support/page-policy.ts'
import { send, upload } from '../support/page-requests.ts'
import { newFolder } from '../support/process.ts'
import { untilOneHas } from '../support/waits.ts'

/**
 * Closes an attribute, and adds an element and a script. If any of it is parsed as HTML, it injects elements or runs
 * code.
 */
const HOSTILE = `"><img/src=x/onerror=ran=1/class=injected><script/class=injected>ran=1</script>'`
const SHORT = '<img/src=x/onerror=ran=1/class=injected>'
const FILE_NAME = '"><img src=x onerror=ran=1 class=injected>.txt'
const MARKDOWN = [
  `# ${HOSTILE}`,
  `[${HOSTILE}](https://example.com/"onmouseover="ran=1 '${SHORT}')`,
  `[javascript](javascript:ran=1) [mixed](JaVa\tScRiPt:ran=1) [entity](&#106;avascript:ran=1) <javascript:ran=1>`,
  `[data](data:text/html,${SHORT}) [vbscript](vbscript:ran=1) [reference][one] ![picture](javascript:ran=1)`,
  `[one]: javascript:ran=1 "${SHORT}"`,
  `[[${HOSTILE}|${SHORT}]] [[nowhere${SHORT}]] ![[${SHORT}]]`,
  `| ${SHORT} |\n| :- |\n| ${SHORT} |`,
  `\`${HOSTILE}\`\n\n\`\`\`${SHORT}\n${HOSTILE}\n\`\`\``,
  `<details open ontoggle=ran=1 class=injected>text</details>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=ran=1 class=injected></style></mglyph></table></mtext></math>`,
  `<svg class=injected><a xlink:href="javascript:ran=1"><text>a</text></a></svg>`,
  `<iframe class=injected srcdoc="<script>parent.ran=1</script>"></iframe>`,
  `> - [ ] ${HOSTILE}`,
].join('\n\n')

/** Detects damage from the texts: code that ran, elements made from them, and links that lead to no page. */
const harmOn = (page: Page) =>
  page.evaluate(() => ({
    ran: (globalThis as { ran?: number }).ran ?? 0,
    injected: document.querySelectorAll(
      '.injected, [onerror], [ontoggle], [onmouseover], [srcdoc], math, main script',
    ).length,
    links: [...document.querySelectorAll('[href], [src], [action]')]
      .map((element) => {
        const { href, src, action } = element as Partial<
          HTMLAnchorElement & HTMLImageElement & HTMLFormElement
        >
        return element instanceof SVGUseElement ? element.href.baseVal : (href ?? src ?? action ?? '')
      })
      .filter((link) => !/^(https?:|blob:|data:,$|data:image\/|#|$)/.test(link)),
    title: document.title.split(' – ').at(-1),
  }))
const HARMLESS = { ran: 0, injected: 0, links: [], title: 'daybook' }

const untilShown = (page: Page, wanted: string) =>
  page.waitForFunction(
    (text) =>
      document.body.textContent.includes(text) ||
      [...document.querySelectorAll<HTMLInputElement>('input, textarea, option')].some(({ value }) =>
        value.includes(text),
      ),
    {},
    wanted,
  )

describe.skipIf(!hasBrowser)('HTML and code in texts', () => {
  let app: Application
  let page: Page
  let ids: Record<
    | 'note'
    | 'structure'
    | 'row'
    | 'webhook'
    | 'delivery'
    | 'view'
    | 'preset'
    | 'lens'
    | 'property'
    | 'tag'
    | 'file',
    string
  >
  const folder = newFolder()
  const isHarmless = async (where: string) => {
    expect([where, await harmOn(page)]).toEqual([where, HARMLESS])
  }
  /** Opens an address, and waits until it shows the texts verbatim. */
  const visit = async (path: string, ...texts: string[]) => {
    await page.goto(`${app.server.url}/app/${path}`)
    for (const text of texts)
      await untilShown(page, text).catch((cause) => {
        throw new Error(`${path} does not show ${text}`, { cause })
      })
    await isHarmless(path)
  }

  beforeAll(async () => {
    app = await startApplication(['--webhook-allow', '127.0.0.1'])
    page = await app.newPage()
    await watchPolicy(page)
    await app.setUp(page, await app.setupLink())
    /** Sends a request as the user. */
    const made = async (path: string, body: object) => {
      const response = await send(page, 'POST', path, body)
      expect([path, response.status < 300, response.body.error]).toEqual([path, true, undefined])
      return response.body
    }
    const { property } = await made('/v1/properties', { key: 'free', type: 'text', label: HOSTILE })
    await made('/v1/properties', { key: 'choice', type: 'select', label: HOSTILE, options: [HOSTILE] })
    const { note } = await made('/v1/notes', { title: HOSTILE, content: MARKDOWN, tags: [SHORT] })
    const values = { free: HOSTILE, choice: HOSTILE }
    const { body: kept } = await app.server.patch(`/v1/notes/${note.id}/properties`, values)
    expect(kept.properties).toEqual(values)
    await app.server.patch(`/v1/notes/${note.id}`, { content: `${MARKDOWN}\n\nedited` })
    const tag = (await app.server.get('/v1/tags')).body.tags[0].id
    const { structure } = await made('/v1/records/structures', {
      name: HOSTILE,
      fields: [
        { key: 'ref', type: 'text', label: HOSTILE },
        { key: 'kind', type: 'select', label: HOSTILE, options: [HOSTILE] },
        { key: 'total', type: 'number', label: HOSTILE, unit: SHORT },
      ],
    })
    const { records } = await made('/v1/records', {
      structure: HOSTILE,
      data: { ref: HOSTILE, kind: HOSTILE, total: 1 },
    })
    await app.server.patch(`/v1/records/${records[0].id}`, { data: { ref: `${HOSTILE} edited` } })
    await app.server.patch(`/v1/records/${records[0].id}`, { data: { ref: HOSTILE } })
    const { view } = await made('/v1/views', {
      name: HOSTILE,
      filter: {
        type: 'group',
        match: 'all',
        children: [{ type: 'property', def_id: property.id, op: 'contains', value: HOSTILE }],
      },
    })
    const { preset } = await made('/v1/presets', {
      name: HOSTILE,
      tags: [SHORT],
      properties: [{ key: 'free', value: HOSTILE }],
    })
    const { lens } = await made('/v1/lenses', { name: HOSTILE })
    const { webhook } = await made('/v1/webhooks', {
      structure: HOSTILE,
      url: `http://127.0.0.1:9/${HOSTILE}`,
      description: HOSTILE,
      headers: { Authorization: HOSTILE },
      enabled: false,
    })
    const { delivery } = await made(`/v1/webhooks/${webhook.id}/test`, {})
    const file = await upload(page, FILE_NAME, btoa(HOSTILE))
    await made('/app/api/keys', { name: HOSTILE, scope: 'read', expires_at: null })
    await made('/app/api/members', { name: HOSTILE, role: 'viewer' })
    await made('/app/api/workspaces', { name: HOSTILE })
    ids = {
      note: note.id,
      structure: structure.id,
      row: records[0].id,
      webhook: webhook.id,
      delivery: delivery.id,
      view: view.id,
      preset: preset.id,
      lens: lens.id,
      property: property.id,
      tag,
      file,
    }
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    folder.remove()
  }, BROWSER_TIMEOUT_MS)

  test(
    'are shown verbatim in notes: titles, text, tags, properties, links, revisions, searches',
    async () => {
      const { note, view } = ids
      await visit('notes', HOSTILE)
      await visit(`notes/${note}`, HOSTILE, SHORT)
      await page.locator('#details .ledger button').click()
      await page.waitForSelector('.differences')
      await isHarmless('the differences of a revision')
      await visit(`notes/${note}?show=preview`, HOSTILE, SHORT)
      await visit(`notes?view=${view}`, HOSTILE)
      await visit(`notes?tag=${encodeURIComponent(SHORT)}`, SHORT, HOSTILE)
      await visit('notes?search=onerror', HOSTILE)
      await page.waitForSelector('.notes-rows mark')
      await isHarmless('the snippets of a search')
      await visit(`notes?search=${encodeURIComponent(HOSTILE)}`, HOSTILE)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are shown verbatim in views, presets, lenses, tags and properties',
    async () => {
      const { view, preset, lens, property, tag } = ids
      for (const [section, id, text] of [
        ['views', view, HOSTILE],
        ['presets', preset, HOSTILE],
        ['lenses', lens, HOSTILE],
        ['properties', property, HOSTILE],
        ['tags', tag, SHORT],
      ] as const) {
        await visit(`views/${section}`, text)
        await visit(`views/${section}/${id}`, text)
      }
      await visit(`views/views/${view}`, 'contains "', HOSTILE.slice(1))
      await press(page, 'Delete…')
      await page.waitForSelector('dialog:modal')
      await untilTextIn(page, 'dialog:modal', HOSTILE)
      await isHarmless('the confirmation of a deletion')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are shown verbatim in rows: names of structures and fields, options, units, values, history, charts, imports',
    async () => {
      const { structure, row } = ids
      const filter = encodeURIComponent(JSON.stringify([{ field: 'ref', op: 'eq', value: HOSTILE }]))
      for (const parameters of [
        '',
        '?chart=count',
        '?chart=total&by=kind',
        `?filter=${filter}`,
        `/${row}`,
        '/structure',
        '?pane=new',
      ])
        await visit(`records/${structure}${parameters}`, HOSTILE)
      await visit(`records/${structure}/${row}?tab=history`, HOSTILE, `${HOSTILE} edited`)
      await visit(`records/${structure}?pane=import`, HOSTILE)
      await Bun.write(
        folder.file('rows.csv'),
        `ref,kind,total,${SHORT}\n${SHORT},${SHORT},${SHORT},${SHORT}\n`,
      )
      const input = await page.waitForSelector('#csv-file')
      await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(
        folder.file('rows.csv'),
      )
      await untilShown(page, SHORT)
      await isHarmless('the columns of a file')
      await app.server.delete(`/v1/records/${row}`)
      await visit(`records/${structure}?pane=deleted`, HOSTILE)
      await app.server.post(`/v1/records/${row}/restore`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are shown verbatim in subscriptions, deliveries and their errors',
    async () => {
      const { webhook, delivery } = ids
      const db = new Database(app.file)
      db.run('PRAGMA busy_timeout = 10000')
      db.run('UPDATE webhook_deliveries SET error = ?, response_status = NULL', [HOSTILE])
      db.run('UPDATE webhook_attempts SET error = ?, response_status = NULL', [HOSTILE])
      db.close()
      await visit('webhooks', HOSTILE)
      await visit(`webhooks/${webhook}?open=${delivery}`, HOSTILE)
      await untilOneHas(page, '.tries', HOSTILE)
      await isHarmless('the attempts of a delivery')
      await visit(`webhooks/${webhook}/edit`, HOSTILE)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are shown verbatim in files, the graph, the changes and the finder',
    async () => {
      const { file, note } = ids
      await visit('files', FILE_NAME)
      await visit('files?q=onerror', FILE_NAME)
      await page.waitForSelector('.item mark')
      await isHarmless('the pages that a search finds')
      await visit(`files/${file}`, FILE_NAME, HOSTILE)
      await visit(`graph?node=${note}`, HOSTILE)
      await visit('changes', HOSTILE)
      await page.keyboard.down('Control')
      await page.keyboard.press('k')
      await page.keyboard.up('Control')
      await page.waitForSelector('#find input:focus')
      await page.keyboard.type('onerror')
      await untilTextIn(page, '#found', HOSTILE)
      await isHarmless('the finder')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    "are shown verbatim in the settings: keys, members, workspaces, and the browser's own name",
    async () => {
      const other = await app.newPage()
      await other.setUserAgent({ userAgent: SHORT })
      await other.goto(`${app.server.url}/app`)
      await fill(other, 'Name', 'owner')
      await fill(other, 'Password', PASSWORD)
      await other.keyboard.press('Enter')
      await other.waitForSelector('.rail')
      await visit('settings/sessions', SHORT)
      await visit('settings/members', HOSTILE)
      await press(page, `New link for ${HOSTILE}`)
      await contentOf(page, `Setup link for ${HOSTILE}`)
      await visit('settings/keys', HOSTILE)
      await press(page, `Revoke ${HOSTILE}`)
      await page.waitForSelector('dialog:modal')
      await isHarmless('the confirmation of a key')
      await page.keyboard.press('Escape')
      await visit('settings/workspaces', HOSTILE)
      await press(page, `Open ${HOSTILE}`)
      await untilTextIn(page, '.rail-head', HOSTILE)
      await isHarmless('the name of the workspace')
      await other.browserContext().close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test('never rely on the content security policy to be stopped', () => {
    expect(app.problems).toEqual([])
  })
})
