import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { HTTPRequest, Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  attributeOf,
  contentOf,
  fieldOf,
  fill,
  press,
  startApplication,
  untilText,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { newFolder } from '../support/process.ts'
import { type Receiver, startReceiver, status } from '../support/receiver.ts'
import { untilNameAsked } from '../support/screens/settings.ts'
import {
  ADDRESS,
  addCondition,
  addHeader,
  enterFailedSince,
  untilCode,
  untilDeliveries,
  untilRefused,
  untilWebhook,
  webhookSecretOf,
} from '../support/screens/webhooks.ts'

const LATE_MS = 300

describe.skipIf(!hasBrowser)('webhooks in a browser', () => {
  let app: Application
  let page: Page
  let receiver: Receiver
  let secret: string
  const subscription = async () => (await app.server.get('/v1/webhooks')).body.webhooks[0]
  const row = (ref: string) =>
    app.server.post('/v1/records', { structure: 'Orders', data: { ref, total: 5 } })

  /** Holds back the responses to these requests for a moment, as a slow server does. */
  async function responsesLate(urls: RegExp, act: () => Promise<void>): Promise<void> {
    const hold = (request: HTTPRequest) =>
      setTimeout(() => request.continue().catch(() => {}), urls.test(request.url()) ? LATE_MS : 0)
    await page.setRequestInterception(true)
    page.on('request', hold)
    await act()
    page.off('request', hold)
    await page.setRequestInterception(false)
  }

  beforeAll(async () => {
    receiver = await startReceiver()
    app = await startApplication(['--webhook-allow', '127.0.0.1'])
    await app.server.post('/v1/records/structures', {
      name: 'Orders',
      fields: [
        { key: 'ref', type: 'text' },
        { key: 'total', type: 'number' },
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
    'creates a webhook and shows its secret once; refusals appear beside their fields and create nothing',
    async () => {
      await page.goto(`${app.server.url}/app/webhooks`)
      await press(page, 'New webhook')
      await fill(page, ADDRESS, 'http://192.0.2.7/orders')
      await fill(page, 'Description (optional)', 'Orders to books')
      await addCondition(page, 1, { field: 'total', comparison: 'gt', value: '0' })
      await addHeader(page, 1, 'Authorization', 'Bearer of orders')
      await press(page, 'Create webhook')
      await untilRefused(page, 'url')
      expect(await attributeOf(page, ADDRESS, 'aria-describedby')).not.toBeNull()
      expect(await subscription()).toBeUndefined()

      await fill(page, ADDRESS, `http://127.0.0.1:${receiver.port}/orders`)
      await page.keyboard.press('Enter')
      secret = await webhookSecretOf(page, 'Orders to books')
      expect(secret).toStartWith('whsec_')
      expect(await subscription()).toMatchObject({
        url: `http://127.0.0.1:${receiver.port}/orders`,
        description: 'Orders to books',
        events: ['record.created', 'record.updated', 'record.deleted'],
        filter: [{ field: 'total', op: 'gt', value: 0 }],
        fields: null,
        headers: { Authorization: '…' },
      })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a test reaches the receiver, its delivery appears with its attempt, and the code shown verifies it',
    async () => {
      await press(page, 'Send test')
      await receiver.until(1)
      await untilDeliveries(page, 'delivered', 1)
      await press(page, 'webhook.test')
      await untilText(page, '1 attempt')
      const [received] = receiver.received
      expect(received?.headers.authorization).toBe('Bearer of orders')
      const shown = JSON.parse(String(await contentOf(page, 'Delivery body')))
      expect(shown).toEqual(JSON.parse(received?.body ?? ''))

      const folder = newFolder()
      const header = received?.headers['x-service-signature'] ?? ''
      await Bun.write(folder.file('body'), received?.body ?? '')
      const code = 'Verification code'
      await Bun.write(folder.file('genuine.mjs'), String(await contentOf(page, code)))
      const { isGenuine } = await import(folder.file('genuine.mjs'))
      expect(isGenuine(header, received?.body, secret)).toBe(true)
      expect(isGenuine(header, `${received?.body} `, secret)).toBe(false)
      expect(isGenuine(header, received?.body, `${secret}=`)).toBe(false)

      await press(page, 'Python')
      await untilCode(page, 'import hashlib')
      const python = String(await contentOf(page, code))
      const call = 'import sys\nprint(is_genuine(sys.argv[1], open(sys.argv[2], "rb").read(), sys.argv[3]))\n'
      await Bun.write(folder.file('genuine.py'), python + call)
      if (Bun.which('python3')) {
        const run = (key: string) =>
          Bun.spawnSync(['python3', folder.file('genuine.py'), header, folder.file('body'), key])
        expect(run(secret).stdout.toString().trim()).toBe('True')
        expect(run(`${secret}=`).stdout.toString().trim()).toBe('False')
      }
      folder.remove()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'deliveries appear without a reload, are filtered by status, and are redelivered',
    async () => {
      receiver.answer = status(503)
      await row('2026-1')
      await untilDeliveries(page, 'retrying', 1)
      await untilText(page, '503, next attempt')
      await press(page, 'Pending')
      await untilDeliveries(page, 'delivered', 0)
      receiver.answer = status(200)
      await responsesLate(/deliveries\/[\w-]+$/, async () => {
        await press(page, 'record.created')
        await press(page, 'Redeliver')
      })
      await untilDeliveries(page, 'retrying', 0)
      await press(page, 'Delivered')
      await untilDeliveries(page, 'delivered', 2)
      expect(new Set(receiver.received.slice(1).map(({ body }) => JSON.parse(body).id)).size).toBe(1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a reload hides the secret; a new one overlaps with the old',
    async () => {
      await page.goto(`${app.server.url}/app/webhooks/${(await subscription()).id}`)
      await untilText(page, 'The secret was shown once')
      expect(await page.content()).not.toContain(secret)
      await press(page, 'New secret…')
      await press(page, 'Create secret')
      const next = await webhookSecretOf(page, 'Orders to books')
      expect(next).toStartWith('whsec_')
      expect(next).not.toBe(secret)
      const before = receiver.received.length
      await press(page, 'Send test')
      await receiver.until(before + 1)
      expect(receiver.received.at(-1)?.headers['x-service-signature']?.match(/v1=/g)).toHaveLength(2)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'all deliveries that failed since an instant are sent again',
    async () => {
      await fieldOf(page, 'Permanently failed since')
      await enterFailedSince(page, '2026-01-01T00:00')
      await press(page, 'Redeliver failed')
      await untilText(page, '0 queued')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a webhook is edited, disabled and enabled',
    async () => {
      await press(page, 'Edit')
      await fill(page, 'Description (optional)', 'Orders to accounts')
      await press(page, 'Remove condition 1')
      await press(page, 'Save')
      await untilText(page, 'Orders to accounts')
      expect(await subscription()).toMatchObject({ description: 'Orders to accounts', filter: [] })
      await press(page, 'Disable')
      await untilWebhook(page, 'disabled')
      expect((await subscription()).enabled).toBe(false)
      await press(page, 'Enable')
      await untilWebhook(page, 'enabled')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'shows a delivery that reads well for assistive technology in light and dark, wide and narrow',
    async () => {
      await press(page, 'webhook.test')
      await untilText(page, 'Request,')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1280, height: 800 })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a webhook is deleted by typing its name',
    async () => {
      await page.goto(`${app.server.url}/app/webhooks/${(await subscription()).id}`)
      await press(page, 'Delete…')
      await untilNameAsked(page)
      await page.keyboard.type('Orders to')
      await page.keyboard.press('Enter')
      expect(await subscription()).toBeDefined()
      await page.keyboard.type(' accounts')
      await page.keyboard.press('Enter')
      await untilText(page, 'A webhook sends changes')
      expect(await subscription()).toBeUndefined()
    },
    BROWSER_TIMEOUT_MS,
  )

  test('the page had no error, and no other host was contacted', () => {
    expect(app.problems).toEqual([])
  })
})
