import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  contentOf,
  fieldOf,
  fill,
  press,
  startApplication,
  untilNoText,
  untilText,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { choose } from '../support/page-acts.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { ADDRESS, toggleEvent, untilPending, untilRefused } from '../support/screens/webhooks.ts'
import { untilAddress } from '../support/waits.ts'

const EXAMPLE = 'Preview'

describe.skipIf(!hasBrowser)('the form of a subscription in a browser', () => {
  let app: Application
  let page: Page
  let receiver: Receiver
  const subscriptions = async () => (await app.server.get('/v1/webhooks')).body.webhooks
  const check = async (label: string) => (await fieldOf(page, label)).click()
  const make = async () => {
    await fill(page, ADDRESS, `http://127.0.0.1:${receiver.port}/hook`)
    await press(page, 'Create webhook')
    await untilText(page, 'Copy the secret now; it will not be shown again.')
  }

  beforeAll(async () => {
    receiver = await startReceiver()
    app = await startApplication(['--webhook-allow', '127.0.0.1'])
    await app.server.post('/v1/records/structures', {
      name: 'Tasks',
      label_field: 'what',
      fields: [
        { key: 'what', type: 'text', label: 'What' },
        { key: 'day', type: 'date' },
      ],
    })
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await receiver.close()
  }, BROWSER_TIMEOUT_MS)

  test(
    'creates a subscription to notes with a quiet time and a filter, which receives a new note',
    async () => {
      await page.goto(`${app.server.url}/app/webhooks/new`)
      await untilText(page, 'Changes in')
      await choose(page, 'Changes in', 'note')
      await fill(page, 'Combine updates within (seconds, 0 to 3,600)', '5')
      expect(await accessibilityProblems(page)).toEqual([])
      await make()
      expect((await subscriptions())[0]).toMatchObject({
        kind: 'note',
        structure: null,
        events: ['note.created', 'note.updated', 'note.deleted', 'note.restored'],
        filter: null,
        quiet_seconds: 5,
        include_content: false,
      })
      await app.server.post('/v1/notes', { title: 'Tea' })
      await receiver.until(1)
      expect(JSON.parse(receiver.received[0]?.body ?? '').data.note.title).toBe('Tea')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'creates an ordered one that a program pulls, and shows its pending events',
    async () => {
      await page.goto(`${app.server.url}/app/webhooks/new`)
      await untilText(page, ADDRESS)
      await check('Keep the events until a program reads them, instead of sending them')
      await untilNoText(page, ADDRESS)
      await check('Number the events')
      expect(await accessibilityProblems(page)).toEqual([])
      await press(page, 'Create webhook')
      await untilText(page, 'No pending events.')
      const made = (await subscriptions()).at(-1)
      expect(made).toMatchObject({ delivery: 'pull', url: null, ordered: true, pending: 0 })
      await app.server.post('/v1/records', { structure: 'Tasks', data: { what: 'Tea' } })
      await untilText(page, '1 pending event')
      await untilPending(page, 'record.created')
      expect(await accessibilityProblems(page)).toEqual([])
      const path = `/v1/webhooks/${made.id}/events`
      const [{ cursor }] = (await app.server.get(path)).body.events
      await app.server.post(`${path}/ack`, { cursor })
      await untilText(page, '0 pending events')
      await app.server.delete(`/v1/webhooks/${made.id}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'creates one to due dates as chat text, previews its message, and edits it',
    async () => {
      await page.goto(`${app.server.url}/app/webhooks/new`)
      await toggleEvent(page, 'record.due')
      await fill(page, 'Days', '1')
      await choose(page, 'Before or after', 'before')
      await fill(page, 'Time zone', 'Europe/Berlin')
      await choose(page, 'Format', 'slack')
      expect(JSON.parse(String(await contentOf(page, EXAMPLE)))).toEqual({
        text: 'Tasks: record.updated: ‹What›',
      })
      await fill(page, 'Text (default: {structure}: {event}: {record.what})', 'Due: {record.nope}')
      expect(await accessibilityProblems(page)).toEqual([])
      await fill(page, ADDRESS, `http://127.0.0.1:${receiver.port}/hook`)
      await press(page, 'Create webhook')
      await untilRefused(page, 'template')
      await fill(page, 'Text (default: {structure}: {event}: {record.what})', 'Due: {record.what}')
      await make()
      const made = (await subscriptions())[1]
      expect(made).toMatchObject({
        events: ['record.created', 'record.updated', 'record.deleted', 'record.due'],
        due: { field: 'day', offset_days: -1, at: '08:00', tz: 'Europe/Berlin' },
        format: 'slack',
        template: 'Due: {record.what}',
      })
      await untilText(page, '1 day before day, at 08:00 (Europe/Berlin)')
      await page.goto(`${app.server.url}/app/webhooks/${made.id}/edit`)
      await toggleEvent(page, 'record.due')
      await choose(page, 'Format', 'json')
      await press(page, 'Save')
      await untilAddress(page, ({ pathname }) => !pathname.endsWith('/edit'))
      const [, changed] = await subscriptions()
      for (const name of ['due', 'format', 'template']) expect(changed).not.toHaveProperty(name)
    },
    BROWSER_TIMEOUT_MS,
  )
})
