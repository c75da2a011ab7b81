import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { textOf } from '../support/page-acts.ts'

/** Closes an attribute, a title, a text area and an option, and adds an element, a script and an external picture. */
const HOSTILE = `"></title></textarea></select></option><img/src=https://evil.test/x/onerror=ran=1/class=injected><script/class=injected>ran=1</script>'`
const SHORT = '<img/src=//evil.test/y/onerror=ran=1/class=injected>'
const FILE_NAME = '<img src=x onerror=ran=1 class=injected>.png'
/** A picture of 1 by 1 pixel. */
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1" onload="ran=1"><script>parent.ran=1;fetch("//evil.test/z")</script></svg>'

const markdown = (file: string) =>
  [
    `# ${HOSTILE}`,
    `[${HOSTILE}](https://example.com/"onmouseover="ran=1 '${SHORT}')`,
    `[javascript](javascript:ran=1) [mixed](JaVa\tScRiPt:ran=1) [entity](&#106;avascript:ran=1) <javascript:ran=1>`,
    `[data](data:text/html,${SHORT}) [reference][one] ![picture](https://evil.test/p.png) ![next](javascript:ran=1)`,
    `[one]: javascript:ran=1 "${SHORT}"`,
    `[[${HOSTILE}|${SHORT}]] [[nowhere${SHORT}]] ![[${SHORT}]] ![[file:${file}|${SHORT}]] [[file:${file}|${SHORT}.png]]`,
    `![${SHORT}](/v1/files/${file}/content "${SHORT}")`,
    `| ${SHORT} |\n| :- |\n| ${SHORT} |`,
    `\`${HOSTILE}\`\n\n\`\`\`${SHORT}\n${HOSTILE}\n\`\`\``,
    '<details open ontoggle=ran=1 class=injected>text</details>',
    '<base href="https://evil.test/"><meta http-equiv="refresh" content="0;url=https://evil.test/">',
    '<link rel="stylesheet" href="https://evil.test/s.css"><style>@import "https://evil.test/i.css"</style>',
    `<form action="https://evil.test/" class=injected><button autofocus onfocus=ran=1>x</button></form>`,
    `<iframe class=injected srcdoc="<script>parent.ran=1</script>"></iframe>`,
    `> [!note${SHORT}] ${HOSTILE}\n> ${SHORT}`,
    `1. - [ ] ${HOSTILE}`,
  ].join('\n\n')

/** Detects damage from the texts: code that ran, and elements and addresses made from them. */
const harmOn = (page: Page) =>
  page.evaluate(() => ({
    ran: (globalThis as { ran?: number }).ran ?? 0,
    injected: document.querySelectorAll(
      '.injected, [onerror], [ontoggle], [onmouseover], [onfocus], iframe, base, link, script, meta[http-equiv]',
    ).length,
    forms: [...document.forms].filter((form) => form.action !== location.href).length,
    links: [...document.links].map(({ href }) => href).filter((link) => !/^(https?|mailto):/.test(link)),
    fetched: [...document.images]
      .map(({ src }) => src)
      .filter((src) => !src.startsWith(`${location.origin}/s/`)),
  }))
const HARMLESS = { ran: 0, injected: 0, forms: 0, links: [], fetched: [] }

