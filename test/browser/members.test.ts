import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  fill,
  press,
  startApplication,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser, sharedFullBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/browser-client.ts'
import { download } from '../support/browser-files.ts'
import { daybook, newFolder, startProcess } from '../support/process.ts'
import {
  chooseRole,
  chooseRoleOfNew,
  nextSetupLinkOf,
  setupLinkOf,
  untilMemberRefused,
  untilMembersSay,
  untilRoleOffered,
} from '../support/screens/members.ts'
import { untilSectionFocused } from '../support/screens/settings.ts'
import {
  choosePassword,
  isPasswordAsked,
  untilNameRefused,
  untilSessionsSay,
  untilSignInDialog,
} from '../support/screens/sign-in.ts'
import { untilRead } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('an owner in the settings, by clicking', () => {
  let app: Application
  let page: Page
  let ben: Page
  const folder = newFolder()
  const at = (path: string) => `${app.server.url}/app/${path}`
  /** Sets a password through a link, in a separate browser. */
  const openLink = async (link: string, password: string): Promise<Page> => {
    const opened = await app.newPage()
    await opened.goto(link)
    await choosePassword(opened, password)
    return opened
  }

  beforeAll(async () => {
    app = await startApplication([], { startBrowser: sharedFullBrowser })
    page = await app.newPage()
    await app.setUp(page, await app.setupLink())
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    folder.remove()
  }, BROWSER_TIMEOUT_MS)

  test(
    'creates a new link for a member: it works once, replaces the older one, and late visitors learn how to get another',
    async () => {
      await page.goto(at('settings/members'))
      await untilSectionFocused(page, 'members')
      await fill(page, 'New member’s name', 'Ben')
      await chooseRoleOfNew(page, 'editor')
      await press(page, 'Add member')
      const first = await setupLinkOf(page, 'Ben')
      await press(page, 'New link for Ben')
      const second = await nextSetupLinkOf(page, 'Ben', first)

      const late = await app.newPage()
      await late.goto(first)
      // Before a password is typed.
      await untilText(late, 'This link no longer works. Ask for a new one.')
      expect(await isPasswordAsked(late)).toBe(false)
      await untilTextIn(late, '.help', 'Ask an owner for a new one, or run daybook users link')
      ben = await openLink(second, PASSWORD)
      await untilText(ben, 'Ben, editor')

      const again = await app.newPage()
      await again.goto(second)
      await untilText(again, 'This link no longer works. Ask for a new one.')
      await again.goto(at('notes'))
      await fill(again, 'Name', 'Ben')
      await fill(again, 'Password', 'another password')
      await press(again, 'Sign in')
      await untilText(again, 'do not go together')
      await again.browserContext().close()
      await late.browserContext().close()

      await press(page, 'New link for Ben')
      const third = await nextSetupLinkOf(page, 'Ben', second)
      const renewed = await openLink(third, 'a password after all')
      await untilText(renewed, 'Ben, editor')
      // Another person may know a forgotten password, so its sessions are signed out.
      await untilSignInDialog(ben)
      await ben.browserContext().close()
      ben = renewed
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'changes the role of a member, whose open pages follow without losing typed text',
    async () => {
      const { id } = (await app.server.post('/v1/notes', { title: 'Open', content: '' })).body.note
      await ben.goto(at(`notes/${id}`))
      await ben.waitForSelector('.cm-content')
      const elsewhere = await app.nextPage(ben.browserContext())
      await elsewhere.goto(at('notes'))
      await ben.bringToFront()
      const choose = async (role: string) => {
        await page.bringToFront()
        await page.goto(at('settings/members'))
        await chooseRole(page, 'Ben', role)
      }
      await choose('viewer')
      await ben.focus('.cm-content')
      await ben.keyboard.type('typed too late')
      await untilTextIn(ben, '#note', 'You are a viewer of this workspace and cannot change anything')
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.content).toBe('')
      // A page that returns to the foreground shows the current permissions.
      await elsewhere.bringToFront()
      await ben.bringToFront()
      await untilText(ben, 'Ben, viewer')
      await untilTextIn(ben, '#note', 'typed too late')
      expect(await ben.$('[contenteditable=true]')).toBeNull()

      await choose('editor')
      await elsewhere.bringToFront()
      await ben.bringToFront()
      await untilText(ben, 'Ben, editor')
      await untilRead(ben, `/v1/notes/${id}`, ({ note }) => note.content === 'typed too late')
      await ben.waitForSelector('#note .status.ok')

      await choose('owner')
      await ben.goto(at('settings/members'))
      await untilRoleOffered(ben, 'owner')
      await ben.close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'downloads a backup, which is an intact database with all data',
    async () => {
      const { id } = (await app.server.post('/v1/notes', { title: 'In the backup', content: 'kept' })).body
        .note
      await page.bringToFront()
      await page.goto(at('settings/backup'))
      await download(app, { page, folder: folder.path, act: () => press(page, 'Download backup') })
      expect(readdirSync(folder.path)).toEqual(['daybook-backup.db'])
      const file = folder.file('daybook-backup.db')
      expect(statSync(file).size).toBeGreaterThan(0)
      const { exitCode, out } = await daybook(['check', '--db', file])
      expect([exitCode, out]).toEqual([0, expect.stringContaining('ok')])
      const copy = await startProcess(file, { key: app.server.key ?? '' })
      expect((await copy.get(`/v1/notes/${id}`)).body.note.content).toBe('kept')
      await copy.end()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'adds an existing user of this server with a notice, and a new one without',
    async () => {
      const { file } = app
      for (const args of [
        ['workspaces', 'add', 'Lab', '--user', 'Ben'],
        ['users', 'add', 'Erin', '--workspace', 'Lab'],
      ])
        expect((await daybook([...args, '--db', file])).exitCode).toBe(0)
      await page.bringToFront()
      await page.goto(at('settings/members'))
      await untilMembersSay(page, 'If this name already has an account on this server, that account is added')
      await fill(page, 'New member’s name', 'erin')
      await press(page, 'Add member')
      await untilMembersSay(
        page,
        'Erin already has an account on this server and is now a member, signing in as before. Make sure this is the right person.',
      )
      await fill(page, 'New member’s name', 'Fay')
      await press(page, 'Add member')
      await setupLinkOf(page, 'Fay')
      expect(await page.$eval('#members', ({ textContent }) => textContent)).not.toContain(
        'already has a user',
      )
      await fill(page, 'New member’s name', 'fay ')
      await press(page, 'Add member')
      await untilMemberRefused(page, 'belongs to the workspace "Personal" already')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'cannot create a link for themselves, and sees which sign-in options a new password leaves',
    async () => {
      await page.goto(at('settings/members'))
      await page.waitForSelector('button[aria-label="New link for Ben"]')
      expect(await page.$('button[aria-label="New link for owner"]')).toBeNull()
      await page.goto(at('settings/sessions'))
      await press(page, 'Change password…')
      await untilSessionsSay(page, 'All other sessions end. API keys stay valid.')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows invited users the refusal of a name beside its field, each time',
    async () => {
      await page.goto(at('settings/members'))
      await press(page, 'New link for Fay')
      const fay = await app.newPage()
      await fay.goto(await setupLinkOf(page, 'Fay'))
      await fill(fay, 'Password (at least 10 characters)', PASSWORD)
      await fill(fay, 'Your name (optional)', 'Owner ')
      await press(fay, 'Open daybook')
      await untilNameRefused(
        fay,
        'A user named "Owner", or with a name that looks the same, exists already; choose another name.',
      )
      await fill(fay, 'Your name (optional)', 'Faye')
      await press(fay, 'Open daybook')
      await untilText(fay, 'Faye, viewer')
      await fay.browserContext().close()

      await page.goto(at('settings/members'))
      await press(page, 'New link for Faye')
      const later = await app.newPage()
      await later.goto(await setupLinkOf(page, 'Faye'))
      await fill(later, 'Password (at least 10 characters)', PASSWORD)
      await fill(later, 'Your name (optional)', 'Gail')
      await press(later, 'Open daybook')
      await untilNameRefused(later, 'A name is chosen with the first link only; leave the name out')
      await later.browserContext().close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test('no page had an error, and no other host was contacted', () => {
    expect(app.problems).toEqual([])
  })
})
