import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, press, startApplication, untilText } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { type Receiver, startReceiver, status } from '../support/receiver.ts'
import {
  untilDeliveries,
  untilFailures,
  untilNoFailures,
  untilResponses,
  untilWebhook,
} from '../support/screens/webhooks.ts'

/** The number of consecutive failed deliveries that pauses a subscription. */
const MAX_FAILED = 10
/** A text that a shell, JSON and curl would each interpret differently. */
const HARD = `'"\\ $(id) \`id\` !x @file %41 {a,b} [1-3] é 日本\n\ttab`

describe.skipIf(!hasBrowser)('an unreachable receiver, in the browser', () => {
  let app: Application
  let page: Page
  let receiver: Receiver
  let id: string
  const write = (...refs: string[]) =>
    app.server.post('/v1/records', { structure: 'Orders', rows: refs.map((ref) => ({ data: { ref } })) })
  const refsOf = (from: number) =>
    receiver.received.slice(from).map(({ body }) => JSON.parse(body).record.data.ref)
  const deliveries = async (query = '') =>
    (await app.server.get(`/v1/webhooks/${id}/deliveries?limit=200${query}`)).body.deliveries
  const subscription = async () => (await app.server.get(`/v1/webhooks/${id}`)).body.webhook
  /** Skips the pauses between attempts: the next attempt is due, and is the last. */
  const dueForTheLastTime = () => {
    const db = new Database(app.file)
    db.run('PRAGMA busy_timeout = 10000')
    db.run(`UPDATE webhook_deliveries SET attempts = 4, next_attempt_at = ? WHERE status = 'pending'`, [
      Date.now(),
    ])
    db.close()
  }

  beforeAll(async () => {
    receiver = await startReceiver({ answer: status(503) })
    app = await startApplication(['--webhook-allow', '127.0.0.1'])
    const { server } = app
    await server.post('/v1/records/structures', { name: 'Orders', fields: [{ key: 'ref', type: 'text' }] })
    const url = `http://127.0.0.1:${receiver.port}/o'neill?filter[ref]={a,b}&from=[1-3]`
    const subscription = { structure: 'Orders', url, description: 'Orders to books', ordered: true }
    id = (await server.post('/v1/webhooks', subscription)).body.webhook.id
    page = await app.newPage()
    await page
      .browserContext()
      .overridePermissions(server.url, ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write'])
    await app.signIn(page)
    await page.goto(`${server.url}/app/webhooks/${id}`)
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await receiver.close()
  }, BROWSER_TIMEOUT_MS)

  test(
    'pauses its subscription after ten failures in a row; later events are queued, and Resume sends them',
    async () => {
      const failing = Array.from({ length: MAX_FAILED }, (_, number) => `lost ${number}`)
      await write(...failing)
      await receiver.until(MAX_FAILED)
      await untilResponses(page, /^503, next attempt/, MAX_FAILED)
      dueForTheLastTime()
      await receiver.until(2 * MAX_FAILED)
      await untilFailures(page, `${MAX_FAILED} deliveries failed in a row`)
      expect(await subscription()).toMatchObject({ status: 'paused', consecutive_failures: MAX_FAILED })
      await untilWebhook(page, 'paused')
      await untilText(page, `#${MAX_FAILED}, a gap`)

      receiver.answer = status(200)
      const before = receiver.received.length
      await write('waited')
      await untilDeliveries(page, 'pending', 1)
      expect(refsOf(before)).toEqual([])
      await press(page, 'Resume')
      await untilDeliveries(page, 'delivered', 1)
      expect(refsOf(before)).toEqual(['waited'])
      expect(await subscription()).toMatchObject({ status: 'enabled', consecutive_failures: 0 })
      await untilWebhook(page, 'enabled')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'gets every permanently failed delivery once, with one click',
    async () => {
      const before = receiver.received.length
      await untilFailures(page, `${MAX_FAILED} deliveries permanently failed since`)
      await press(page, 'Redeliver all')
      await untilDeliveries(page, 'delivered', MAX_FAILED + 1)
      expect(refsOf(before).toSorted()).toEqual(
        Array.from({ length: MAX_FAILED }, (_, number) => `lost ${number}`),
      )
      await untilNoFailures(page)
      expect(await deliveries('&status=failed')).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'gets a delivery byte for byte from the copied curl command, whatever the row contains',
    async () => {
      const before = receiver.received.length
      await write(HARD)
      await receiver.until(before + 1)
      const [sent] = receiver.received.slice(before)
      const [{ id: delivery }] = await deliveries()
      await page.goto(`${app.server.url}/app/webhooks/${id}?open=${delivery}`)
      await press(page, 'Copy as cURL')
      await untilText(page, 'Copied')
      const command = await page.evaluate(() => navigator.clipboard.readText())
      const run = Bun.spawn(['bash', '-c', command], { env: { PATH: Bun.env.PATH }, stderr: 'pipe' })
      expect([await run.exited, await run.stdout.text()]).toEqual([0, 'ok'])
      const copied = receiver.received.slice(before + 1)
      expect(copied).toHaveLength(1)
      const described = (received = copied[0]) => [
        received?.method,
        received?.path,
        received?.body,
        ...['content-type', 'x-service-event', 'x-service-delivery'].map((name) => received?.headers[name]),
      ]
      expect(described()).toEqual(described(sent))
      // Only the server has the secret.
      expect(command.toLowerCase()).not.toContain('signature')
    },
    BROWSER_TIMEOUT_MS,
  )

  test('the page had no error, and no other host was contacted', () => {
    expect(app.problems).toEqual([])
  })
})
