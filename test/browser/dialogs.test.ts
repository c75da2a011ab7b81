import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, contentOf, fill, press, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { focusedName, isFocusIn } from '../support/page-acts.ts'
import { upload } from '../support/page-requests.ts'
import { untilAddress, untilFocusIn } from '../support/waits.ts'

const OPEN = 'dialog:modal, [popover]:popover-open'

describe.skipIf(!hasBrowser)('dialogs and menus, with the keyboard', () => {
  let app: Application
  let page: Page
  let ids: { structure: string; webhook: string; view: string; note: string; file: string; trashed: string }
  const at = (path: string) => `${app.server.url}/app/${path}`
  const focused = () => focusedName(page)
  /** Focuses a visible button or link. */
  const focusOn = async (name: string) => {
    await page.waitForFunction(
      (wanted) => {
        const button = [...document.querySelectorAll<HTMLElement>('button:enabled, a, summary')].find(
          (one) => (one.ariaLabel ?? one.textContent.trim()) === wanted && one.checkVisibility(),
        )
        button?.focus()
        return button !== undefined
      },
      {},
      name,
    )
    expect(await focused()).toBe(name)
  }

  beforeAll(async () => {
    app = await startApplication(['--webhook-allow', '127.0.0.1'])
    const { server } = app
    const made = async (path: string, body: object) => (await server.post(path, body)).body
    const fields = [{ key: 'ref', type: 'text' }]
    const { structure } = await made('/v1/records/structures', { name: 'Orders', fields })
    await made('/v1/records', { structure: 'Orders', data: { ref: 'R1' } })
    const hook = { structure: 'Orders', url: 'http://127.0.0.1:9/', enabled: false, description: 'Books' }
    const { webhook } = await made('/v1/webhooks', hook)
    const { view } = await made('/v1/views', { name: 'Wheels' })
    const { note } = await made('/v1/notes', { title: 'Hubs' })
    const { note: trashed } = await made('/v1/notes', { title: 'Old hubs' })
    page = await app.newPage()
    await app.signIn(page)
    const file = await upload(page, 'hub.txt', btoa('hub'))
    ids = {
      structure: structure.id,
      webhook: webhook.id,
      view: view.id,
      note: note.id,
      file,
      trashed: trashed.id,
    }
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'take the focus when they open, trap it, and return it to the control that opened them',
    async () => {
      const { structure, webhook, view, file } = ids
      for (const [path, opener] of [
        ['settings/keys', 'Revoke first key'],
        [`webhooks/${webhook}`, 'Delete…'],
        [`files/${file}`, 'Delete…'],
        [`records/${structure}/structure`, 'Delete Orders…'],
        [`views/views/${view}`, 'Delete…'],
      ] as const) {
        await page.goto(at(path))
        await focusOn(opener)
        await page.keyboard.press('Enter')
        await page.waitForSelector('dialog:modal input:focus')
        for (let step = 0; step < 5; step++) {
          await page.keyboard.press('Tab')
          // After the last control of a dialog, the focus moves to the browser's own controls and then returns.
          const isInside = await page.evaluate(
            () =>
              document.activeElement === document.body ||
              Boolean(document.activeElement?.closest('dialog:modal')),
          )
          expect([path, step, isInside]).toEqual([path, step, true])
        }
        const title = await page.$eval(
          'dialog:modal',
          (dialog) => document.getElementById(dialog.getAttribute('aria-labelledby') ?? '')?.textContent,
        )
        expect([path, title]).toEqual([path, expect.stringMatching(/^(Revoke|Delete) \S/)])
        await page.keyboard.press('Escape')
        await page.waitForSelector('dialog:modal', { hidden: true })
        expect([path, await focused()]).toEqual([path, opener])
      }
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'that ask before a loss answer Enter with no, and close when the browser goes back',
    async () => {
      await app.server.delete(`/v1/notes/${ids.trashed}`)
      await page.goto(at('notes?list=trash'))
      for (const dismiss of [
        () => page.keyboard.press('Enter'),
        () => page.keyboard.press('Escape'),
        async () => {
          await page.evaluate(() => history.pushState(null, '', '#here'))
          await page.evaluate(() => history.back())
        },
      ]) {
        await focusOn('Empty trash')
        await page.keyboard.press('Enter')
        await page.waitForSelector('dialog:modal')
        expect(await focused()).toBe('Cancel')
        await dismiss()
        await page.waitForSelector('dialog:modal', { hidden: true })
        expect(await focused()).toBe('Empty trash')
      }
      expect((await app.server.get('/v1/notes/trash')).body.total).toBe(1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'that are opened by a shortcut return the focus to where it was',
    async () => {
      await page.goto(at('settings/keys'))
      for (const open of [
        async () => {
          await page.keyboard.down('Control')
          await page.keyboard.press('k')
          await page.keyboard.up('Control')
        },
        () => page.keyboard.type('?'),
      ]) {
        await focusOn('Revoke first key')
        await open()
        await page.waitForSelector(OPEN)
        await untilFocusIn(page, OPEN)
        await page.keyboard.press('Escape')
        await page.waitForSelector(OPEN, { hidden: true })
        expect(await focused()).toBe('Revoke first key')
      }
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'that are menus follow their button in the focus order, and close with Escape',
    async () => {
      const { structure, note } = ids
      for (const [path, opener] of [
        [`notes/${note}`, 'More actions'],
        [`notes/${note}`, 'Personal'],
        [`records/${structure}`, 'Filter'],
      ] as const) {
        await page.goto(at(path))
        await focusOn(opener)
        await page.keyboard.press('Enter')
        await page.waitForSelector(OPEN)
        await page.keyboard.press('Tab')
        const isInside = await isFocusIn(page, OPEN)
        expect([opener, isInside]).toEqual([opener, true])
        await page.keyboard.press('Escape')
        await page.waitForSelector(OPEN, { hidden: true })
        expect([opener, await focused()]).toEqual([opener, opener])
      }
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'leave the focus in the content when the control that opened them was removed',
    async () => {
      const isInContent = () => untilFocusIn(page, 'main')
      await page.goto(at('settings/keys'))
      await page.waitForSelector('#keys-h:focus')
      await fill(page, 'Name', 'short-lived')
      await page.keyboard.press('Enter')
      await contentOf(page, 'Secret of short-lived')
      await focusOn('Revoke short-lived')
      await page.keyboard.press('Enter')
      await page.waitForSelector('dialog:modal input:focus')
      await page.keyboard.type('short-lived')
      await page.keyboard.press('Enter')
      await page.waitForSelector('dialog:modal', { hidden: true })
      await isInContent()

      await page.goto(at(`files/${ids.file}`))
      await press(page, 'Delete…')
      await page.waitForSelector('dialog:modal input:focus')
      await page.keyboard.type('hub.txt')
      await page.keyboard.press('Enter')
      await untilAddress(page, ({ pathname }) => pathname === '/app/files')
      await isInContent()
    },
    BROWSER_TIMEOUT_MS,
  )

  test('have no error in their pages, and contact no other host', () => {
    expect(app.problems).toEqual([])
  })
})
