import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  attributeOf,
  fill,
  press,
  startApplication,
  untilNoText,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/browser-client.ts'
import { send } from '../support/page-requests.ts'
import { chooseRoleOfNew, isRoleOffered, setupLinkOf, untilMembers } from '../support/screens/members.ts'
import {
  chooseScope,
  configurationOf,
  controlNames,
  endOtherSession,
  keySecretOf,
  listAgentChanges,
  untilKeys,
  untilNameAsked,
  untilNoDialog,
} from '../support/screens/settings.ts'
import { signInAs, untilSignInDialog } from '../support/screens/sign-in.ts'

describe.skipIf(!hasBrowser)('the settings in a browser', () => {
  let app: Application
  let page: Page
  let link: string
  const settings = (section: string) => `${app.server.url}/app/settings/${section}`

  beforeAll(async () => {
    app = await startApplication()
    link = await app.setupLink()
    page = await app.newPage()
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'a setup link opens the application once, and only once',
    async () => {
      await app.setUp(page, link)
      expect(page.url()).not.toContain('#setup')
      const second = await app.newPage()
      await second.goto(link)
      await untilText(second, 'This link no longer works. Ask for a new one.')
      await second.browserContext().close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a wrong password is refused at its field, and a right one opens the requested page',
    async () => {
      const other = await app.newPage()
      await other.goto(settings('sessions'))
      await signInAs(other, 'owner', 'not the password')
      await untilText(other, 'do not go together')
      const why = await attributeOf(other, 'Password', 'aria-describedby')
      expect(await other.$eval(`[id="${why}"]`, ({ textContent }) => textContent)).toBe(
        'This user name and password do not go together.',
      )
      expect(await attributeOf(other, 'Password', 'aria-invalid')).toBe('true')
      await fill(other, 'Password', PASSWORD)
      await other.keyboard.press('Enter')
      await untilText(other, 'this session')
      expect(other.url()).toBe(settings('sessions'))
      await other.browserContext().close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a key is created with the keyboard alone; its secret is shown once, and works until it is revoked',
    async () => {
      await page.goto(settings('keys'))
      await fill(page, 'Name', 'shelf-scanner')
      await page.keyboard.press('Enter')
      const secret = await keySecretOf(page, 'shelf-scanner')
      const me = await app.server.as(secret).get('/v1/me')
      expect(me.body.key).toMatchObject({ name: 'shelf-scanner', scope: 'write' })
      await page.reload()
      await untilText(page, 'shelf-scanner')
      expect(await page.content()).not.toContain(secret)
      expect(JSON.stringify((await send(page, 'GET', '/app/api/keys')).body)).not.toContain(secret)

      await press(page, 'Revoke shelf-scanner')
      await untilNameAsked(page)
      await page.keyboard.press('Enter')
      await untilText(page, 'Type “shelf-scanner” exactly')
      expect((await app.server.as(secret).get('/v1/me')).status).toBe(200)
      await page.keyboard.type('shelf-scanner')
      await page.keyboard.press('Enter')
      await untilNoDialog(page)
      await untilNoText(page, 'shelf-scanner')
      expect((await app.server.as(secret).get('/v1/me')).status).toBe(401)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the settings link to the guide of the same server',
    async () => {
      await page.goto(settings('appearance'))
      const link = await page.waitForSelector('main header a')
      const guide = await link?.evaluate(({ href }) => href)
      expect(guide).toBe(`${app.server.url}/docs/guide`)
      expect((await fetch(guide ?? '')).status).toBe(200)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'an agent is connected with the shown configuration, and its changes are undone from there',
    async () => {
      await page.goto(settings('keys'))
      await fill(page, 'Name', 'librarian')
      await page.keyboard.press('Enter')
      const secret = await keySecretOf(page, 'librarian')
      await page.goto(settings('agents'))
      const shown = (await configurationOf(page, 'Cursor')).replace('dbk_…', secret)
      const { url, headers } = JSON.parse(shown).mcpServers.daybook
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'create_note', arguments: { title: 'By the librarian' } },
        }),
      })
      const { result } = (await response.json()) as {
        result: { structuredContent: { note: { id: string } } }
      }
      const { id } = result.structuredContent.note

      await listAgentChanges(page, 'librarian')
      await untilText(page, 'By the librarian')
      await untilText(page, 'MCP')
      await page.focus('.ledger a.button')
      await page.keyboard.press('Enter')
      await untilText(page, 'It can be undone.')
      await page.focus('.side .button.main')
      await page.keyboard.press('Enter')
      await untilText(page, '1 change undone.')
      expect((await app.server.get(`/v1/notes/${id}`)).status).toBe(404)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a member opens their link in another browser, and a viewer sees no control that writes',
    async () => {
      await page.goto(settings('members'))
      await fill(page, 'New member’s name', 'Ben')
      await chooseRoleOfNew(page, 'viewer')
      await press(page, 'Add member')
      const benLink = await setupLinkOf(page, 'Ben')
      await untilText(page, 'no password yet')
      const ben = await app.newPage()
      await app.setUp(ben, benLink)
      await untilText(ben, 'Ben, viewer')
      await ben.goto(settings('members'))
      await untilMembers(ben)
      const names = await controlNames(ben)
      for (const word of [
        'New link',
        'Remove',
        'Add member',
        'Role',
        'Create workspace',
        'Rename',
        'Download',
      ]) {
        expect(names.filter((name) => name.includes(word))).toEqual([])
      }
      for (const screen of ['webhooks', 'files']) {
        await ben.goto(`${app.server.url}/app/${screen}`)
        await ben.waitForSelector('main h1')
        expect(await ben.$$('main input[type=file], main a[href$="/new"], main .button.main')).toEqual([])
      }
      await app.server.post('/v1/records/structures', {
        name: 'Orders',
        fields: [{ key: 'ref', type: 'text' }],
      })
      const hook = { structure: 'Orders', url: 'https://hooks.example.com/orders', enabled: false }
      const { webhook } = (await app.server.post('/v1/webhooks', hook)).body
      await ben.goto(`${app.server.url}/app/webhooks/${webhook.id}`)
      await untilText(ben, 'Verify the signature')
      expect(await ben.$$eval('main button', (buttons) => buttons.map((one) => one.textContent))).toEqual([
        'Copy',
      ])
      await ben.browserContext().close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the only owner can neither be demoted nor removed',
    async () => {
      await page.goto(settings('members'))
      await untilText(page, 'only owner')
      expect(await isRoleOffered(page, 'owner')).toBe(false)
      expect(await isRoleOffered(page, 'Ben')).toBe(true)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a session that ends shows a sign-in dialog over the page, which then continues and creates a read-only key',
    async () => {
      const other = await app.newPage()
      await other.goto(settings('keys'))
      await signInAs(other, 'owner', PASSWORD)
      await untilKeys(other)
      await fill(other, 'Name', 'half written')

      await page.goto(settings('sessions'))
      await endOtherSession(page)
      const password = await untilSignInDialog(other)
      await other.keyboard.press('Escape')
      expect(await other.$eval('dialog.modal', (dialog) => dialog.matches(':modal'))).toBe(true)
      await password?.type(PASSWORD)
      await other.keyboard.press('Enter')
      await untilNoDialog(other)
      const form = await other.$('.line-form input[name=name]')
      expect(await (await form?.getProperty('value'))?.jsonValue()).toBe('half written')
      await other.keyboard.press('Escape')
      await chooseScope(other, 'read')
      await press(other, 'Create key')
      const key = app.server.as(await keySecretOf(other, 'half written'))
      expect((await key.get('/v1/me')).body.key).toMatchObject({ name: 'half written', scope: 'read' })
      const refused = await key.post('/v1/notes', { title: 'Written' })
      expect([refused.status, refused.body.code]).toEqual([403, 'read_only_key'])
      await other.browserContext().close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a workspace is created, renamed and entered, and shows only its own data',
    async () => {
      await page.goto(settings('workspaces'))
      await fill(page, 'New workspace’s name', 'Household')
      await page.keyboard.press('Enter')
      await press(page, 'Rename Household')
      await fill(page, 'New name for Household', 'Home')
      await page.keyboard.press('Enter')
      await untilText(page, 'Home')
      await press(page, 'Open Home')
      await untilTextIn(page, '.rail-head', 'Home')
      await page.goto(settings('keys'))
      await untilText(page, 'No keys yet')
      await page.locator('.rail-head').click()
      await page.locator('#spaces button').click()
      await untilTextIn(page, '.rail-head', 'Personal')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the password changes, and a wrong current one is refused at its field',
    async () => {
      await page.goto(settings('sessions'))
      await page.locator('summary').click()
      await fill(page, 'Current password', 'not the password')
      await fill(page, 'New password (10 characters or more)', 'a new long password')
      await page.keyboard.press('Enter')
      await untilText(page, 'The current password is wrong.')
      const isInvalid = await page.$eval('input[name=current]', (input) => input.getAttribute('aria-invalid'))
      expect(isInvalid).toBe('true')
      await fill(page, 'Current password', PASSWORD)
      await page.keyboard.press('Enter')
      await untilText(page, 'All other sessions have ended')
    },
    BROWSER_TIMEOUT_MS,
  )

  test('no page had an error, and no other host was contacted', () => {
    expect(app.problems).toEqual([])
  })
})
