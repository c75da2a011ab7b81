import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  contentOf,
  fill,
  press,
  startApplication,
  until,
  untilNoText,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/browser-client.ts'
import { countsOn, nothingPending, setOffline, storedOn, untilStoredOn } from '../support/offline.ts'
import { textOf } from '../support/page-acts.ts'
import { endSession, send } from '../support/page-requests.ts'
import { untilRead } from '../support/waits.ts'

const NOTHING = { about: 0, answers: 0, bases: 0, marks: 0, notes: 0, queue: 0, rows: 0, texts: 0 }

describe.skipIf(!hasBrowser)('the session that two tabs share', () => {
  let app: Application
  let first: Page
  let second: Page
  const at = (path: string) => `${app.server.url}/app/${path}`
  const rail = (page: Page, text: string) => untilTextIn(page, '.rail', text)

  beforeAll(async () => {
    app = await startApplication([], { isInstalled: true })
    first = await app.newPage()
    await app.setUp(first, await app.setupLink())
    await first.goto(at('settings/members'))
    await fill(first, 'New member’s name', 'Ben')
    await press(first, 'Add member')
    const ben = await app.newPage()
    await app.setUp(ben, String(await contentOf(first, 'Setup link for Ben')))
    await ben.browserContext().close()
    second = await app.nextPage(first.browserContext())
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  /** Signs in on a page that shows the sign-in screen. */
  const signIn = async (page: Page, name: string) => {
    await page.bringToFront()
    await fill(page, 'Name', name)
    await fill(page, 'Password', PASSWORD)
    await page.keyboard.press('Enter')
    await rail(page, name)
  }
  const signOut = async (page: Page) => {
    await page.bringToFront()
    await page.locator('.rail-head').click()
    await press(page, 'Sign out')
    await page.waitForSelector('.sign-in-screen')
  }

  test(
    'continues in both tabs after a new sign-in, in the same place',
    async () => {
      const { id } = (await app.server.post('/v1/notes', { title: 'Shared', content: '' })).body.note
      await first.goto(at(`notes/${id}`))
      await first.waitForSelector('.cm-content')
      await second.goto(at('notes'))
      await second.waitForSelector('.rail')
      await signOut(second)
      await first.bringToFront()
      await first.waitForSelector('dialog:modal input[name=password]')
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.content).toBe('')
      await signIn(second, 'owner')
      await first.bringToFront()
      await first.waitForSelector('dialog:modal', { hidden: true })
      await first.focus('.cm-content')
      await first.keyboard.type('goes on')
      await untilRead(first, `/v1/notes/${id}`, ({ note }) => note?.content === 'goes on')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is shared: a sign-in in one tab changes the author in the other',
    async () => {
      await first.goto(at('notes'))
      await rail(first, 'owner')
      await signOut(second)
      await first.bringToFront()
      await first.waitForSelector('dialog:modal')
      await signIn(second, 'Ben')
      await first.bringToFront()
      await rail(first, 'Ben, viewer')
      expect(await first.$('dialog:modal')).toBeNull()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'asks before signing out with pending edits, and then deletes them',
    async () => {
      const { id } = (await app.server.post('/v1/notes', { title: 'Waiting', content: 'Saved. ' })).body.note
      await signOut(first)
      await signIn(first, 'owner')
      await first.goto(at(`notes/${id}`))
      await first.waitForSelector('.cm-content')
      await first.focus('.cm-content')
      await app.server.patch(`/v1/notes/${id}`, { content: 'Of the server.' })
      await first.keyboard.type('Of the owner.')
      await first.waitForSelector('.settle')
      await first.bringToFront()
      await first.locator('.rail-head').click()
      await press(first, 'Sign out')
      await untilText(first, '1 change is not saved yet')
      await press(first, 'Stay')
      await untilTextIn(first, '.settle', 'Of the owner.')
      await first.locator('.rail-head').click()
      await press(first, 'Sign out')
      await press(first, 'Sign out and discard')
      await first.waitForSelector('.sign-in-screen')
      expect(await countsOn(first)).toEqual(NOTHING)
      await signIn(first, 'Ben')
      await first.locator(`#list a.item[href$="${id}"]`).click()
      await untilTextIn(first, '#note', 'Of the server.')
      expect(await textOf(first, 'body')).not.toContain('Of the owner.')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'ends in this browser also offline, and at the server once it is back',
    async () => {
      await untilStoredOn(first, {})
      await setOffline(first, true)
      await signOut(first)
      expect(await countsOn(first)).toEqual(NOTHING)
      await first.reload()
      await untilText(first, 'You are signed out in this browser')
      await setOffline(first, false)
      await untilNoText(first, 'You are signed out in this browser')
      expect((await send(first, 'GET', '/app/api/session')).status).toBe(401)
      await signIn(first, 'Ben')
      await first.reload()
      await rail(first, 'Ben')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'ends once the server is back, also if the tab that signed out was closed',
    async () => {
      await second.goto(at('notes'))
      await rail(second, 'Ben')
      await setOffline(first, true)
      await signOut(first)
      await first.goto('about:blank')
      await second.bringToFront()
      await second.waitForSelector('dialog:modal input[name=password]')
      await setOffline(first, false)
      await second.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await until(async () => (await send(second, 'GET', '/app/api/session')).status === 401)
      expect(await second.$('dialog:modal')).not.toBeNull()
      await signIn(second, 'Ben')
      await first.goto(at('notes'))
      await rail(first, 'Ben')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'loses its pending edits once another user signs in',
    async () => {
      const { id } = (await app.server.post('/v1/notes', { title: 'Mine', content: '' })).body.note
      await signOut(first)
      await signIn(first, 'owner')
      await first.bringToFront()
      const members: Record<string, string>[] = (await send(first, 'GET', '/app/api/members')).body.members
      const ben = members.find(({ name }) => name === 'Ben')
      await send(first, 'PATCH', `/app/api/members/${ben?.user_id}`, { role: 'editor' })
      await first.goto(at(`notes/${id}`))
      await first.waitForSelector('.cm-content')
      await first.focus('.cm-content')
      await first.keyboard.type('Of the owner.')
      await endSession(first)
      await first.waitForSelector('dialog:modal')
      await untilTextIn(first, '#note .bar', 'Sign in again')
      await untilTextIn(first, 'dialog:modal', '1 pending change')
      await signIn(first, 'Ben')
      await app.server.post('/v1/notes', { title: 'Later' })
      await untilTextIn(first, '#list', 'Later')
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.content).toBe('')
      await nothingPending(first)
    },
    BROWSER_TIMEOUT_MS,
  )

  test.each(['signs out', 'has a session that ends'])(
    'leaves no data for the next user of the browser, when one %s',
    async (how) => {
      const create = async (path: string, body: object) => (await send(first, 'POST', path, body)).body
      await signOut(first)
      await signIn(first, 'owner')
      await first.goto(at('settings/workspaces'))
      await fill(first, 'New workspace’s name', `Private ${how}`)
      await press(first, 'Create workspace')
      await press(first, `Open Private ${how}`)
      await untilTextIn(first, '.rail-head', `Private ${how}`)
      const fields = [{ key: 'name', type: 'text' }]
      const { structure } = await create('/v1/records/structures', { name: 'Heron', fields })
      await create('/v1/records', { structure: 'Heron', data: { name: 'Heron' } })
      const note = { title: 'Heron', content: 'Heron', tags: ['Heron/Heron'] }
      const { id } = (await create('/v1/notes', note)).note
      await first.goto(at(`records/${structure.id}`))
      await first.waitForSelector('td[data-row="0"]')
      await press(first, 'More')
      await press(first, 'Keep offline')
      await untilStoredOn(first, { texts: 1, rows: 1 })
      await first.goto(at(`notes/${id}?search=Heron`))
      await untilTextIn(first, '#note', 'Heron')
      const { user, workspace } = (await send(first, 'GET', '/app/api/session')).body
      await first.evaluate((id) => localStorage.setItem(`tags ${id}`, '["Heron"]'), user.id)
      expect(await storedOn(first)).toContain('Heron')
      if (how === 'signs out') await signOut(first)
      else {
        await endSession(first)
        await first.waitForSelector('dialog:modal')
        await signIn(first, 'Ben')
        await untilStoredOn(first, {})
      }
      // The next user may read the names of members.
      const stored = (await storedOn(first)).replace(/\{"members":\[.*?\]\}/, '')
      for (const mark of ['Heron', 'heron', workspace.id, user.id]) expect(stored).not.toContain(mark)
      const cached = await first.evaluate(
        (path) =>
          fetch(path, { cache: 'only-if-cached', mode: 'same-origin' }).then(
            ({ ok }) => ok,
            () => false,
          ),
        `/v1/notes/${id}`,
      )
      expect(cached).toBe(false)
      if (how === 'signs out') await signIn(first, 'Ben')
    },
    BROWSER_TIMEOUT_MS,
  )

  test('no page had an error, and no other host was contacted', () => {
    expect(app.problems).toEqual([])
  })
})