describe.skipIf(!hasBrowser)('HTML and code in texts, on shared pages', () => {
  let app: Application
  let page: Page
  let ids: Record<'note' | 'view' | 'structure', string>

  const shared = async (kind: string, target_id: string, more: object = {}): Promise<string> => {
    const { status, body } = await app.server.post('/v1/shares', { kind, target_id, name: HOSTILE, ...more })
    expect([kind, status, body.error]).toEqual([kind, 201, undefined])
    return app.server.url + new URL(body.share.url).pathname
  }

  /** Opens a page, and checks that it shows the texts verbatim and executes nothing in them. */
  async function isHarmless(url: string, ...texts: string[]): Promise<void> {
    if (url !== page.url()) await page.goto(url)
    for (const text of texts)
      expect([url, text, (await textOf(page, 'html')).includes(text)]).toEqual([url, text, true])
    expect([url, await harmOn(page)]).toEqual([url, HARMLESS])
  }

  const made = async (path: string, input: object) => {
    const { status, body } = await app.server.post(path, input)
    expect([path, status < 300, body.error]).toEqual([path, true, undefined])
    return body
  }

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage()
    const fields = [
      { key: 'ref', type: 'text', label: HOSTILE },
      { key: 'kind', type: 'select', label: HOSTILE, options: [HOSTILE, SHORT] },
      { key: 'total', type: 'number', label: SHORT },
      { key: 'day', type: 'date', label: SHORT },
      { key: 'paper', type: 'file', label: SHORT },
    ]
    const { structure } = await made('/v1/records/structures', { name: HOSTILE, fields })
    await made('/v1/records', {
      structure: structure.id,
      data: { ref: HOSTILE, kind: HOSTILE, total: 1, day: '2026-11-05' },
    })
    const form = await shared('form', structure.id, { options: { fields: [{ key: 'paper' }] } })
    const body = new FormData()
    body.append('paper', new File([PICTURE], FILE_NAME, { type: 'image/svg+xml' }))
    expect((await fetch(form, { method: 'POST', body, redirect: 'manual' })).status).toBe(303)
    const [file] = (await app.server.get('/v1/files')).body.files
    expect(file.file_name).toBe(FILE_NAME)
    const { note } = await made('/v1/notes', { title: HOSTILE, content: markdown(file.id), tags: [SHORT] })
    const { view } = await made('/v1/views', { name: HOSTILE })
    ids = { note: note.id, view: view.id, structure: structure.id }
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'are shown verbatim in a note and in a view of notes',
    async () => {
      await isHarmless(await shared('note', ids.note), HOSTILE, SHORT)
      const view = await shared('view', ids.view)
      await isHarmless(view, HOSTILE)
      await isHarmless(`${view}/${ids.note}`, HOSTILE, SHORT)
      await page.goto(`${view}?page=${encodeURIComponent(HOSTILE)}`)
      await isHarmless(page.url(), HOSTILE)
    },
    BROWSER_TIMEOUT_MS,
  )

  test.each([
    ['table', {}],
    ['board', { kind: 'board', group_by: 'kind' }],
    ['calendar', { kind: 'calendar', date_field: 'day' }],
  ])(
    'are shown verbatim in a %s',
    async (name, input) => {
      const { row_view } = await made('/v1/records/views', {
        structure: ids.structure,
        name: `${HOSTILE} ${name}`,
        ...input,
      })
      const url = await shared('row_view', row_view.id)
      await isHarmless(`${url}?month=2026-11`, HOSTILE)
      for (const parameter of ['sort', 'month', 'direction', 'page', 'x'])
        await isHarmless(`${url}?${parameter}=${encodeURIComponent(HOSTILE)}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are shown verbatim in a form: its texts, prefilled values, refusals, and after sending',
    async () => {
      const field = (key: string) => ({ key, label: HOSTILE, help: HOSTILE })
      const options = {
        title: HOSTILE,
        text: HOSTILE,
        done_text: HOSTILE,
        fields: ['ref', 'kind', 'total', 'day', 'paper'].map(field),
        prefill: true,
      }
      const url = await shared('form', ids.structure, { options })
      const typed = encodeURIComponent(HOSTILE)
      await isHarmless(`${url}?ref=${typed}&kind=${typed}&total=${typed}&day=${typed}&x=${typed}`, HOSTILE)
      await page.$eval('form', (form) => form.setAttribute('novalidate', ''))
      // A value that the form rejects, so that it is shown again.
      await page.$eval('#f-total', (input) => input.setAttribute('type', 'text'))
      await page.type('#f-total', HOSTILE)
      await Promise.all([page.waitForNavigation(), page.click('form button')])
      expect(await page.title()).toBe(`Not sent: ${HOSTILE}`)
      await isHarmless(page.url(), HOSTILE)
      await isHarmless(`${url}/done`, HOSTILE)
    },
    BROWSER_TIMEOUT_MS,
  )

  test('no page contacts another host', () => {
    expect(app.problems.filter((problem) => !problem.startsWith('Failed to load resource'))).toEqual([])
  })
})
