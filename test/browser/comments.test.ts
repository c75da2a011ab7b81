import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { ALL_LOOKS, accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  fieldOf,
  press,
  startApplication,
  untilNoText,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { daybook } from '../support/process.ts'
import { selectPassage } from '../support/screens/notes.ts'
import { untilFocused, untilGone, untilTextIs, untilValue } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('comments of two members in a browser', () => {
  let app: Application
  let owner: Page
  let ada: Page
  let note: string
  let row: { structure: string; id: string }

  beforeAll(async () => {
    app = await startApplication()
    await daybook(['users', 'add', 'Ada', '--db', app.file])
    const { server } = app
    note = (await server.post('/v1/notes', { title: 'Plan', content: 'Ask about the engine, and the mill.' }))
      .body.note.id
    const fields = [{ key: 'what', type: 'text' }]
    const { structure } = (await server.post('/v1/records/structures', { name: 'Tasks', fields })).body
    const { records } = (await server.post('/v1/records', { structure: 'Tasks', data: { what: 'Saw' } })).body
    row = { structure: structure.id, id: records[0].id }
    owner = await app.newPage()
    await app.signIn(owner)
    ada = await app.newPage()
    await app.signIn(ada, 'Ada')
    // With the list of notes the note would open, and its comments count as read.
    await ada.goto(`${server.url}/app/changes`)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const comments = async (query: string) => (await app.server.get(`/v1/comments?${query}`)).body.comments
  const untilComments = async (query: string, count: number) => {
    for (;;) {
      const found = await comments(query)
      if (found.length === count) return found
      await Bun.sleep(20)
    }
  }
  const chord = async (page: Page) => {
    for (const key of ['Control', 'Alt'] as const) await page.keyboard.down(key)
    await page.keyboard.press('m')
    for (const key of ['Alt', 'Control'] as const) await page.keyboard.up(key)
  }

  test(
    'a selected passage is commented on by keyboard, a member is mentioned, finds it in the inbox, replies and resolves',
    async () => {
      await owner.bringToFront()
      await owner.goto(`${app.server.url}/app/notes/${note}`)
      await owner.waitForSelector('.comments')
      await owner.waitForSelector('.cm-line')
      await owner.focus('.cm-content')
      await selectPassage(owner, 10, 20)
      await chord(owner)
      await untilFocused(owner, '[aria-label="Comment on this passage"]')
      await owner.keyboard.type('@ad')
      await owner.waitForSelector('[role=option]')
      await owner.keyboard.press('Enter')
      await untilValue(owner, ':focus', '@Ada ')
      await owner.keyboard.type('which one?')
      await owner.keyboard.down('Control')
      await owner.keyboard.press('Enter')
      await owner.keyboard.up('Control')
      const [first] = await untilComments(`note_id=${note}`, 1)
      expect([first.passage.text, first.text, first.mentions[0].name]).toEqual([
        ...['the engine', '@Ada which one?', 'Ada'],
      ])
      await untilTextIs(owner, '.commented', 'the engine')
      await untilTextIn(owner, '.threads', 'the engine')

      await ada.bringToFront()
      // Only an installed application has an icon.
      await ada.evaluateOnNewDocument(() => {
        navigator.setAppBadge = async (count) => {
          document.documentElement.dataset.iconNumber = String(count)
        }
      })
      await ada.goto(`${app.server.url}/app/inbox`)
      await ada.waitForSelector('.rail-nav a[aria-label="Inbox, 1 unread"]')
      await ada.waitForSelector('[data-icon-number="1"]')
      await untilText(ada, '@Ada which one?')
      expect(await accessibilityProblems(ada, ALL_LOOKS)).toEqual([])
      await ada.setViewport({ width: 1280, height: 800 })
      await press(ada, 'Plan')
      await ada.waitForSelector('.thread')
      await ada.waitForSelector('.rail-nav a[href="/app/inbox"]:not([data-unread])')
      await ada.waitForSelector('[data-icon-number="0"]')
      const reply = await fieldOf(ada, 'Reply')
      await reply.focus()
      await ada.keyboard.type('The first')
      await press(ada, 'Reply')
      await untilComments(`note_id=${note}`, 2)
      await press(ada, 'Resolve')
      await untilTextIn(ada, '.comments', 'Show resolved (1)')

      await owner.bringToFront()
      await owner.waitForSelector(
        '.rail-nav a[aria-label="Inbox, 1 unread"], .comments button[aria-expanded]',
      )
      await untilGone(owner, '.commented')
      await press(owner, 'Show resolved (1)')
      await untilTextIn(owner, '.threads .comment', 'which one?')
      await press(owner, 'Reopen')
      await owner.waitForSelector('.commented')
      expect(await accessibilityProblems(owner, ALL_LOOKS)).toEqual([])
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a comment opens the details that its reader has closed',
    async () => {
      await owner.bringToFront()
      await owner.setViewport({ width: 1280, height: 800 })
      await owner.goto(`${app.server.url}/app/notes/${note}`)
      await owner.waitForSelector('.comments', { visible: true })
      await press(owner, 'Details')
      await owner.waitForSelector('.comments', { hidden: true })
      await owner.focus('.cm-content')
      await selectPassage(owner, 0, 3)
      await chord(owner)
      await untilFocused(owner, '[aria-label="Comment on this passage"]')
      await press(owner, 'Details')
      await owner.waitForSelector('.comments', { hidden: true })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a row is commented on in its pane; the own comment is edited and deleted',
    async () => {
      await ada.bringToFront()
      await ada.setViewport({ width: 1280, height: 800 })
      await ada.goto(`${app.server.url}/app/records/${row.structure}/${row.id}?tab=comments`)
      const field = await fieldOf(ada, 'Add a comment')
      await field.focus()
      await ada.keyboard.type('Sharp?')
      await press(ada, 'Comment')
      await untilComments(`record_id=${row.id}`, 1)
      await press(ada, 'Edit comment: Sharp?')
      await untilFocused(ada, '[aria-label="Comment"]')
      await ada.keyboard.press('End')
      await ada.keyboard.type(' Really?')
      await press(ada, 'Save')
      await untilTextIn(ada, '.comment', 'Sharp? Really?')
      expect(await accessibilityProblems(ada, ALL_LOOKS)).toEqual([])
      await ada.setViewport({ width: 1280, height: 800 })
      const [{ id }] = await comments(`record_id=${row.id}`)
      await app.server.post('/v1/comments', { thread: id, text: 'Yes.' })
      await untilTextIn(ada, '.thread', 'Yes.')
      await press(ada, 'Delete comment: Sharp? Really?')
      await untilTextIn(ada, 'dialog:modal', '1 reply is deleted with it. You can undo it under Changes.')
      await press(ada, 'Delete comment')
      await untilNoText(ada, 'Sharp? Really?')
      expect(await comments(`record_id=${row.id}`)).toEqual([])
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
